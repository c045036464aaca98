// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(2))) struct CacheResizingTests {
    @Test func moreRoomLosesNothingAndIsUsed() {
        let cache = Cache<Int, Int>(maximumWeight: 100) { _, value in value }
        for key in 0..<10 { cache.insert(10, forKey: key) }
        cache.setMaximumWeight(200)
        #expect(cache.maximumWeight == 200 && cache.configuration.maximumWeight == 100)
        #expect(cache.count == 10 && cache.statistics.evictions == 0)
        for key in 10..<20 { cache.insert(10, forKey: key) }
        #expect(cache.count == 20 && cache.totalWeight == 200)
        cache.checkInvariants()
    }

    @Test func lessRoomEvictsAsFewAsItTakes() {
        let cache = Cache<Int, Int>(maximumWeight: 100_000) { _, value in value }
        for key in 0..<10_000 { cache.insert(10, forKey: key) }
        cache.setMaximumWeight(12_345)
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
        cache.setMaximumWeight(500)
        #expect(cache.peek(0) == nil && cache.count == 40 && cache.statistics.evictions == 1)
        cache.checkInvariants()
    }

    @Test(arguments: [0, -1, Int.min]) func noRoomKeepsPinnedEntriesOnly(weight: Int) {
        let cache = Cache<Int, Int>(maximumWeight: 100) { _, value in value }
        for key in 0..<10 { cache.insert(key % 2, forKey: key) }
        cache.setMaximumWeight(weight)
        #expect(cache.maximumWeight == 0 && cache.count == 5 && cache.totalWeight == 0)
        cache.setMaximumWeight(.max)
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
        cache.setMaximumWeight(4)
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
                cache.setMaximumWeight(weight)
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
            group.addTask { for weight in 0..<200 { cache.setMaximumWeight(100_000 - weight * 400) } }
        }
        #expect(cache.maximumWeight == 20_400)
        #expect(cache.totalWeight <= 20_400)
        cache.checkInvariants()
    }
}
