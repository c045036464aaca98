// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheIdleExpirationTests {
    private let ticker = ManualTicker()
    private let cache: Cache<String, Int>

    init() {
        cache = Cache(maximumCount: 100, expiration: .afterAccess(.seconds(10)), ticker: ticker)
    }

    @Test func readingPutsTheEndOff() {
        cache.insert(1, forKey: "a")
        for _ in 0..<5 {
            ticker.advance(by: .seconds(10) - .nanoseconds(1))
            #expect(cache.value(forKey: "a") == 1)
            cache.checkInvariants()
        }
        ticker.advance(by: .seconds(10))
        #expect(cache.value(forKey: "a") == nil)
        #expect(cache.statistics.expirations == 1)
    }

    @Test func peekingDoesNot() {
        cache.insert(1, forKey: "a")
        ticker.advance(by: .seconds(9))
        #expect(cache.peek("a") == 1)
        #expect(cache.contains("a"))
        _ = cache.explain("a")
        _ = cache.snapshot()
        ticker.advance(by: .seconds(1))
        #expect(cache.peek("a") == nil)
    }

    @Test func sweepTakesOnlyWhatWasNotRead() {
        for key in 0..<50 { cache.insert(key, forKey: "\(key)") }
        ticker.advance(by: .seconds(6))
        for key in 0..<20 { _ = cache.value(forKey: "\(key)") }
        ticker.advance(by: .seconds(4))
        cache.removeExpired()
        #expect(cache.count == 20)
        cache.checkInvariants()
        ticker.advance(by: .seconds(6) - .nanoseconds(1))
        cache.removeExpired()
        #expect(cache.count == 20)
        ticker.advance(by: .nanoseconds(1))
        cache.removeExpired()
        #expect(cache.count == 0)
    }

    @Test func ownTimeIsPutOffByReadsOnlyIfThatGivesLonger() {
        cache.insert(1, forKey: "short", expiresAfter: .seconds(2))
        cache.insert(2, forKey: "long", expiresAfter: .seconds(100))
        ticker.advance(by: .seconds(1))
        #expect(cache.value(forKey: "short") == 1)
        #expect(cache.value(forKey: "long") == 2)
        #expect(cache.explain("short").entry?.timeLeft == .seconds(10))
        #expect(cache.explain("long").entry?.timeLeft == .seconds(99))
    }

    @Test func negativeEntriesAreNotKeptLongerThanTheirTimeUnlessRead() async throws {
        _ = try await cache.valueIfExists(forKey: "a") { _ in .absent(expiresAfter: .seconds(3)) }
        ticker.advance(by: .seconds(3))
        #expect(cache.explain("a").entry?.isExpired == true)
        cache.removeExpired()
        #expect(cache.count == 0)
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func withoutTimeNothingIsKept(_ duration: Duration) {
        let cache = Cache<Int, Int>(maximumCount: 10, expiration: .afterAccess(duration), ticker: ticker)
        cache.insert(1, forKey: 1)
        #expect(cache.count == 0)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func farthestTimeDoesNotOverflow() {
        let late = ManualTicker(nanoseconds: .max - 5)
        let cache = Cache<Int, Int>(maximumCount: 10, expiration: .afterAccess(.seconds(10)), ticker: late)
        cache.insert(1, forKey: 1)
        late.advance(by: .nanoseconds(3))
        #expect(cache.value(forKey: 1) == 1)
        late.advance(by: .seconds(1))
        #expect(cache.value(forKey: 1) == 1, "the end of time is never reached")
        cache.removeExpired()
        cache.checkInvariants()
    }
}

/// Times in caches without a rule of their own, and clocks that behave strangely.
@Suite struct CacheTimeTests {
    private let ticker = ManualTicker()

    @Test func firstEntryWithATimeMakesTheCacheLookAtTheClock() {
        let cache = Cache<Int, Int>(maximumCount: 5_000, ticker: ticker)
        for key in 0..<2_000 { cache.insert(key, forKey: key) }
        ticker.advance(by: .seconds(5))
        cache.insert(-1, forKey: 7, expiresAfter: .nanoseconds(1))
        cache.insert(-2, forKey: 10_000, expiresAfter: .seconds(1))
        cache.checkInvariants()
        ticker.advance(by: .nanoseconds(1))
        #expect(cache.peek(7) == nil)
        #expect(cache.peek(10_000) == -2)
        ticker.advance(by: .seconds(Int64.max))
        cache.removeExpired()
        #expect(cache.count == 1_999)
        #expect((0..<2_000).allSatisfy { cache.contains($0) == ($0 != 7) })
        cache.checkInvariants()
    }

    @Test func laterValueWithoutATimeNeverExpires() {
        let cache = Cache<Int, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(1, forKey: 1, expiresAfter: .seconds(1))
        cache.insert(2, forKey: 1)
        ticker.advance(by: .seconds(100))
        cache.removeExpired()
        #expect(cache.value(forKey: 1) == 2)
        cache.checkInvariants()
    }

    @Test func removingExpiredEntriesIsExactToTheNanosecond() {
        let cache = Cache<Int, Int>(maximumCount: 1_000, ticker: ticker)
        for key in 1...300 { cache.insert(key, forKey: key, expiresAfter: .nanoseconds(key)) }
        for elapsed in 1...300 {
            ticker.advance(by: .nanoseconds(1))
            cache.removeExpired()
            #expect(cache.count == 300 - elapsed)
            #expect(!cache.contains(elapsed))
        }
    }

    @Test(arguments: 0..<6)
    func sweepsFollowTheDeadlinesHoweverFarApartTheyAre(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let ticker = ManualTicker(nanoseconds: [0, 1, -1_000_000_007, .max / 2, .min / 2, 1 << 42][seed])
        let cache = Cache<Int, Int>(maximumCount: 10_000, ticker: ticker)
        var deadlines: [Int: Int64] = [:]
        for key in 0..<400 {
            let time = Int64(1) << Int64.random(in: 0...61, using: &generator) + .random(in: 0...3, using: &generator)
            deadlines[key] = ticker.nanoseconds() + time
            cache.insert(key, forKey: key, expiresAfter: .nanoseconds(time))
        }
        while let next = deadlines.values.min() {
            // The clock stops sometimes just short of the deadline, and sometimes beyond it.
            let step = max(0, next - ticker.nanoseconds() + .random(in: -1...1_000, using: &generator))
            ticker.advance(by: .nanoseconds(step))
            cache.removeExpired()
            deadlines = deadlines.filter { $0.value > ticker.nanoseconds() }
            #expect(cache.count == deadlines.count, "seed \(seed)")
            guard cache.count == deadlines.count else { return }
        }
        cache.checkInvariants()
    }

    @Test func deadlinesNextToNowAreKeptApart() {
        let cache = Cache<Int, Int>(maximumCount: 10, ticker: ticker)
        ticker.advance(by: .nanoseconds(1 << 20 - 1))
        for nanoseconds in 0...3 { cache.insert(nanoseconds, forKey: nanoseconds, expiresAfter: .nanoseconds(nanoseconds)) }
        #expect((0...3).map { cache.contains($0) } == [false, true, true, true])
        ticker.advance(by: .nanoseconds(1))
        cache.removeExpired()
        #expect((0...3).map { cache.contains($0) } == [false, false, true, true])
        ticker.advance(by: .nanoseconds(1))
        #expect((0...3).map { cache.value(forKey: $0) != nil } == [false, false, false, true])
        cache.checkInvariants()
    }

    @Test func writesReclaimSomeExpiredEntriesOnTheWay() {
        let cache = Cache<Int, Int>(maximumCount: 1_000, ticker: ticker)
        for key in 0..<500 { cache.insert(key, forKey: key, expiresAfter: .seconds(1)) }
        ticker.advance(by: .seconds(2))
        for key in 1_000..<1_050 { cache.insert(key, forKey: key) }
        #expect(cache.count == 50)
        #expect(cache.statistics.expirations == 500)
        #expect(cache.statistics.evictions == 0)
    }

    @Test func expiredEntriesDoNotLetLivingOnesBeEvicted() {
        let cache = Cache<Int, Int>(maximumCount: 100, ticker: ticker)
        for key in 0..<50 { cache.insert(key, forKey: key, expiresAfter: .seconds(1)) }
        for key in 50..<100 { cache.insert(key, forKey: key) }
        ticker.advance(by: .seconds(1))
        for key in 100..<150 { cache.insert(key, forKey: key) }
        #expect(cache.statistics.evictions == 0)
        #expect((50..<150).allSatisfy { cache.contains($0) })
    }

    @Test func clockAtItsEndStillWorks() {
        let late = ManualTicker(nanoseconds: .max)
        let cache = Cache<Int, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(1)), ticker: late)
        cache.insert(1, forKey: 1)
        cache.insert(2, forKey: 2, expiresAfter: .zero)
        cache.removeExpired()
        #expect(cache.value(forKey: 1) == 1)
        #expect(cache.count == 1)
        cache.checkInvariants()
    }

    /// The cache reads the system's clock coarsely. Near a deadline it looks at the exact time.
    @Test func systemClockIsExactWhereItMatters() {
        let cache = Cache<Int, Int>(maximumCount: 1_000, expiration: .afterAccess(.seconds(3_600)))
        cache.insert(1, forKey: 1)
        #expect(cache.value(forKey: 1) == 1)
        for key in 2..<200 {
            cache.insert(key, forKey: key, expiresAfter: .nanoseconds(1))
            let end = MonotonicTicker().nanoseconds() + 2
            while MonotonicTicker().nanoseconds() < end {}
            #expect(cache.value(forKey: key) == nil)
        }
        #expect(cache.statistics.expirations == 198)
        cache.checkInvariants()
    }
}
