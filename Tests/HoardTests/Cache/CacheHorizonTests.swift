// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// Most reads do not look at the deadline: marks tell which entries are near their end. Only
/// reads move the marks while time passes.
@Suite struct CacheHorizonTests {
    /// A key that the cache does not hash itself, so that the test can also look it up by its hash value.
    private struct Key: Hashable, Sendable {
        let number: Int
    }

    private static func lifetime(_ generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: Int64.random(in: 1...5_000_000, using: &generator)
        case 1: Int64.random(in: 1...10_000_000_000, using: &generator)
        case 2: 1 << 32 &* Int64.random(in: 1...40, using: &generator)
        default: Int64.random(in: 1...300_000_000_000, using: &generator)
        }
    }

    @Test(arguments: UInt64(0)..<20) func readsAloneNeverFindAnExpiredValueAndMissNoOther(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let ticker = ManualTicker()
        ticker.advance(by: .nanoseconds(Int64.random(in: 0...(1 << 40), using: &generator)))
        let cache = Cache<Key, Int>(maximumCount: 2_000, ticker: ticker)
        var deadlines: [Key: Int64] = [:]
        for number in 0..<400 {
            let lifetime = Self.lifetime(&generator)
            let key = Key(number: number)
            cache.insert(number, forKey: key, expiresAfter: .nanoseconds(lifetime))
            deadlines[key] = ticker.nanoseconds() + lifetime
            if number % 50 == 0 { ticker.advance(by: .nanoseconds(Self.lifetime(&generator) / 20)) }
        }
        for step in 0..<60 {
            let now = ticker.nanoseconds()
            for (key, deadline) in deadlines {
                let expected = deadline > now ? key.number : nil
                switch (key.number + step) % 3 {
                case 0: #expect(cache.peek(key) == expected, "seed \(seed), step \(step)")
                case 1: #expect(cache.contains(key) == (expected != nil), "seed \(seed), step \(step)")
                default:
                    let isThere = cache.valueIfPresent(hashValue: key.hashValue) { $0 == key }
                    #expect(isThere == expected, "seed \(seed), step \(step)")
                    #expect(cache.value(forKey: key) == expected, "seed \(seed), step \(step)")
                }
            }
            cache.checkInvariants()
            ticker.advance(by: .nanoseconds(Self.lifetime(&generator) / 4))
        }
    }

    @Test func removingEverythingKeepsTheMarksRight() {
        let ticker = ManualTicker()
        let cache = Cache<Key, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        cache.insert(1, forKey: Key(number: 1))
        cache.removeAll()
        cache.insert(2, forKey: Key(number: 2))
        ticker.advance(by: .seconds(59))
        #expect(cache.value(forKey: Key(number: 2)) == 2)
        ticker.advance(by: .seconds(1))
        #expect(cache.value(forKey: Key(number: 2)) == nil)
        #expect(cache.statistics.expirations == 1)
    }
}
