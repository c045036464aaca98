// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(1))) struct CacheShardingTests {
    @Test(arguments: [(1_023, 1), (1_024, 2), (2_047, 2), (2_048, 4), (32_768, 64), (1_000_000, 64)])
    func cacheHasAsManyShardsAsItIsWorth(_ maximumCount: Int, _ shards: Int) {
        #expect(Cache<Int, Int>.Configuration(maximumCount: maximumCount).shardCount == shards)
        #expect(Cache<Int, Int>.Configuration(maximumCount: maximumCount, maximumWeight: 10).shardCount == 1)
    }

    @Test(arguments: [1_024, 1_025, 2_049, 32_767, 32_769, 100_003, Int.max])
    func partsOfTheLimitAddUpToTheWhole(_ maximumCount: Int) {
        let configuration = Cache<Int, Int>.Configuration(maximumCount: maximumCount)
        let parts = (0..<configuration.shardCount).map { configuration.rules(ofShard: $0, of: configuration.shardCount).maximumCount }
        #expect(parts.reduce(0, +) == maximumCount)
        #expect((parts.max() ?? 0) - (parts.min() ?? 0) <= 1)
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

    @Test func fullCacheHoldsAlmostAllItMay() {
        let cache = Cache<Int, Int>(maximumCount: 32_768)
        for key in 0..<100_000 { cache.insert(key, forKey: key) }
        #expect(cache.count <= 32_768)
        #expect(cache.count > 32_768 * 95 / 100)
        #expect(cache.statistics.evictions == 100_000 - cache.count)
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
}
