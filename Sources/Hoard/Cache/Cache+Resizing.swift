// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// The limit on the weight of all entries, as it is now; `nil` if there is none. O(1).
    public var maximumWeight: Int? { cells.withShard(0) { $0.rules.maximumWeight } }

    /// Changes the limit on the weight of all entries while the cache is in use.
    ///
    /// More room loses nothing. For less room the coldest entries are evicted, a thousand at a time, and other threads use the cache in between; the new limit is in
    /// force when this returns. An entry heavier than that is not kept any more. ``configuration`` goes on to say with what the cache was created.
    ///
    /// - Parameter weight: The new limit. The cache must have been created with one; negative values count as 0.
    /// - Complexity: O(*k*) for *k* evicted entries.
    public func setMaximumWeight(_ weight: Int) {
        precondition(configuration.maximumWeight != nil, "A cache without a limit by weight has none to change: create it with maximumWeight.")
        let now = exactTimeIfUsed()
        var (isInForce, step) = (false, 0)
        while !isInForce {
            // Others may insert as fast as this evicts.
            let count = step < Self.maximumStepCount ? Self.evictionsPerStep : .max
            var departures = Departures<Key, Value>()
            isInForce = cells.withShard(0) { $0.setMaximumWeight(max(0, weight), now: now, atMost: count, departures: &departures) }
            report(departures)
            step += 1
        }
    }

    private static var evictionsPerStep: Int { 1_000 }
    private static var maximumStepCount: Int { 100_000 }
}
