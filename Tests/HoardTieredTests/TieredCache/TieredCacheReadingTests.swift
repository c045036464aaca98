// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct TieredCacheReadingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    @Test func missEverywhereIsNil() async {
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(fixture.upper.callCount(.record) == 2)
        #expect(fixture.lower.callCount(.record) == 2)
        #expect(cache.statistics.misses == 2)
    }

    @Test func memoryIsAskedFirstThenTheStoresInOrder() async throws {
        try await fixture.put(2, forKey: "a", in: fixture.upperBase)
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase)
        let fromUpper = await cache.lookup(forKey: "a")
        #expect(fromUpper?.value == 2)
        #expect(fromUpper?.tier == .store("upper"))
        #expect(fixture.lower.callCount(.record) == 0)
        let fromMemory = await cache.lookup(forKey: "a")
        #expect(fromMemory?.value == 2)
        #expect(fromMemory?.tier == .memory)
        #expect(fixture.upper.callCount(.record) == 1)
        #expect(cache.statistics.storeHits == 1)
        #expect(cache.statistics.memoryHits == 1)
    }

    @Test func hitInALowerStoreIsCopiedToTheTiersAbove() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(50))
        #expect(await cache.lookup(forKey: "a")?.tier == .store("lower"))
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 3)
        #expect(await cache.lookup(forKey: "a")?.tier == .memory)
        fixture.evict()
        #expect(await cache.lookup(forKey: "a")?.tier == .store("upper"))
    }

    @Test func copyKeepsItsDatesAndHasOnlyTheLifetimeThatIsLeft() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase, age: .seconds(40), freshFor: .seconds(20), keptFor: .seconds(20))
        let created = fixture.time.now().addingTimeInterval(-40)
        let freshUntil = fixture.time.now().addingTimeInterval(20)
        fixture.time.advance(by: .seconds(15))
        #expect(await cache.value(forKey: "a") == 3)
        await cache.flush()
        let inUpper = try await fixture.upperBase.record(forKey: "a")
        #expect(inUpper?.created == created)
        #expect(inUpper?.freshUntil == freshUntil)
        #expect(inUpper?.staleUntil == freshUntil)
        fixture.time.advance(by: .milliseconds(4_999))
        let inMemory = await cache.lookup(forKey: "a")
        #expect(inMemory?.tier == .memory)
        #expect(inMemory?.created == created)
        #expect(inMemory?.freshUntil == freshUntil)
        fixture.time.advance(by: .milliseconds(1))
        #expect(await cache.lookup(forKey: "a")?.value == nil)
    }

    @Test func recordThatHasExpiredIsAMiss() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(10), keptFor: .seconds(10))
        fixture.time.advance(by: .seconds(10))
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(cache.memory.count == 0)
    }

    @Test func staleRecordIsSeenByLookupOnly() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(10), keptFor: .seconds(100))
        fixture.time.advance(by: .seconds(10))
        #expect(await cache.value(forKey: "a") == nil)
        let found = await cache.lookup(forKey: "a")
        #expect(found?.value == 3)
        #expect(found?.isFresh == false)
        #expect(cache.statistics.staleHits == 1)
        #expect(cache.statistics.misses == 1)
    }

    @Test func staleRecordIsCopiedUpwardsWithTheLifetimeThatIsLeft() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(10), keptFor: .seconds(100))
        fixture.time.advance(by: .seconds(20))
        #expect(await cache.lookup(forKey: "a")?.tier == .store("lower"))
        #expect(await cache.lookup(forKey: "a")?.tier == .memory)
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 3)
        fixture.time.advance(by: .seconds(79))
        #expect(await cache.lookup(forKey: "a")?.isFresh == false)
        fixture.time.advance(by: .seconds(1))
        #expect(await cache.lookup(forKey: "a")?.value == nil)
    }

    @Test func freshRecordInAStoreBeatsAStaleValueInMemory() async throws {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(10), staleFor: .seconds(1_000)))
        fixture.time.advance(by: .seconds(10))
        // Another process has written in the meantime.
        try await fixture.put(2, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(60))
        let found = await cache.lookup(forKey: "a")
        #expect(found?.value == 2)
        #expect(found?.isFresh == true)
        #expect(found?.tier == .store("lower"))
        #expect(await cache.lookup(forKey: "a")?.tier == .memory)
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 2)
    }

    @Test func freshRecordBelowBeatsAStaleOneAbove() async throws {
        try await fixture.put(1, forKey: "a", in: fixture.upperBase, age: .seconds(50), freshFor: .zero, keptFor: .seconds(100))
        try await fixture.put(2, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(60))
        #expect(await cache.value(forKey: "a") == 2)
        await cache.flush()
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 2)
    }

    @Test func newestOfSeveralStaleRecordsIsReturned() async throws {
        try await fixture.put(1, forKey: "a", in: fixture.upperBase, age: .seconds(50), freshFor: .zero, keptFor: .seconds(100))
        try await fixture.put(2, forKey: "a", in: fixture.lowerBase, age: .seconds(20), freshFor: .zero, keptFor: .seconds(100))
        let found = await cache.lookup(forKey: "a")
        #expect(found?.value == 2)
        #expect(found?.isFresh == false)
    }

    @Test func staleValueInMemoryIsReturnedWhenTheStoresHaveNothingFresher() async {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(10), staleFor: .seconds(1_000)))
        fixture.time.advance(by: .seconds(10))
        let found = await cache.lookup(forKey: "a")
        #expect(found?.value == 1)
        #expect(found?.tier == .memory)
        #expect(found?.isFresh == false)
    }

    @Test func olderRecordDoesNotReplaceAYoungerStaleValueInMemory() async throws {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(10), staleFor: .seconds(1_000)))
        fixture.time.advance(by: .seconds(10))
        try await fixture.put(2, forKey: "a", in: fixture.upperBase, age: .seconds(100), freshFor: .zero, keptFor: .seconds(100))
        #expect(await cache.lookup(forKey: "a")?.value == 1)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
    }

    @Test func manyCallersShareOneReadOfTheStores() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase)
        let gate = fixture.lower.hold(.record)
        let lookups = await withTaskGroup(of: Lookup<Int>?.self) { group in
            for _ in 0..<10 { group.addTask { await cache.lookup(forKey: "a") } }
            await gate.arrivals(1)
            try? await waitUntil { cache.storeReads.waiterCount(for: "a") == 10 }
            gate.open()
            return await group.reduce(into: [Lookup<Int>?]()) { $0.append($1) }
        }
        #expect(lookups.count == 10)
        #expect(lookups.allSatisfy { $0?.value == 3 })
        #expect(lookups.count { $0?.isCoalesced == true } == 9)
        #expect(fixture.upper.callCount(.record) == 1)
        #expect(fixture.lower.callCount(.record) == 1)
        #expect(cache.statistics.storeHits == 10)
    }

    @Test func cancelledCallerGetsNilAndTheOthersTheValue() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase)
        let gate = fixture.lower.hold(.record)
        let cancelled = Task { await cache.value(forKey: "a") }
        await gate.arrivals(1)
        let other = Task { await cache.value(forKey: "a") }
        try await waitUntil { cache.storeReads.waiterCount(for: "a") == 2 }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        gate.open()
        #expect(await other.value == 3)
    }

    @Test func cacheWithoutStoresIsAMemoryCache() async throws {
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 2, policy: .lasting(.seconds(10), staleFor: .seconds(10))),
            stores: [],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        await cache.insert(1, forKey: "a")
        #expect(await cache.value(forKey: "a") == 1)
        fixture.time.advance(by: .seconds(10))
        #expect(await cache.lookup(forKey: "a")?.isFresh == false)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        await cache.removeValue(forKey: "a")
        #expect(await cache.lookup(forKey: "a")?.value == nil)
    }

    @Test func lookupCarriesTheValidator() async {
        await cache.insert(1, forKey: "a", validator: "\"v1\"")
        #expect(await cache.lookup(forKey: "a")?.validator == "\"v1\"")
        fixture.evict()
        #expect(await cache.lookup(forKey: "a")?.validator == "\"v1\"")
    }

    @Test func validatorThatIsInTheValueIsInItsRecordAndNotKeptBesideIt() async throws {
        var codec = Codec<Int>.json
        codec.validator = { "v\($0)" }
        let fixture = TieredFixture(codec: codec)
        await fixture.cache.insert(7, forKey: "a")
        #expect(await fixture.cache.lookup(forKey: "a")?.validator == nil)
        #expect(try await fixture.upperBase.record(forKey: "a")?.validator == "v7")
        fixture.evict()
        let found = await fixture.cache.lookup(forKey: "a")
        #expect(found?.tier == .store("upper"))
        #expect(found?.value == 7 && found?.validator == nil)
    }

    @Test func wallClockThatJumpsDoesNotChangeTheAgeOfWhatIsInMemory() async {
        await cache.insert(1, forKey: "a")
        fixture.time.setWallClock(to: .distantFuture)
        #expect(await cache.lookup(forKey: "a")?.tier == .memory)
        #expect(await cache.lookup(forKey: "a")?.isFresh == true)
        fixture.time.setWallClock(to: .distantPast)
        fixture.time.advance(by: .seconds(60))
        #expect(cache.memoryLookup(forKey: "a")?.value == nil)
    }

    @Test func readDoesNotRenewTheLifetime() async {
        await cache.insert(1, forKey: "a")
        for _ in 0..<6 {
            #expect(await cache.value(forKey: "a") == 1)
            fixture.time.advance(by: .seconds(10))
        }
        #expect(await cache.value(forKey: "a") == nil)
    }
}
