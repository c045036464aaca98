// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// The value of a key, if there is one and it has not expired.
    ///
    /// Counts as a use: the entry becomes the most recently used one, and a hit or a miss is counted.
    /// - Complexity: O(1).
    public func value(forKey key: Key) -> Value? {
        let now = ticker.nanoseconds()
        // An expired entry is released after the lock, with the tuple that carries it out.
        return state.withLock { state in
            let outcome = state.engine.value(forKey: key, now: now)
            state.statistics.expirations += outcome.expired == nil ? 0 : 1
            if outcome.value == nil {
                state.statistics.misses += 1
            } else {
                state.statistics.hits += 1
            }
            return outcome
        }.value
    }

    /// The value of a key, without counting as a use: recency and statistics stay as they are.
    /// - Complexity: O(1).
    public func peek(_ key: Key) -> Value? {
        let now = ticker.nanoseconds()
        return state.withLock { $0.engine.peek(key, now: now) }
    }

    /// Whether there is an unexpired value, without counting as a use.
    /// - Complexity: O(1).
    public func contains(_ key: Key) -> Bool {
        peek(key) != nil
    }

    /// Reads like ``value(forKey:)``; writes like ``insert(_:forKey:weight:expiresAfter:)``, or removes if the new value is `nil`.
    public subscript(key: Key) -> Value? {
        get { value(forKey: key) }
        set {
            if let newValue {
                insert(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    /// The number of entries held. Entries whose time is up but whose memory has not been reclaimed yet are included.
    /// - Complexity: O(1).
    public var count: Int {
        state.withLock { $0.engine.count }
    }

    /// The total weight of the entries that ``count`` counts.
    /// - Complexity: O(1).
    public var totalWeight: Int {
        state.withLock { $0.engine.totalWeight }
    }

    /// The counters as they stand now, taken together.
    public var statistics: CacheStatistics {
        state.withLock { $0.statistics }
    }
}
