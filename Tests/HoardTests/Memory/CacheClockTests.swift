// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheClockTests {
    @Test func coarseClockIsBehindTheExactOneByItsLagAtMost() {
        let clock = CacheClock(MonotonicTicker())
        #expect(clock.lag == MonotonicTicker.coarseLag)
        for _ in 0..<1_000 {
            let before = clock.now()
            let coarse = clock.coarse()
            let after = clock.now()
            #expect(coarse <= after && coarse > before - clock.lag)
        }
    }

    @Test func monotonicTickerNeverGoesBack() {
        var last = Int64.min
        for _ in 0..<1_000 {
            let now = MonotonicTicker().nanoseconds()
            #expect(now >= last)
            last = now
        }
    }

    @Test func tickerOfTheUsersIsExact() {
        let ticker = ManualTicker(nanoseconds: -5)
        let clock = CacheClock(ticker)
        #expect(clock.lag == 0)
        #expect(clock.now() == -5)
        #expect(clock.coarse() == -5)
        ticker.advance(by: .seconds(1))
        #expect(clock.now() == 999_999_995)
        #expect(clock.coarse() == 999_999_995)
    }

    @Test func deadlinesNeverOverflow() {
        #expect(CacheClock.deadline(5, after: 10) == 15)
        #expect(CacheClock.deadline(5, after: -10) == -5)
        #expect(CacheClock.deadline(1, after: .max) == .max)
        #expect(CacheClock.deadline(.max - 1, after: 2) == .max)
        #expect(CacheClock.deadline(.max - 1, after: 0) == .max - 1)
        #expect(CacheClock.deadline(.max, after: .min) == .max, "the greatest lifetime is endless")
        #expect(CacheClock.deadline(.max - 1, after: .min) == -2)
        for now in [Int64.min, -1, 0, 1, .max] {
            #expect(CacheClock.deadline(0, after: now) == .min)
            #expect(CacheClock.deadline(-1, after: now) == .min)
            #expect(CacheClock.deadline(.min, after: now) == .min)
        }
    }
}
