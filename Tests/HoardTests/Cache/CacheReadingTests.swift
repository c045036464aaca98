// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@Suite struct CacheReadingTests {
    private let ticker = ManualTicker()

    @Test func missIsNil() {
        let cache = Cache<String, Int>(maximumCount: 3)
        #expect(cache.value(forKey: "a") == nil)
        #expect(cache.peek("a") == nil)
        #expect(!cache.contains("a"))
    }

    @Test func valueComesBackForItsKeyOnly() {
        let cache = Cache<String, Int>(maximumCount: 3)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        #expect(cache.value(forKey: "a") == 1)
        #expect(cache.value(forKey: "b") == 2)
        #expect(cache.value(forKey: "c") == nil)
    }

    @Test func readingCountsAsAUse() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        #expect(cache.value(forKey: "a") == 1)
        cache.insert(3, forKey: "c")
        #expect(cache.contains("a"))
        #expect(!cache.contains("b"))
    }

    @Test func peekingAndContainsAreNoUses() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a")
        #expect(cache.peek("a") == 1)
        #expect(cache.contains("a"))
        #expect(cache.explain("a").entry?.recentUses == 0)
        #expect(cache.statistics.hits == 0)
        #expect(cache.statistics.misses == 0)
    }

    @Test func replacingAValueCountsAsAUse() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        cache.insert(10, forKey: "a")
        cache.insert(3, forKey: "c")
        #expect(cache.peek("a") == 10)
        #expect(!cache.contains("b"))
    }

    @Test func anOptionalValueThatIsNilIsAHit() {
        let cache = Cache<String, Int?>(maximumCount: 2)
        cache.insert(nil, forKey: "a")
        let found: Int?? = cache.value(forKey: "a")
        #expect(found == .some(nil))
        #expect(cache.contains("a"))
        #expect(cache.statistics.hits == 1)
    }

    @Test func subscriptReadsWritesAndRemoves() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache["a"] = 1
        #expect(cache["a"] == 1)
        cache["a"] = 2
        #expect(cache["a"] == 2)
        cache["a"] = nil
        #expect(cache["a"] == nil)
        #expect(cache.count == 0)
        let statistics = cache.statistics
        #expect(statistics.hits == 2)
        #expect(statistics.misses == 1)
        #expect(statistics.insertions == 2)
    }

    @Test func subscriptReadingCountsAsAUse() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache["a"] = 1
        cache["b"] = 2
        _ = cache["a"]
        cache["c"] = 3
        #expect(cache.contains("a"))
        #expect(!cache.contains("b"))
    }

    @Test func statisticsFollowTheirRules() {
        let cache = Cache<String, Int>(maximumCount: 1, expiration: .afterWrite(.seconds(10)), ticker: ticker)
        #expect(cache.statistics == CacheStatistics())
        #expect(cache.statistics.hitRatio == 0)

        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "a")
        cache.insert(3, forKey: "b")  // evicts a
        cache.insert(4, forKey: "c", expiresAfter: .zero)  // refused
        _ = cache.value(forKey: "b")
        _ = cache["b"]
        _ = cache.value(forKey: "a")
        ticker.advance(by: .seconds(10))
        _ = cache.value(forKey: "b")  // expired
        cache.insert(5, forKey: "c")
        cache.removeValue(forKey: "c")

        var expected = CacheStatistics()
        expected.hits = 2
        expected.misses = 2
        expected.insertions = 4
        expected.refusals = 1
        expected.evictions = 1
        expected.expirations = 1
        expected.removals = 1
        expected.replacements = 1
        #expect(cache.statistics == expected)
        #expect(cache.statistics.hitRatio == 0.5)
    }
}
