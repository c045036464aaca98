// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(2))) struct CacheResizingTests {
    @Test func moreRoomLosesNothingAndIsUsed() {
        let cache = Cache<Int, Int>(maximumWeight: 100) { _, value in value }
        for key in 0..<10 { cache.insert(10, forKey: key) }
        cache.resize(maximumWeight: 200)
        #expect(cache.maximumWeight == 200 && cache.configuration.maximumWeight == 100)
        #expect(cache.count == 10 && cache.statistics.evictions == 0)
        for key in 10..<20 { cache.insert(10, forKey: key) }
        #expect(cache.count == 20 && cache.totalWeight == 200)
        cache.checkInvariants()
    }

    @Test func lessRoomEvictsAsFewAsItTakes() {
        let cache = Cache<Int, Int>(maximumWeight: 100_000) { _, value in value }
        for key in 0..<10_000 { cache.insert(10, forKey: key) }
        cache.resize(maximumWeight: 12_345)
        #expect(cache.totalWeight == 12_340 && cache.count == 1_234)
        #expect(cache.statistics.evictions == 10_000 - 1_234)
        cache.checkInvariants()
        cache.insert(12_346, forKey: -1)
        #expect(cache.peek(-1) == nil && cache.count == 1_234)
        cache.insert(12_345, forKey: -2)
        #expect(cache.peek(-2) != nil && cache.count == 1)
    }

    @Test func whatIsTooHeavyLeavesBeforeWhatFits() {
        let cache = Cache<Int, Int>(maximumWeight: 1_000) { _, value in value }
        cache.insert(600, forKey: 0)
        for key in 1...40 { cache.insert(10, forKey: key) }
        for _ in 0..<5 { _ = cache.value(forKey: 0) }
        cache.resize(maximumWeight: 500)
        #expect(cache.peek(0) == nil && cache.count == 40 && cache.statistics.evictions == 1)
        cache.checkInvariants()
    }

    @Test func whatIsTooHeavyButHasExpiredIsNotEvicted() {
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(configuration: .init(maximumWeight: 1_000), ticker: ticker)
        cache.insert(0, forKey: 0, weight: 600, expiresAfter: .seconds(1))
        cache.insert(1, forKey: 1, weight: 10)
        ticker.advance(by: .seconds(1))
        cache.resize(maximumWeight: 500)
        #expect(cache.count == 1 && cache.peek(1) == 1)
        #expect(cache.statistics.evictions == 0 && cache.statistics.expirations == 1)
        cache.checkInvariants()
    }

    @Test(arguments: [0, -1, Int.min]) func noRoomKeepsPinnedEntriesOnly(weight: Int) {
        let cache = Cache<Int, Int>(maximumWeight: 100) { _, value in value }
        for key in 0..<10 { cache.insert(key % 2, forKey: key) }
        cache.resize(maximumWeight: weight)
        #expect(cache.maximumWeight == 0 && cache.count == 5 && cache.totalWeight == 0)
        cache.resize(maximumWeight: .max)
        cache.insert(.max, forKey: 100)
        #expect(cache.peek(100) == .max)
        cache.checkInvariants()
    }

    @Test func listenersHearWhatLeaves() {
        let heard = Counter()
        let cache = Cache<Int, Int>(
            configuration: .init(
                maximumWeight: 10,
                weigher: { _, _ in 1 },
                removalListener: { _, _, cause in if cause == .size { heard.increment() } }
            )
        )
        for key in 0..<10 { cache.insert(key, forKey: key) }
        cache.resize(maximumWeight: 4)
        #expect(heard.value == 6)
    }

    @Test func aCacheLimitedByCountHasNoLimitByWeight() {
        #expect(Cache<Int, Int>(maximumCount: 1_000_000).maximumWeight == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func limitsHoldInEveryProgram(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let cache = Cache<Int, Int>(maximumWeight: 1_000, maximumCount: seed.isMultiple(of: 2) ? nil : 150) { _, value in value }
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                let weight = Int.random(in: 0...3_000, using: &generator)
                cache.resize(maximumWeight: weight)
                #expect(cache.totalWeight <= weight, "seed \(seed)")
                cache.checkInvariants()
            case 1: cache.removeValue(forKey: Int.random(in: 0..<200, using: &generator))
            case 2..<5: _ = cache.value(forKey: Int.random(in: 0..<200, using: &generator))
            default:
                let (key, weight) = (Int.random(in: 0..<200, using: &generator), Int.random(in: 0..<40, using: &generator))
                cache.insert(weight, forKey: key)
                #expect(cache.peek(key) == weight || cache.peek(key) == nil, "seed \(seed)")
            }
        }
    }

    @Test func itEndsWhileOthersWrite() async {
        let cache = Cache<Int, Int>(maximumWeight: 100_000) { _, _ in 1 }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask { for key in 0..<50_000 { cache.insert(key, forKey: key * 4 + part) } }
            }
            group.addTask { for weight in 0..<200 { cache.resize(maximumWeight: 100_000 - weight * 400) } }
        }
        #expect(cache.maximumWeight == 20_400)
        #expect(cache.totalWeight <= 20_400)
        cache.checkInvariants()
    }

    // MARK: By count

    @Test(arguments: [(100, 250), (5_000, 20_000)])
    func moreRoomByCountIsUsedToTheLastEntry(before: Int, after: Int) {
        let cache = Cache<Int, Int>(maximumCount: before)
        for key in 0..<(before * 2) { cache.insert(key, forKey: key) }
        #expect(cache.count == before)
        let held = Set(cache.keys)
        cache.resize(maximumCount: after)
        #expect(cache.maximumCount == after && cache.configuration.maximumCount == before && Set(cache.keys) == held)
        for key in 0..<(after * 20) { cache.insert(key, forKey: -1 - key) }
        #expect(cache.count == after)
        cache.checkInvariants()
    }

    @Test(arguments: [(1_000, 10), (1_000, 999), (20_000, 6_000), (20_000, 19_999)])
    func lessRoomByCountKeepsTheHottest(before: Int, after: Int) {
        let cache = Cache<Int, Int>(maximumCount: before)
        for key in 0..<before { cache.insert(key, forKey: key) }
        let hot = 0..<(after / 2)
        for _ in 0..<3 { for key in hot { _ = cache.value(forKey: key) } }
        cache.resize(maximumCount: after)
        #expect(cache.count <= after && cache.count >= after * 99 / 100)
        #expect(hot.count { cache.peek($0) != nil } >= hot.count * 9 / 10)
        cache.checkInvariants()
        for key in 0..<(before * 20) { cache.insert(key, forKey: -1 - key) }
        #expect(cache.count == after)
        cache.checkInvariants()
    }

    @Test func cacheThatWasAsGoodAsUnlimitedKeepsItsLimit() {
        let cache = Cache<Int, Int>(maximumCount: .max)
        for key in 0..<10_000 { cache.insert(key, forKey: key) }
        cache.resize(maximumCount: 5_000)
        #expect(cache.count <= 5_000)
        for key in 0..<200_000 { cache.insert(key, forKey: -1 - key) }
        #expect(cache.count == 5_000)
        cache.checkInvariants()
    }

    @Test func pinnedEntriesStayThoughThereAreMoreThanTheLimit() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for key in 0..<60 { cache.insert(key, forKey: key, weight: key < 40 ? 0 : 1) }
        cache.resize(maximumCount: 10)
        #expect(cache.count == 40 && (0..<40).allSatisfy { cache.peek($0) != nil })
        cache.insert(1, forKey: -1)
        #expect(cache.peek(-1) == nil && cache.count == 40)
        cache.checkInvariants()
        cache.resize(maximumCount: -5)
        #expect(cache.maximumCount == 0 && cache.count == 40)
        cache.resize(maximumCount: .max)
        for key in 100..<400 { cache.insert(key, forKey: key) }
        #expect(cache.count == 340)
        cache.checkInvariants()
    }

    @Test func pinnedEntryThatIsWrittenAgainStaysThoughThereAreMoreThanTheLimit() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for key in 0..<40 { cache.insert(key, forKey: key, weight: 0) }
        cache.resize(maximumCount: 10)
        for key in 0..<40 { cache.update(forKey: key, weight: 0) { $0.map { $0 + 1 } } }
        #expect(cache.count == 40 && (0..<40).allSatisfy { cache.peek($0) == $0 + 1 })
        cache.insert(0, forKey: -1, weight: 0)
        #expect(!cache.contains(-1))
        cache.checkInvariants()
    }

    @Test(arguments: ["count", "weight", "fraction"]) func expiredEntriesLeaveBeforeLivingOnes(_ limit: String) {
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(configuration: .init(maximumCount: 1_000, maximumWeight: 1_000), ticker: ticker)
        for key in 0..<1_000 { cache.insert(key, forKey: key, expiresAfter: key < 300 ? nil : .seconds(1)) }
        ticker.advance(by: .seconds(2))
        switch limit {
        case "count": cache.resize(maximumCount: 300)
        case "weight": cache.resize(maximumWeight: 300)
        default: #expect(cache.trim(toFraction: 0.3) == 700)
        }
        #expect(cache.count == 300 && (0..<300).allSatisfy { cache.contains($0) })
        #expect(cache.statistics.evictions == 0)
        #expect(cache.statistics.expirations == 700)
        cache.checkInvariants()
    }

    @Test(arguments: 0..<12 as Range<UInt64>) func countsHoldInEveryProgram(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let isLarge = seed % 3 == 0
        let cache = Cache<Int, Int>(maximumCount: isLarge ? 4_096 : 50)
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: cache.resize(maximumCount: .random(in: 0...(isLarge ? 9_000 : 120), using: &generator))
            case 1: cache.removeValue(forKey: .random(in: 0..<20_000, using: &generator))
            default:
                for _ in 0..<(isLarge ? 1_000 : 20) {
                    let key = Int.random(in: 0..<20_000, using: &generator)
                    cache.insert(key, forKey: key)
                    if Int.random(in: 0..<3, using: &generator) == 0 { _ = cache.value(forKey: key) }
                }
            }
            #expect(cache.count <= cache.maximumCount ?? 0, "seed \(seed)")
        }
        cache.checkInvariants()
        // No part of the limit has been lost or doubled.
        cache.resize(maximumCount: 3_000)
        for key in 0..<100_000 { cache.insert(key, forKey: -1 - key) }
        #expect(cache.count == 3_000, "seed \(seed)")
    }

    @Test func lastOfSeveralLimitsCounts() async {
        let cache = Cache<Int, Int>(maximumCount: 10_000)
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<3 {
                group.addTask { for key in 0..<20_000 { cache.insert(key, forKey: key * 3 + part) } }
                group.addTask { for step in 0..<50 { cache.resize(maximumCount: 3_000 + (step * 977 + part * 331) % 9_000) } }
            }
        }
        cache.checkInvariants()
        #expect(cache.count <= cache.maximumCount ?? 0)
        cache.resize(maximumCount: 5_000)
        for key in 0..<100_000 { cache.insert(key, forKey: -1 - key) }
        #expect(cache.count == 5_000)
    }
}
