// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization

/// An imitation of the tutorial's cache: a store and a set of keys that change one after the other, dates for lifetimes, and a form for the disk
/// that is decoded into a cache with default settings.
final class SeedTypedCache: TypedCaching {
    private struct Entry {
        let value: String
        let expirationDate: Date
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let trackedKeys = Mutex<Set<String>>([])
    private let dateProvider: @Sendable () -> Date
    private let lifetime: TimeInterval
    private let maximumCount: Int

    init(
        dateProvider: @escaping @Sendable () -> Date = { Date() },
        lifetime: TimeInterval = 12 * 60 * 60,
        maximumCount: Int = 50
    ) {
        self.dateProvider = dateProvider
        self.lifetime = lifetime
        self.maximumCount = maximumCount
    }

    convenience init(_ maximumCount: Int, _ lifetime: Int, _ time: ManualTicker) {
        self.init(dateProvider: { time.now() }, lifetime: TimeInterval(lifetime), maximumCount: maximumCount)
    }

    func insert(_ value: String, forKey key: String) {
        insert(Entry(value: value, expirationDate: dateProvider() + lifetime), forKey: key) {}
    }

    func replace(with value: String, forKey key: String, meanwhile other: @escaping @Sendable () -> Void) {
        insert(Entry(value: value, expirationDate: dateProvider() + lifetime), forKey: key, meanwhile: other)
    }

    private func insert(_ entry: Entry, forKey key: String, meanwhile other: () -> Void) {
        let evicted: String? = entries.withLock { entries in
            entries[key] = entry
            return entries.count > maximumCount ? entries.keys.first { $0 != key } : nil
        }
        if let evicted { removeValue(forKey: evicted) }
        other()
        _ = trackedKeys.withLock { $0.insert(key) }
    }

    func value(forKey key: String) -> String? {
        guard let entry = entries.withLock({ $0[key] }) else { return nil }
        guard dateProvider() < entry.expirationDate else {
            removeValue(forKey: key)
            return nil
        }
        return entry.value
    }

    func removeValue(forKey key: String) {
        entries.withLock { $0[key] = nil }
        _ = trackedKeys.withLock { $0.remove(key) }
    }

    var keys: Set<String> { trackedKeys.withLock { $0 } }

    func saved() throws -> @Sendable () throws -> any TypedCaching {
        let saved = entries.withLock { $0 }
        return {
            let restored = SeedTypedCache()
            for (key, entry) in saved { restored.insert(entry, forKey: key) {} }
            return restored
        }
    }
}
