// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheExplanationTests {
    private let ticker = ManualTicker()

    @Test func keyThatWasNeverThereIsUnknown() {
        let cache = Cache<String, Int>(maximumCount: 10)
        let explanation = cache.explain("a")
        #expect(explanation.entry == nil)
        #expect(explanation.removalCause == nil)
        #expect(explanation.estimatedFrequency == 0)
        #expect(!explanation.isLoading)
        #expect(explanation.description == "absent, not seen leaving lately, seen about 0 times lately")
    }

    @Test func entryIsDescribed() throws {
        let cache = Cache<String, Int>(maximumWeight: 100, expiration: .afterWrite(.seconds(60)), ticker: ticker) { _, value in value }
        cache.insert(7, forKey: "a", tags: ["t", "u"])
        ticker.advance(by: .seconds(20))
        _ = cache.value(forKey: "a")
        _ = cache.value(forKey: "a")
        let entry = try #require(cache.explain("a").entry)
        #expect(!entry.isNegative)
        #expect(!entry.isExpired)
        #expect(entry.age == .seconds(20))
        #expect(entry.timeLeft == .seconds(40))
        #expect(entry.weight == 7)
        #expect(entry.segment == .window || entry.segment == .main)
        #expect(entry.recentUses == 2)
        #expect(entry.tags == ["t", "u"])
        #expect(cache.explain("a").description.hasPrefix("present, in \(entry.segment), age 20.0 seconds, expires in 40.0 seconds, weight 7, 2 tags"))
    }

    @Test func explainingIsNoUse() {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a")
        let statistics = cache.statistics
        for _ in 0..<5 { _ = cache.explain("a") }
        #expect(cache.explain("a").entry?.recentUses == 0)
        #expect(cache.statistics == statistics)
    }

    @Test func cacheWithoutTimesKnowsNone() throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a", weight: 5)
        let entry = try #require(cache.explain("a").entry)
        #expect(entry.age == nil)
        #expect(entry.timeLeft == nil)
        #expect(entry.weight == 1)
    }

    @Test func expiredEntryIsStillSeenUntilItIsReclaimed() throws {
        let cache = Cache<String, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(1, forKey: "a", expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(3))
        let entry = try #require(cache.explain("a").entry)
        #expect(entry.isExpired)
        #expect(entry.timeLeft == .zero)
        #expect(cache.explain("a").description.hasPrefix("expired"))
        cache.removeExpired()
        #expect(cache.explain("a").entry == nil)
        #expect(cache.explain("a").removalCause == .expired)
    }

    @Test func pinnedAndNegativeEntriesAreNamed() async throws {
        let cache = Cache<String, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(1, forKey: "pinned", weight: 0)
        let pinned = try #require(cache.explain("pinned").entry)
        #expect(pinned.segment == .pinned)
        #expect(pinned.weight == 0)
        _ = try await cache.valueIfExists(forKey: "absent") { _ in .absent(expiresAfter: .seconds(5)) }
        let absent = try #require(cache.explain("absent").entry)
        #expect(absent.isNegative)
        #expect(absent.timeLeft == .seconds(5))
        #expect(cache.explain("absent").description.hasPrefix("present: known not to exist"))
    }

    @Test func causeOfTheLastDepartureIsRemembered() {
        let cache = Cache<String, Int>(maximumCount: 1, ticker: ticker)
        cache.insert(1, forKey: "a")
        cache.removeValue(forKey: "a")
        #expect(cache.explain("a").removalCause == .explicit)
        cache.insert(1, forKey: "a")
        #expect(cache.explain("a").removalCause == nil, "there is an entry again")
        cache.insert(2, forKey: "b")
        #expect(cache.explain("a").removalCause == .size)
        cache.insert(3, forKey: "b", expiresAfter: .zero)
        #expect(cache.explain("b").removalCause == .replaced)
        cache.insert(4, forKey: "c", expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        _ = cache.value(forKey: "c")
        #expect(cache.explain("c").removalCause == .expired)
        #expect(cache.explain("c").description.hasPrefix("absent, left because: expired"))
    }

    @Test func removalOfAllForgetsWhyKeysLeftBefore() {
        let cache = Cache<String, Int>(maximumCount: 1)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        cache.insert(3, forKey: "a")
        cache.removeAll()
        #expect(cache.explain("a").removalCause != .size, "it has been there again")
        #expect(cache.explain("a").entry == nil)
    }

    @Test func loadUnderWayIsSeen() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        let gate = Gate()
        async let value = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        #expect(cache.explain("a").isLoading)
        #expect(cache.explain("a").description.hasSuffix("being loaded"))
        #expect(!cache.explain("b").isLoading)
        gate.open()
        _ = try await value
        try await waitUntil { !cache.explain("a").isLoading }
    }

    @Test func keysThatComeOftenHaveAHigherFrequency() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for round in 0..<8 {
            cache.insert(round, forKey: 1)
            cache.removeValue(forKey: 1)
        }
        cache.insert(0, forKey: 2)
        #expect(cache.explain(1).estimatedFrequency > cache.explain(2).estimatedFrequency)
        #expect(cache.explain(1).estimatedFrequency <= 15)
    }

    @Test func descriptionHoldsNoKeyAndNoValue() {
        let cache = Cache<String, String>(maximumCount: 10)
        cache.insert("secret value", forKey: "secret key", tags: ["secret tag"])
        #expect(!cache.explain("secret key").description.contains("secret"))
    }
}
