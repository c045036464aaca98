// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// The present limit on the number of entries; `nil` if there is none. O(1).
    public var maximumCount: Int? { configuration.maximumCount == nil ? nil : countLimit.load(ordering: .acquiring) }

    /// The present limit on the weight of all entries; `nil` if there is none. O(1).
    public var maximumWeight: Int? { configuration.maximumWeight == nil ? nil : weightLimit.load(ordering: .acquiring) }

    /// Changes the limit on the number of entries while the cache is in use.
    ///
    /// More room loses nothing. For less room the coldest entries are evicted, five hundred at a time, and other threads use the cache in between; the new limit is in
    /// force when this returns. Of several calls at the same time the last one counts. Pinned entries stay, even if they are more. The cache keeps its shards and
    /// the memory of its table; if the limit falls below 512 entries a shard, the hit ratio suffers, and below one a shard some keys are not kept.
    /// ``configuration`` keeps the limit with which the cache was created.
    ///
    /// - Parameter maximumCount: The new limit. The cache must have been created with one; negative values count as 0.
    /// - Complexity: O(*k*) for *k* evicted entries, and one lock for each shard.
    public func resize(maximumCount: Int) {
        precondition(configuration.maximumCount != nil, "A cache without a limit by count has none to change: create it with maximumCount.")
        countLimit.store(max(0, maximumCount), ordering: .sequentiallyConsistent)
        var givesBack = false
        resize(by: countLimit) { limit, number, shardCount in
            let part = Configuration.equalPart(limit, number, of: shardCount)
            return { shard, now, count, departures in
                shard.setMaximumCount(part, givesBack: givesBack, now: now, atMost: count, departures: &departures)
            }
        } isWithinLimit: {
            // Some shards may have more than their parts, if others have left as much.
            givesBack = cells.withShard(0) { ($0.rules.pool?.rest ?? 0) < 0 }
            return !givesBack
        }
    }

    /// Changes the limit on the weight of all entries while the cache is in use.
    ///
    /// More room loses nothing. With a lower limit, entries heavier than the limit and the coldest entries are evicted, five hundred at a time, while
    /// other threads use the cache in between. The new limit is in force when this returns. ``configuration`` still has the limit with which the
    /// cache was created.
    ///
    /// - Parameter maximumWeight: The new limit. The cache must have been created with one; negative values count as 0.
    /// - Complexity: O(*n*), if there is less room than is used.
    public func resize(maximumWeight: Int) {
        precondition(configuration.maximumWeight != nil, "A cache without a limit by weight has none to change: create it with maximumWeight.")
        let old = weightLimit.exchange(max(0, maximumWeight), ordering: .sequentiallyConsistent)
        weightPool.add(max(0, maximumWeight) - old)
        resize(by: weightLimit) { limit, number, shardCount in
            let part = Configuration.equalPart(limit, number, of: shardCount)
            var next: Slot? = limit < old ? 0 : nil
            return { shard, now, count, departures in
                if let start = next {
                    next = shard.evictHeavier(than: limit, from: start, slotCount: Self.slotsPerStep, now: now, departures: &departures)
                    return false
                }
                return shard.setMaximumWeight(limit, part: part, now: now, atMost: count, departures: &departures)
            }
        } isWithinLimit: {
            weightPool.rest >= 0
        }
    }

    /// One of the steps in which a shard gets another limit. Evicts so many entries at most. Returns whether it is done.
    private typealias Step = (_ shard: inout Shard<Key, Value>, _ now: Int64, _ count: Int, _ departures: inout Departures<Key, Value>) -> Bool

    /// Brings all shards under a limit. If another call changes it meanwhile, or the cache is divided, this one begins again.
    private func resize(
        by currentLimit: borrowing Atomic<Int>,
        _ step: (_ limit: Int, _ number: Int, _ shardCount: Int) -> Step,
        isWithinLimit: () -> Bool
    ) {
        while true {
            let (limit, shardCount) = (currentLimit.load(ordering: .sequentiallyConsistent), cells.count)
            func isUnchanged() -> Bool { currentLimit.load(ordering: .sequentiallyConsistent) == limit && cells.count == shardCount }
            for number in 0..<shardCount {
                let step = step(limit, number, shardCount)
                evict(inShard: number) { shard, now, count, departures in !isUnchanged() || step(&shard, now, count, &departures) }
            }
            if isWithinLimit(), isUnchanged() { return }
        }
    }

    /// Evicts in steps, between which others use the shard.
    private func evict(inShard number: Int, _ step: Step) {
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
