// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct WindowGenerationsTests {
    private static let tuning = EvictionPolicy.Tuning(windowShare: 1, keepsOrder: true)

    /// Entries come, are used, leave, and change over to another order and back.
    @Test(arguments: 0..<UInt64(40))
    func listAndGenerationsAgreeWhateverHappens(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...70, using: &generator)
        var fixture = PolicyFixture(maximumCount: capacity, tuning: seed % 2 == 0 ? Self.tuning : .init(windowShare: 0.5))
        defer { fixture.deallocate() }
        for step in 0..<3_000 {
            let key = Int.random(in: 0..<capacity * 2, using: &generator)
            switch Int.random(in: 0..<40, using: &generator) {
            case 0: fixture.remove(key)
            case 1: _ = fixture.evictColdest()
            case 2: fixture.insert(key)
            case 3 where step % 7 == 0: fixture.tune([Self.tuning, .init(windowShare: 0.5), .init(windowShare: 1)][step % 3])
            case 4 where step % 50 == 0: fixture.removeAll()
            default: _ = fixture.access(key)
            }
            fixture.checkInvariants()
        }
    }

    /// Each victim was used in the oldest generation, or in the next one while the oldest is being emptied.
    @Test(arguments: 0..<UInt64(10))
    func oneOfTheEntriesThatWereUsedLongestAgoLeaves(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = 160
        var fixture = PolicyFixture(maximumCount: capacity, tuning: Self.tuning)
        defer { fixture.deallocate() }
        var lastUses: [Int: Int] = [:]
        var worst = 0
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<3, using: &generator) == 0 ? step + 1_000 : Int.random(in: 0..<capacity, using: &generator)
            let before = lastUses
            if !fixture.access(key) {
                for evicted in before.keys where !fixture.contains(evicted) {
                    lastUses[evicted] = nil
                    // The number of keys in the cache that were used before the one that left.
                    if step > 2_000, let use = before[evicted] { worst = max(worst, before.values.count { $0 < use }) }
                }
            }
            lastUses[key] = step
        }
        #expect(worst < capacity * 3 / 8, "seed \(seed): \(worst) of \(capacity) keys had been used longer ago")
    }

    /// Every hit of an LRU cache with three quarters of the capacity is also a hit here, except for the first keys.
    @Test(arguments: 0..<UInt64(12))
    func holdsWhatLRUWithThreeQuartersOfTheCapacityHolds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = 400
        var shadow = ShadowCache(capacity: capacity, tuning: Self.tuning)
        defer { shadow.deallocate() }
        var smaller = LRUEngine<Int, Bool>(maximumCount: capacity * 3 / 4, maximumWeight: nil)
        var past: [Int] = []
        var (hits, smallerHits) = (0, 0)
        let (nearest, farthest) = (Double.random(in: 0.1...1, using: &generator), Double.random(in: 1...2, using: &generator))
        for step in 0..<40_000 {
            let distance = Int(Double.random(in: nearest...farthest, using: &generator) * Double(capacity))
            let isOld = Int.random(in: 0..<10, using: &generator) < 8 && distance < past.count
            let key = isOld ? past[past.count - distance] : step
            past.append(key)
            let wasThere = shadow.access(PolicyFixture.hash(key) & ~1)
            let wasInSmaller = smaller.value(forKey: key, now: 0).value != nil
            if !wasInSmaller { _ = smaller.insert(.init(value: true, weight: 1, deadline: .max), forKey: key) }
            guard step >= capacity * 10 else { continue }
            if wasThere { hits += 1 }
            if wasInSmaller { smallerHits += 1 }
        }
        shadow.checkInvariants()
        #expect(hits >= smallerHits, "seed \(seed), distances of \(nearest) to \(farthest) of the capacity: \(hits), not \(smallerHits)")
    }
}
