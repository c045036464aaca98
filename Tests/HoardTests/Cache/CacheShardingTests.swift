// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheShardingTests {
    @Test(arguments: [(1_023, 1), (1_024, 2), (2_047, 2), (2_048, 4), (32_768, 64), (1_000_000, 64)])
    func cacheHasAsManyShardsAsItIsWorth(_ maximumCount: Int, _ shards: Int) {
        #expect(Cache<Int, Int>.Configuration(maximumCount: maximumCount).shardCount == shards)
        #expect(Cache<Int, Int>.Configuration(maximumCount: maximumCount, maximumWeight: 10).shardCount == 1)
    }

    @Test(arguments: [1_024, 1_025, 2_049, 32_767, 32_769, 100_003, Int.max])
    func partsOfTheLimitAddUpToTheWhole(_ maximumCount: Int) {
        let configuration = Cache<Int, Int>.Configuration(maximumCount: maximumCount)
        let shardCount = configuration.shardCount
        let pool = Cache<Int, Int>.Configuration.pool(for: maximumCount, shardCount: shardCount)
        let parts = (0..<shardCount).map { configuration.rules(ofShard: $0, of: shardCount, pool: pool).maximumCount }
        #expect(parts.reduce(0, +) == maximumCount)
        #expect((parts.max() ?? 0) - (parts.min() ?? 0) <= 1)
        // No table holds more entries than its slots can be numbered for, and the pool is not larger either.
        let nominal = parts.map { EvictionPolicy.nominalCount($0) }
        #expect(maximumCount == .max || nominal == parts)
        let ownParts = nominal.map { EvictionPolicy.ownPart(of: $0) }
        #expect(ownParts.reduce(pool?.rest ?? 0, +) == nominal.reduce(0, +))
    }

    @Test func totalsAddUp() {
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(maximumCount: 40_000, ticker: ticker)
        #expect(cache.configuration.shardCount == 64)
        for key in 0..<5_000 { cache.insert(key, forKey: key, weight: key % 5, expiresAfter: key % 10 == 0 ? .seconds(1) : nil) }
        #expect(cache.count == 5_000)
        #expect(cache.totalWeight == 4_000)
        #expect((0..<10_000).count { cache.value(forKey: $0) == $0 } == 5_000)
        ticker.advance(by: .seconds(1))
        cache.removeExpired()
        let statistics = cache.statistics
        #expect(statistics.insertions == 5_000)
        #expect(statistics.hits == 5_000)
        #expect(statistics.misses == 5_000)
        #expect(statistics.expirations == 500)
        #expect(cache.count == 4_500)
        #expect(cache.snapshot().entries.count == 4_500)
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.totalWeight == 0)
        cache.checkInvariants()
    }

    @Test(arguments: [1_024, 5_000, 32_768])
    func cacheHoldsAsMuchAsItMayToTheLastEntry(_ maximumCount: Int) {
        let cache = Cache<Int, Int>(maximumCount: maximumCount)
        for key in 0..<maximumCount { cache.insert(key, forKey: key) }
        #expect(cache.count == maximumCount)
        #expect(cache.statistics.evictions == 0)
        #expect((0..<maximumCount).allSatisfy { cache.peek($0) == $0 })
        for key in maximumCount..<maximumCount * 2 { cache.insert(key, forKey: key) }
        #expect(cache.count == maximumCount)
        #expect(cache.statistics.evictions == maximumCount)
        cache.checkInvariants()
    }

    @Test func aPoolGivesOutWhatItHasAndNoMore() async {
        let pool = LimitPool(1_000)
        let taken = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 where pool.take(upTo: 1) == 1 { taken.increment() } }
            }
        }
        #expect(taken.value == 1_000)
        #expect(pool.rest == 0)
    }

    @Test func limitIsNeverExceededWhileManyWrite() async {
        let cache = Cache<Int, Int>(maximumCount: 32_768)
        #expect(cache.configuration.shardCount == 64)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<20_000 { cache.insert(number, forKey: number &* 4 &+ writer) }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    #expect(cache.count <= 32_768)
                    await Task.yield()
                }
            }
        }
        #expect(cache.count <= 32_768)
        #expect(cache.statistics.insertions == 80_000)
        #expect(cache.statistics.evictions == 80_000 - cache.count)
        cache.checkInvariants()
    }

    /// The test does not know beforehand how many entries fit, and the first one that is
    /// evicted may be unusually heavy.
    @Test func tunerOfACacheLimitedByWeightFollowsTheNumberOfItsEntries() {
        let cache = Cache<Int, Int>(maximumWeight: 10_000) { _, weight in weight }
        func tunedCapacity() -> Int { cache.forEachShard(0) { $0 += $1.tunedCapacity } }
        cache.insert(9_000, forKey: -1)
        #expect(tunedCapacity() == 0)
        cache.insert(9_000, forKey: -2)
        #expect(tunedCapacity() == 1)
        for key in 0..<30_000 { cache.insert(1, forKey: key) }
        #expect((5_000...10_000).contains(tunedCapacity()))
        cache.removeAll()
        for key in 0..<300 { cache.insert(100, forKey: 100_000 + key) }
        #expect((50...100).contains(tunedCapacity()))
        cache.checkInvariants()
    }
}
