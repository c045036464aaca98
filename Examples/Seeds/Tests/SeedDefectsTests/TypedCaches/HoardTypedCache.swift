// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Synchronization

/// Hoard's `Cache`, as an app uses it.
final class HoardTypedCache: TypedCaching {
    private let cache: Cache<String, String>
    private let time: ManualTicker
    private let interruption: Interruption
    private let maximumCount: Int
    private let lifetime: Int

    init(_ maximumCount: Int, _ lifetime: Int, _ time: ManualTicker) {
        let interruption = Interruption()
        self.time = time
        self.interruption = interruption
        self.maximumCount = maximumCount
        self.lifetime = lifetime
        cache = Cache(
            configuration: .init(
                maximumCount: maximumCount,
                expiration: .afterWrite(.seconds(lifetime)),
                // Called in the middle of a write that replaces a value: the only place where
                // foreign code comes in between.
                removalListener: { _, _, _ in interruption.take()?() }
            ),
            ticker: time
        )
    }

    func insert(_ value: String, forKey key: String) { cache.insert(value, forKey: key) }
    func value(forKey key: String) -> String? { cache.value(forKey: key) }
    func removeValue(forKey key: String) { cache.removeValue(forKey: key) }

    var keys: Set<String> { Set(cache.snapshot(clock: time).entries.map(\.key)) }

    func replace(with value: String, forKey key: String, meanwhile other: @escaping @Sendable () -> Void) {
        interruption.set(other)
        cache.insert(value, forKey: key)
    }

    func saved() throws -> @Sendable () throws -> any TypedCaching {
        let directory = try TemporaryDirectory()
        let (maximumCount, lifetime, time) = (maximumCount, lifetime, time)
        try cache.save(to: directory.path + "/cache", clock: time)
        return {
            // The app configures its cache as ever; the file has no configuration.
            let restored = HoardTypedCache(maximumCount, lifetime, time)
            try restored.cache.restore(from: directory.path + "/cache", clock: time)
            return restored
        }
    }
}

/// An action that is called once.
private final class Interruption: Sendable {
    private let action = Mutex<(@Sendable () -> Void)?>(nil)

    func set(_ new: @escaping @Sendable () -> Void) { action.withLock { $0 = new } }

    func take() -> (@Sendable () -> Void)? {
        action.withLock { action in
            defer { action = nil }
            return action
        }
    }
}
