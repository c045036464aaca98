// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// The limit on the number of entries, as it is now; `nil` if there is none. O(1).
    public var maximumCount: Int? { configuration.maximumCount == nil ? nil : countLimit.load(ordering: .acquiring) }

    /// The limit on the weight of all entries, as it is now; `nil` if there is none. O(1).
    public var maximumWeight: Int? { cells.withShard(0) { $0.rules.maximumWeight } }

    /// Changes the limit on the number of entries while the cache is in use.
    ///
    /// More room loses nothing. For less room the coldest entries are evicted, five hundred at a time, and other threads use the cache in between; the new limit is in
    /// force when this returns. Of several calls at the same time the last one counts. Pinned entries stay, even if they are more. The cache keeps its shards and
    /// the memory of its table; if the limit falls below 512 entries a shard, the hit ratio suffers, and below one a shard some keys are not kept.
    /// ``configuration`` goes on to say with what the cache was created.
    ///
    /// - Parameter maximumCount: The new limit. The cache must have been created with one; negative values count as 0.
    /// - Complexity: O(*k*) for *k* evicted entries, and one lock for each shard.
    public func resize(maximumCount: Int) {
        precondition(configuration.maximumCount != nil, "A cache without a limit by count has none to change: create it with maximumCount.")
        countLimit.store(max(0, maximumCount), ordering: .sequentiallyConsistent)
        var givesBack = false
        while true {
            let limit = countLimit.load(ordering: .sequentiallyConsistent)
            for number in 0..<cells.count {
                let part = Configuration.equalPart(limit, number, of: cells.count)
                evict(inShard: number) { shard, now, count, departures in
                    // Another call has taken over; this one begins again with its limit.
                    guard countLimit.load(ordering: .sequentiallyConsistent) == limit else { return true }
                    return shard.setMaximumCount(part, givesBack: givesBack, now: now, atMost: count, departures: &departures)
                }
            }
            // Some shards may have more than their parts, if others have left as much.
            let isWithinLimit = cells.withShard(0) { ($0.rules.pool?.count ?? 0) >= 0 }
            if isWithinLimit, countLimit.load(ordering: .sequentiallyConsistent) == limit { return }
            givesBack = !isWithinLimit
        }
    }

    /// Changes the limit on the weight of all entries while the cache is in use.
    ///
    /// More room loses nothing. For less room those that are heavier than the limit and the coldest entries are evicted, five hundred at a time, and other threads use the
    /// cache in between; the new limit is in force when this returns. ``configuration`` goes on to say with what the cache was created.
    ///
    /// - Parameter maximumWeight: The new limit. The cache must have been created with one; negative values count as 0.
    /// - Complexity: O(*n*), if there is less room than is used.
    public func resize(maximumWeight: Int) {
        precondition(configuration.maximumWeight != nil, "A cache without a limit by weight has none to change: create it with maximumWeight.")
        let maximumWeight = max(0, maximumWeight)
        var next: Slot? = 0
        evict(inShard: 0) { shard, now, count, departures in
            if let start = next, shard.policy.totalWeight > UInt(maximumWeight) {
                next = shard.evictHeavier(than: maximumWeight, from: start, slotCount: Self.slotsPerStep, departures: &departures)
                return false
            }
            return shard.setMaximumWeight(maximumWeight, now: now, atMost: count, departures: &departures)
        }
    }

    /// Evicts in steps, between which others use the shard.
    ///
    /// - Parameter step: Evicts so many entries at most. Returns whether it is done.
    private func evict(
        inShard number: Int,
        _ step: (_ shard: inout Shard<Key, Value>, _ now: Int64, _ count: Int, _ departures: inout Departures<Key, Value>) -> Bool
    ) {
        let now = exactTimeIfUsed()
        var (isDone, stepCount) = (false, 0)
        while !isDone {
            // Others may insert as fast as this evicts.
            let count = stepCount < Self.maximumStepCount ? Self.evictionsPerStep : .max
            var departures = Departures<Key, Value>()
            isDone = cells.withShard(number) { step(&$0, now, count, &departures) }
            report(departures)
            stepCount += 1
        }
    }

    private static var evictionsPerStep: Int { 500 }
    private static var slotsPerStep: Slot { 1_024 }
    private static var maximumStepCount: Int { 100_000 }
}
