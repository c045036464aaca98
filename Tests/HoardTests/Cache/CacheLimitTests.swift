// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheLimitTests {
    @Test func cacheOfCapacityZeroKeepsNothing() async throws {
        let cache = Cache<String, Int>(maximumCount: 0)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b", weight: 0)
        #expect(cache.count == 0)
        #expect(cache.value(forKey: "a") == nil)
        #expect(cache.statistics.refusals == 2)
        #expect(try await cache.value(forKey: "a") { _ in 7 } == 7)
        #expect(cache.count == 0)
    }

    @Test func cacheOfCapacityOneKeepsTheNewest() {
        let cache = Cache<String, Int>(maximumCount: 1)
        for number in 0..<5 {
            cache.insert(number, forKey: "\(number)")
            #expect(cache.count == 1)
            #expect(cache.peek("\(number)") == number)
        }
        #expect(cache.statistics.evictions == 4)
    }

    @Test func cacheOfCapacityTwoKeepsTheTwoUsedLast() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        _ = cache.value(forKey: "a")
        cache.insert(3, forKey: "c")
        _ = cache.value(forKey: "a")
        cache.insert(4, forKey: "d")
        #expect(cache.peek("a") == 1)
        #expect(cache.peek("d") == 4)
        #expect(cache.count == 2)
    }

    @Test func entriesInUseOutliveAScan() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for round in 0..<50 {
            for key in 0..<50 where cache.value(forKey: key) == nil { cache.insert(key, forKey: key) }
            for key in 0..<100 { cache.insert(key, forKey: 1_000 + round * 100 + key) }
        }
        #expect((0..<50).count { cache.contains($0) } > 45)
        #expect(cache.count == 100)
    }

    @Test(arguments: [1, 2, 3, 10, 1_000, 100_000])
    func whatWasJustWrittenCanBeRead(_ capacity: Int) {
        let cache = Cache<Int, Int>(maximumCount: capacity)
        for key in 0..<3_000 {
            cache.insert(key, forKey: key)
            #expect(cache.peek(key) == key)
            #expect(cache.count <= capacity)
        }
    }

    @Test func limitByWeightHoldsAtEveryMoment() {
        let cache = Cache<Int, Int>(maximumWeight: 100) { _, value in value }
        for number in 1...60 {
            cache.insert(number, forKey: number)
            #expect(cache.totalWeight <= 100)
            #expect(cache.peek(number) == number)
        }
        #expect(cache.statistics.evictions == 60 - cache.count)
        #expect(cache.statistics.refusals == 0)
    }

    @Test func oneHeavyNewcomerEvictsAsManyAsItNeeds() {
        let cache = Cache<String, Int>(maximumWeight: 10) { _, value in value }
        for key in ["a", "b", "c", "d", "e"] { cache.insert(2, forKey: key) }
        cache.insert(5, forKey: "f")
        #expect(cache.peek("f") == 5)
        #expect(["a", "b", "c", "d", "e"].count { cache.contains($0) } == 2)
        #expect(cache.totalWeight == 9)
        #expect(cache.statistics.evictions == 3)
    }

    @Test func bothLimitsHoldTogether() {
        let cache = Cache<Int, Int>(maximumWeight: 10, maximumCount: 3) { _, value in value }
        for number in 0..<4 { cache.insert(1, forKey: number) }
        #expect(cache.count == 3)
        cache.insert(9, forKey: 4)
        #expect(cache.count == 2)
        #expect(cache.totalWeight == 10)
    }

    @Test func valueHeavierThanTheLimitIsRefusedAndTakesOnlyItsOldValueAlong() {
        let cache = Cache<String, Int>(maximumWeight: 10) { _, value in value }
        cache.insert(4, forKey: "a")
        cache.insert(4, forKey: "b")
        cache.insert(11, forKey: "a")
        #expect(!cache.contains("a"))
        #expect(cache.peek("b") == 4)
        #expect(cache.totalWeight == 4)
        let statistics = cache.statistics
        #expect(statistics.refusals == 1)
        #expect(statistics.evictions == 0)
        #expect(statistics.insertions == 2)
    }

    @Test func valueAsHeavyAsTheLimitIsKeptAlone() {
        let cache = Cache<String, Int>(maximumWeight: 10) { _, value in value }
        cache.insert(1, forKey: "a")
        cache.insert(10, forKey: "b")
        #expect(cache.peek("b") == 10)
        #expect(cache.count == 1)
    }

    @Test func replacingAnEntryFreesItsWeightFirst() {
        let cache = Cache<String, Int>(maximumWeight: 10) { _, value in value }
        cache.insert(6, forKey: "a")
        cache.insert(4, forKey: "b")
        cache.insert(5, forKey: "a")
        #expect(cache.peek("a") == 5)
        #expect(cache.peek("b") == 4)
        #expect(cache.totalWeight == 9)
        #expect(cache.statistics.evictions == 0)
    }

    @Test func greatestPossibleWeightsDoNotOverflow() {
        let cache = Cache<String, Int>(maximumWeight: .max) { _, value in value }
        cache.insert(.max, forKey: "a")
        #expect(cache.totalWeight == .max)
        cache.insert(.max, forKey: "b")
        #expect(cache.peek("b") == .max)
        #expect(cache.count == 1)
        cache.insert(1, forKey: "c")
        #expect(cache.totalWeight == 1)

        let limitedByCount = Cache<String, Int>(maximumCount: 5)
        limitedByCount.insert(1, forKey: "a", weight: .max)
        limitedByCount.insert(2, forKey: "b", weight: .max)
        #expect(limitedByCount.peek("b") == 2)
        #expect(limitedByCount.totalWeight == 2)
    }

    @Test func negativeWeightsCountAsZero() {
        let cache = Cache<String, Int>(maximumWeight: 10) { _, value in value }
        cache.insert(-5, forKey: "a")
        cache.insert(.min, forKey: "b")
        cache.insert(1, forKey: "c", weight: -1)
        #expect(cache.totalWeight == 0)
        #expect(cache.count == 3)
        cache.insert(10, forKey: "d")
        #expect(cache.peek("a") == -5)
    }

    @Test func weightGivenAtTheWriteGoesBeforeTheWeigher() {
        let cache = Cache<String, Int>(maximumWeight: 10) { _, _ in 100 }
        cache.insert(1, forKey: "a", weight: 3)
        #expect(cache.totalWeight == 3)
        cache.insert(1, forKey: "b")
        #expect(!cache.contains("b"))
    }

    @Test func entriesWithoutAWeigherWeighOne() {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 3))
        for number in 0..<5 { cache.insert(number, forKey: number) }
        #expect(cache.totalWeight == 3)
        #expect(cache.count == 3)
    }

    @Test func pinnedEntriesAreNeverEvicted() {
        let cache = Cache<String, Int>(maximumCount: 3)
        cache.insert(0, forKey: "pinned", weight: 0)
        for number in 0..<10 { cache.insert(number, forKey: "\(number)") }
        #expect(cache.peek("pinned") == 0)
        #expect(cache.count == 3)
        #expect(cache.totalWeight == 2)
    }

    @Test func whenOnlyPinnedEntriesAreLeftANewcomerIsRefused() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a", weight: 0)
        cache.insert(2, forKey: "b", weight: 0)
        cache.insert(3, forKey: "c")
        cache.insert(4, forKey: "d", weight: 0)
        #expect(cache.peek("a") == 1)
        #expect(cache.peek("b") == 2)
        #expect(cache.count == 2)
        #expect(cache.statistics.refusals == 2)
    }

    @Test func pinnedEntriesLeaveByRemovalReplacementAndExpiration() {
        let ticker = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 3, ticker: ticker)
        cache.insert(1, forKey: "removed", weight: 0)
        cache.insert(2, forKey: "replaced", weight: 0)
        cache.insert(3, forKey: "expired", weight: 0, expiresAfter: .seconds(1))
        #expect(cache.removeValue(forKey: "removed") == 1)
        cache.insert(20, forKey: "replaced")
        ticker.advance(by: .seconds(1))
        #expect(cache.value(forKey: "expired") == nil)
        #expect(cache.count == 1)
        // An entry that was pinned before is evicted like any other now.
        #expect(cache.explain("replaced").entry?.segment != .pinned)
        #expect(cache.trim(toFraction: 0) == 1)
        #expect(!cache.contains("replaced"))
    }

    @Test func pinningAndUnpinningMovesNoLimit() {
        let cache = Cache<String, Int>(maximumWeight: 10, maximumCount: 4) { _, value in value }
        for round in 0..<20 {
            cache.insert(round % 3, forKey: "a")
            cache.insert((round + 1) % 4, forKey: "b")
            cache.insert(round % 2 * 9, forKey: "c")
            cache.checkInvariants()
            #expect(cache.totalWeight <= 10)
            #expect(cache.peek("c") == round % 2 * 9)
        }
    }

    @Test func entryThatGrowsMakesTheOthersLeaveAndStays() {
        let cache = Cache<Int, Int>(maximumWeight: 100) { _, value in value }
        for key in 0..<10 { cache.insert(10, forKey: key) }
        for key in 0..<10 {
            cache.insert(95, forKey: key)
            #expect(cache.peek(key) == 95)
            #expect(cache.totalWeight <= 100)
            cache.insert(1, forKey: key)
            cache.checkInvariants()
        }
    }

    @Test func pinnedNewcomerMakesOthersLeave() {
        let cache = Cache<Int, Int>(maximumCount: 3)
        for key in 0..<3 { cache.insert(key, forKey: key) }
        for key in 3..<6 {
            cache.insert(key, forKey: key, weight: 0)
            #expect(cache.count == 3)
        }
        #expect((3..<6).allSatisfy { cache.contains($0) })
        #expect(cache.totalWeight == 0)
        #expect(cache.statistics.evictions == 3)
        cache.checkInvariants()
    }

    @Test func limitOfWeightZeroKeepsPinnedEntriesOnly() {
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 0))
        cache.insert(1, forKey: 1)
        cache.insert(2, forKey: 2, weight: 0)
        #expect(!cache.contains(1))
        #expect(cache.peek(2) == 2)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func configurationIsKept() {
        let cache = Cache<String, Int>(maximumWeight: 5, maximumCount: 7, expiration: .afterWrite(.seconds(1))) { _, _ in 1 }
        #expect(cache.configuration.maximumWeight == 5)
        #expect(cache.configuration.maximumCount == 7)
        #expect(cache.configuration.expiration == .afterWrite(.seconds(1)))
        #expect(cache.configuration.weigher != nil)
    }

    @Test func contradictoryConfigurationsAreRefused() async {
        await #expect(processExitsWith: .failure) { _ = Cache<String, Int>.Configuration() }
        await #expect(processExitsWith: .failure) { _ = Cache<String, Int>.Configuration(maximumCount: -1) }
        await #expect(processExitsWith: .failure) { _ = Cache<String, Int>.Configuration(maximumWeight: -1) }
    }
}
