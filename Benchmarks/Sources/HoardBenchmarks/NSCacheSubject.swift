// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// `NSCache` with the wrapper that lets it take keys and values which are not objects.
///
/// Unchecked because `NSCache` locks by itself.
final class NSCacheSubject<Key: BenchmarkKey, Value: BenchmarkValue>: Subject, @unchecked Sendable {
    static var name: String { "NSCache" }

    private final class WrappedKey: NSObject {
        let key: Key

        init(_ key: Key) {
            self.key = key
        }

        override var hash: Int { key.hashValue }

        override func isEqual(_ object: Any?) -> Bool {
            (object as? WrappedKey)?.key == key
        }
    }

    private final class Entry {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private let cache = NSCache<WrappedKey, Entry>()

    init(capacity: Int) {
        cache.countLimit = capacity
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        cache.object(forKey: WrappedKey(key))?.value
    }

    @inline(__always)
    func insert(_ value: Value, forKey key: Key) {
        cache.setObject(Entry(value), forKey: WrappedKey(key))
    }
}
