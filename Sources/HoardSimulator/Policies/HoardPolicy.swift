// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The memory cache of this package, used as an application uses it: look up, and insert on a miss.
struct HoardPolicy: ReplacementPolicy {
    /// The value of an entry is its size.
    private let cache: Cache<UInt64, Int>
    private let capacity: Int

    // A cache draws its hash secrets at random, and its hit ratio depends on them by some hundredths of a point.

    /// A cache that counts keys.
    init(capacity: Int) {
        self.capacity = capacity
        cache = Cache(configuration: .init(maximumCount: capacity), hashSeed: 1)
    }

    /// A cache that counts bytes.
    init(byteCapacity: Int, favouring goal: HitGoal) {
        capacity = byteCapacity
        cache = Cache(configuration: .init(maximumWeight: byteCapacity, favouring: goal), hashSeed: 1)
    }

    var count: Int { cache.count }
    var size: Int { cache.totalWeight }

    func access(_ key: UInt64, size: Int) -> Bool {
        // The keys of access traces are often dense; the mix makes them look like those of an application.
        let key = mixed(key)
        let held = cache.value(forKey: key)
        if held != size {
            if size <= capacity {
                cache.insert(size, forKey: key, weight: size)
            } else if held != nil {
                cache.removeValue(forKey: key)
            }
        }
        return held != nil
    }

    func remove(_ key: UInt64) -> Bool { cache.removeValue(forKey: mixed(key)) != nil }
}
