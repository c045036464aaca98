// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

/// The memory cache of this package, used as an application uses it: look up, and insert on a miss.
struct HoardPolicy: ReplacementPolicy {
    private let cache: Cache<UInt64, UInt64>

    init(capacity: Int) {
        // A cache draws its hash secrets at random, and its hit ratio depends on them by some hundredths of a point.
        cache = Cache(maximumCount: capacity, hashSeed: 1)
    }

    var count: Int { cache.count }

    func access(_ key: UInt64) -> Bool {
        // The keys of access traces are often dense; the mix makes them look like those of an application.
        let key = mixed(key)
        if cache.value(forKey: key) != nil { return true }
        cache.insert(key, forKey: key)
        return false
    }
}
