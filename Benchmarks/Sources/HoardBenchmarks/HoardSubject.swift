// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The cache that is measured.
struct HoardSubject<Key: BenchmarkKey, Value: BenchmarkValue>: Subject {
    static var name: String { "Hoard Cache" }
    private let cache: Cache<Key, Value>

    init(capacity: Int) {
        cache = Cache(maximumCount: capacity)
    }

    @inline(__always)
    func value(forKey key: Key) -> Value? {
        cache.value(forKey: key)
    }

    @inline(__always)
    func insert(_ value: Value, forKey key: Key) {
        cache.insert(value, forKey: key)
    }
}
