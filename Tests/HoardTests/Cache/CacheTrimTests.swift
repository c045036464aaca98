// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheTrimTests {
    @Test(arguments: [(0.5, 50), (0.25, 25), (0.999, 99), (1, 100), (2, 100), (0, 0), (-1, 0), (.nan, 100), (.infinity, 100), (-.infinity, 0)])
    func fractionOfTheEntriesStays(_ fraction: Double, _ expected: Int) {
        let cache = Cache<Int, Int>(maximumCount: 1_000)
        for key in 0..<100 { cache.insert(key, forKey: key) }
        #expect(cache.trim(toFraction: fraction) == 100 - expected)
        #expect(cache.count == expected)
        #expect(cache.statistics.evictions == 100 - expected)
        cache.checkInvariants()
    }

    @Test func fractionIsOfWhatIsHeldAndNotOfTheLimit() {
        let cache = Cache<Int, Int>(maximumCount: 1_000)
        for key in 0..<100 { cache.insert(key, forKey: key) }
        cache.trim(toFraction: 0.5)
        cache.trim(toFraction: 0.5)
        #expect(cache.count == 25)
    }

    @Test func weightIsTrimmedToo() {
        let cache = Cache<Int, Int>(maximumWeight: 10_000) { _, value in value }
        for key in 1...50 { cache.insert(key, forKey: key) }
        let weight = cache.totalWeight
        cache.trim(toFraction: 0.5)
        #expect(cache.count <= 25)
        #expect(cache.totalWeight <= weight / 2 + 1)
        cache.checkInvariants()
    }

    @Test(arguments: [Int.max, .max - 1, 1 << 53 + 1])
    func trimmingToTheWholeEvictsNothingHoweverGreatTheWeight(_ weight: Int) {
        let cache = Cache<Int, Int>(maximumWeight: .max) { _, _ in 0 }
        cache.insert(1, forKey: 1, weight: weight)
        #expect(cache.trim(toFraction: 1) == 0)
        #expect(cache.peek(1) == 1)
        #expect(cache.trim(toFraction: 0.5) == 1)
        #expect(cache.totalWeight == 0)
    }

    @Test func pinnedEntriesStay() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for key in 0..<20 { cache.insert(key, forKey: key, weight: key % 2) }
        #expect(cache.trim(toFraction: 0) == 10)
        #expect((0..<20).allSatisfy { cache.contains($0) == ($0 % 2 == 0) })
        #expect(cache.trim(toFraction: 0) == 0)
    }

    @Test func limitsStayAndTheCacheFillsUpAgain() {
        let cache = Cache<Int, Int>(maximumCount: 50)
        for key in 0..<50 { cache.insert(key, forKey: key) }
        cache.trim(toFraction: 0.1)
        #expect(cache.count == 5)
        for key in 100..<150 { cache.insert(key, forKey: key) }
        #expect(cache.count == 50)
    }

    @Test(arguments: 0..<20) func coldestEntriesLeaveFirst(round: Int) {
        // Each cache has its own hash secrets, and so its own order of eviction.
        let cache = Cache<Int, Int>(maximumCount: 200)
        for key in 0..<200 { cache.insert(key, forKey: key) }
        // The cache itself chooses how frequency and recency count, so the first fifty keys have both.
        for round in 0..<20 {
            for key in 0..<50 { _ = cache.value(forKey: key) }
            for key in 0..<20 { cache.insert(key, forKey: 1_000 + 20 * round + key) }
        }
        for key in 0..<50 { _ = cache.value(forKey: key) }
        let hot = (0..<50).count { cache.contains($0) }
        let cold = cache.count - hot
        cache.trim(toFraction: 0.5)
        let hotLeft = (0..<50).count { cache.contains($0) }
        let coldLeft = cache.count - hotLeft
        // Keys that are used often are more likely to stay than keys that were used once.
        #expect(hotLeft * cold >= coldLeft * hot, "\(hotLeft) of \(hot) are left, and \(coldLeft) of \(cold)")
    }

    @Test func everyShardIsTrimmed() {
        let cache = Cache<Int, Int>(maximumCount: 16_384)
        #expect(cache.configuration.shardCount == 32)
        for key in 0..<10_000 { cache.insert(key, forKey: key) }
        let held = cache.count
        let trimmed = cache.trim(toFraction: 0.5)
        #expect(cache.count == held - trimmed)
        #expect(cache.count <= held / 2)
        #expect(cache.count > held / 2 - 64)
    }

    @Test func emptyCacheHasNothingToTrim() {
        let cache = Cache<Int, Int>(maximumCount: 0)
        #expect(cache.trim(toFraction: 0) == 0)
    }
}
