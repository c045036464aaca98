// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheExpirationTests {
    private let ticker = ManualTicker()

    @Test func entryIsAMissOnceItsTimeToLiveHasPassed() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        cache.insert(1, forKey: "a")
        ticker.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(cache.value(forKey: "a") == 1)
        #expect(cache.peek("a") == 1)
        ticker.advance(by: .nanoseconds(1))
        #expect(cache.peek("a") == nil)
        #expect(!cache.contains("a"))
        #expect(cache["a"] == nil)
        #expect(cache.value(forKey: "a") == nil)
    }

    @Test func readingDoesNotExtendTheTimeToLive() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        cache.insert(1, forKey: "a")
        for _ in 0..<5 {
            ticker.advance(by: .seconds(10))
            #expect(cache.value(forKey: "a") == 1)
        }
        ticker.advance(by: .seconds(10))
        #expect(cache.value(forKey: "a") == nil)
    }

    @Test func writingAgainStartsANewTimeToLive() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        cache.insert(1, forKey: "a")
        ticker.advance(by: .seconds(59))
        cache.insert(2, forKey: "a")
        ticker.advance(by: .seconds(59))
        #expect(cache.value(forKey: "a") == 2)
    }

    @Test func entrysOwnTimeGoesBeforeTheCachesTime() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        cache.insert(1, forKey: "short", expiresAfter: .seconds(1))
        cache.insert(2, forKey: "long", expiresAfter: .seconds(1_000))
        ticker.advance(by: .seconds(1))
        #expect(cache.value(forKey: "short") == nil)
        ticker.advance(by: .seconds(900))
        #expect(cache.value(forKey: "long") == 2)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
    func valueThatExpiresAtOnceIsNotKeptAndItsOlderValueGoes(_ duration: Duration) {
        let cache = Cache<String, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "a", expiresAfter: duration)
        #expect(cache.value(forKey: "a") == nil)
        #expect(cache.count == 0)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func cacheWhoseEntriesExpireAtOnceKeepsNothing() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.zero), ticker: ticker)
        cache.insert(1, forKey: "a")
        #expect(cache.value(forKey: "a") == nil)
        cache.insert(2, forKey: "a", expiresAfter: .seconds(1))
        #expect(cache.value(forKey: "a") == 2)
    }

    @Test func farthestTimesToLiveDoNotOverflow() {
        let lateTicker = ManualTicker(nanoseconds: .max - 10)
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(Int64.max)), ticker: lateTicker)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b", expiresAfter: .seconds(60))
        lateTicker.advance(by: .nanoseconds(5))
        #expect(cache.value(forKey: "a") == 1)
        #expect(cache.value(forKey: "b") == 2)
    }

    @Test func whileTheClockStandsStillNothingExpires() {
        let cache = Cache<Int, Int>(maximumCount: 100, expiration: .afterWrite(.nanoseconds(1)), ticker: ticker)
        for number in 0..<100 { cache.insert(number, forKey: number) }
        #expect((0..<100).allSatisfy { cache.value(forKey: $0) == $0 })
        ticker.advance(by: .nanoseconds(1))
        #expect((0..<100).allSatisfy { cache.value(forKey: $0) == nil })
        #expect(cache.statistics.expirations == 100)
    }

    @Test func whenTheClockJumpsFarAllThatCanExpireHasExpired() {
        let cache = Cache<String, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(1, forKey: "year", expiresAfter: .seconds(365 * 24 * 3_600))
        ticker.advance(by: .seconds(Int64.max))
        #expect(ticker.nanoseconds() == .max)
        #expect(cache.value(forKey: "year") == nil)
    }

    @Test func theWallClockDoesNotMatter() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        cache.insert(1, forKey: "a")
        ticker.setWallClock(to: .distantFuture)
        #expect(cache.value(forKey: "a") == 1)
        ticker.setWallClock(to: .distantPast)
        ticker.advance(by: .seconds(60))
        #expect(cache.value(forKey: "a") == nil)
    }

    @Test func expiredEntriesCountUntilTheyAreReclaimed() {
        let cache = Cache<Int, Int>(maximumWeight: 100, expiration: .afterWrite(.seconds(1)), ticker: ticker) { _, _ in 5 }
        for number in 0..<10 { cache.insert(number, forKey: number, expiresAfter: .seconds(number + 1)) }
        ticker.advance(by: .seconds(4))
        #expect(cache.count == 10)
        #expect(cache.totalWeight == 50)
        cache.removeExpired()
        #expect(cache.count == 6)
        #expect(cache.totalWeight == 30)
        #expect(cache.statistics.expirations == 4)
        #expect((4..<10).allSatisfy { cache.contains($0) })
    }

    @Test func entryThatExpiredIsCountedOnce() {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(1)), ticker: ticker)
        cache.insert(1, forKey: "a")
        ticker.advance(by: .seconds(2))
        _ = cache.value(forKey: "a")
        _ = cache.value(forKey: "a")
        cache.removeExpired()
        #expect(cache.statistics.expirations == 1)
        #expect(cache.statistics.misses == 2)
    }

    @Test func loadedValuesExpireLikeWrittenOnes() async throws {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        let loads = Counter()
        for _ in 0..<3 {
            _ = try await cache.value(forKey: "a") { _ in loads.increment() }
            ticker.advance(by: .seconds(30))
        }
        #expect(loads.value == 2)
    }
}

@Suite struct ExpirationTests {
    @Test func equalDurationsMakeEqualExpirations() {
        #expect(Expiration.afterWrite(.seconds(1)) == .afterWrite(.milliseconds(1_000)))
        #expect(Expiration.afterWrite(.seconds(1)) != .afterWrite(.seconds(2)))
        #expect(Expiration.never != .afterWrite(.seconds(1)))
    }
}
