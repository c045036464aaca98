// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// The counting rules of ``TieredCacheStatistics``, the reports to observers, and the origin of
/// a value that a ``Lookup`` names.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheStatisticsTests {
    private static let policy = CachePolicy(freshFor: .seconds(10)).with {
        $0.staleWhileRevalidate = .seconds(5)
        $0.staleIfError = .seconds(30)
        $0.staleFor = .seconds(60)
        $0.negativeFor = .seconds(4)
        $0.retryAfterFailure = .seconds(3)
        $0.earlyRefresh = .atFraction(0.8)
    }
    private let fixture = CachePolicyFixture(policy: policy)
    private var cache: TieredCache<String, Int> { fixture.cache }
    private var time: ManualTicker { fixture.time }

    @Test func hitsOfEveryReadingCallAreCountedOnce() async throws {
        await cache.insert(1, forKey: "a")
        _ = await cache.value(forKey: "a")
        _ = cache.memoryValue(forKey: "a")
        _ = await cache.lookup(forKey: "a")
        _ = try await cache.value(forKey: "a", load: fixture.load)
        _ = try await fixture.lookup()
        _ = try await fixture.lookup(policy: Self.policy)
        _ = try await cache.value(forKey: "a", policy: Self.policy, load: fixture.load)
        _ = try await cache.valueIfExists(forKey: "a") { _ in .absent() }
        _ = await cache.value(forKey: "a", policy: Self.policy)
        fixture.expectRequests([.hit: 9])
        #expect(cache.statistics.memoryHits == 9)
        #expect(cache.statistics.loads == 0)
    }

    @Test func missesOfEveryReadingCallAreCountedOnce() async throws {
        _ = await cache.value(forKey: "a")
        _ = cache.memoryValue(forKey: "a")
        _ = await cache.lookup(forKey: "a")
        _ = await cache.value(forKey: "a", policy: Self.policy)
        fixture.expectRequests([.miss: 4])
    }

    @Test func staleValueInMemoryIsAMissToWhoWantsAFreshOne() async throws {
        await cache.insert(1, forKey: "a")
        time.advance(by: .seconds(10))
        #expect(cache.memoryValue(forKey: "a") == nil)
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await cache.value(forKey: "a", policy: Self.policy) == nil)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
        fixture.expectRequests([.miss: 3, .stale: 1])
    }

    @Test func callersOfOneStoreReadAreOneHitEach() async throws {
        await cache.insert(1, forKey: "a")
        fixture.evict()
        let gate = fixture.store.hold(.record)
        let readers = (0..<10).map { _ in Task { await cache.lookup(forKey: "a") } }
        try await waitUntil { cache.storeReads.waiterCount(for: "a") == 10 }
        gate.open()
        var coalesced = 0
        for reader in readers {
            let found = try #require(await reader.value)
            #expect(found.tier == .store("store"))
            if found.isCoalesced { coalesced += 1 }
        }
        #expect(coalesced == 9)
        #expect(fixture.store.callCount(.record) == 1)
        #expect(cache.statistics.storeHits == 10)
        fixture.expectRequests([.hit: 10])
    }

    @Test func callersOfOneLoadAreOneMissEachAndOneLoad() async throws {
        let gate = fixture.origin.hold()
        let callers = (0..<10).map { _ in Task { try await fixture.lookup() } }
        try await waitUntil { cache.waiterCount(for: "a") == 10 }
        gate.open()
        var coalesced = 0
        for caller in callers { if try await caller.value.isCoalesced { coalesced += 1 } }
        #expect(coalesced == 9)
        fixture.expectRequests([.loaded: 10])
        #expect(cache.statistics.misses == 10)
        #expect(cache.statistics.loads == 1)
        #expect(fixture.observer.outcomes == [.value: 1])
    }

    @Test func loadThatIsCancelledIsAFailureInTheCountersAndCancelledToObservers() async throws {
        let gate = Gate()
        let caller = Task {
            try await cache.value(forKey: "a") { _ in
                await gate.pass()
                try Task.checkCancellation()
                return 1
            }
        }
        await gate.arrivals(1)
        caller.cancel()
        _ = await caller.result
        gate.open()
        try await fixture.settle()
        #expect(cache.statistics.loadFailures == 1)
        #expect(fixture.observer.outcomes == [.cancelled: 1])
        fixture.expectRequests([.failed: 1])
    }

    @Test func requestThatWaitsIsNoHitMeanwhile() async throws {
        await cache.insert(1, forKey: "a")
        time.advance(by: .seconds(50))
        let gate = fixture.origin.hold()
        let first = Task { try await cache.value(forKey: "a", load: fixture.load) }
        await gate.arrivals(1)
        let second = Task { try await cache.valueIfExists(forKey: "a") { _ in .value(1) } }
        try await waitUntil { cache.waiterCount(for: "a") == 2 }
        #expect(cache.statistics.memoryHits == 0)
        gate.open()
        #expect(try await first.value == 1)
        #expect(try await second.value == 1)
        fixture.expectRequests([.loaded: 2])
    }

    @Test func lookThatIsNoRequestIsNotCounted() async {
        await cache.insert(1, forKey: "a")
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        _ = await cache.explain("a")
        #expect(cache.statistics == TieredCacheStatistics())
        fixture.expectRequests([:])
    }

    @Test func statisticsAreEqualIfTheirPublicCountersAre() async throws {
        await cache.insert(1, forKey: "a")
        _ = await cache.lookup(forKey: "a")
        var expected = TieredCacheStatistics()
        expected.memoryHits = 1
        #expect(cache.statistics == expected)
        let copy = try JSONDecoder().decode(TieredCacheStatistics.self, from: JSONEncoder().encode(cache.statistics))
        #expect(copy == expected)
    }

    @Test func failureOfAStoreIsNoFailureOfTheRequest() async throws {
        fixture.store.fail()
        let found = try await fixture.lookup()
        #expect(found.value == 1)
        #expect(found.skippedStores.map(\.store) == ["store"])
        #expect(try await fixture.lookup().tier == .memory)
        fixture.expectRequests([.loaded: 1, .hit: 1])
        #expect(cache.statistics.storeFailures > 0)
    }

    @Test func lookupTellsWhereAValueComesFromAndHowOldItIs() async throws {
        _ = try await cache.lookup(forKey: "a", tags: ["t"], load: fixture.load)
        time.advance(by: .seconds(3))
        let inMemory = try await fixture.lookup()
        #expect(inMemory.tier == .memory)
        #expect(inMemory.isFresh && !inMemory.isCoalesced)
        #expect(inMemory.skippedStores.isEmpty)
        #expect(inMemory.age == .seconds(3))
        #expect(inMemory.tags == ["t"])
        fixture.evict()
        let inStore = try await fixture.lookup()
        #expect(inStore.tier == .store("store") && inStore.isFresh && inStore.tags == ["t"])
        #expect(inStore.age == .seconds(3))
        #expect(inStore.created == time.now().addingTimeInterval(-3))
        #expect(inStore.freshUntil == time.now().addingTimeInterval(7))
        #expect(inStore.staleReason == nil)
    }

    /// The cache counts each request once and tells the observer of it once, in all cases.
    @Test(arguments: 0..<20) func everyRequestIsCountedExactlyOnce(_ run: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var requests = 0
        let failing: @Sendable (String) async throws -> Int = { _ in throw TestError() }
        for _ in 0..<200 {
            let key = ["a", "b", "c"].randomElement(using: &generator)!
            let policy = [nil, Self.policy, Self.policy.with { $0.skipping = .memory }, Self.policy.with { $0.skipping = .storeReads }]
                .randomElement(using: &generator)!
            requests += 1
            switch Int.random(in: 0..<14, using: &generator) {
            case 0: _ = await cache.value(forKey: key, policy: policy)
            case 1: _ = cache.memoryValue(forKey: key)
            case 2: _ = await cache.lookup(forKey: key, policy: policy)
            // Each of these may join the load of a loader that fails.
            case 3: _ = try? await cache.value(forKey: key, policy: policy, load: fixture.load)
            case 4: _ = try? await fixture.lookup(key, policy: policy)
            case 5: _ = try? await cache.value(forKey: key, policy: policy, load: failing)
            case 6: _ = try? await cache.valueIfExists(forKey: key, policy: policy) { _ in .absent() }
            case 7: _ = try? await cache.valueIfExists(forKey: key, policy: policy) { _ in .notModified() }
            case 8:
                _ = try? await cache.values(forKeys: ["a", "b"], policy: policy) { keys in ["a": 1] }
                requests += 1
            case 9:
                _ = await cache.lookups(forKeys: ["b", "c"], policy: policy)
                requests += 1
            case let other:
                requests -= 1
                switch other {
                case 10: await cache.removeValue(forKey: key)
                case 11: await cache.markStale(forKey: key)
                case 12: fixture.evict()
                default: time.advance(by: .seconds(Int.random(in: 1...9, using: &generator)))
                }
            }
        }
        try await fixture.settle()
        let statistics = cache.statistics
        let counted = statistics.memoryHits + statistics.storeHits + statistics.staleHits + statistics.negativeHits + statistics.misses
        #expect(counted == requests, "seed \(seed)")
        let results = fixture.observer.results
        #expect(results.values.reduce(0, +) == requests, "seed \(seed)")
        #expect(results[.stale, default: 0] == statistics.staleHits, "seed \(seed)")
        #expect(results[.negative, default: 0] == statistics.negativeHits, "seed \(seed)")
        #expect(results[.hit, default: 0] == statistics.memoryHits + statistics.storeHits, "seed \(seed)")
        #expect(cache.fences.withLock { $0.count } == 0, "seed \(seed)")
    }

    // MARK: Lifetime

    @Test func cacheIsReleasedAfterUse() async throws {
        weak var released: TieredCache<String, Int>?
        do {
            let fixture = CachePolicyFixture(policy: Self.policy.with { ($0.softTimeout, $0.hardTimeout) = (.seconds(1), .seconds(20)) })
            released = fixture.cache
            // The cache has a timer that is not needed any more, a refresh, a remembered failure, a write
            // behind, and a reader of an old value.
            _ = try await fixture.lookup()
            fixture.time.advance(by: .seconds(10))
            _ = try await fixture.lookup()
            try await fixture.settle()
            fixture.origin.fail()
            fixture.time.advance(by: .seconds(20))
            _ = try await fixture.lookup()
            await fixture.cache.insert(5, forKey: "b", policy: Self.policy.with { $0.storeWriting = .behind })
            try await fixture.settle()
        }
        try await waitUntil { released == nil }
    }

    @Test func storeThatDoesNotSayItsStatisticsInTimeIsPassedBy() async throws {
        let fixture = TieredFixture()
        let gate = fixture.upper.hold(.statistics)
        defer { gate.open() }
        let isMissing = Shared<[Bool]>([])
        Task { [cache = fixture.cache] in
            let statistics = await cache.storeStatistics()
            isMissing.update { $0 = statistics.map { $0 == nil } }
        }
        await gate.arrivals(1)
        fixture.time.advance(by: .seconds(1))
        try await waitUntil { !isMissing.value.isEmpty }
        #expect(isMissing.value == [true, false])
    }

    @Test func cacheIsReleasedWhenTheLoadThatNobodyWaitsForHasEnded() async throws {
        let gate: Gate
        let time: ManualTicker
        weak var released: TieredCache<String, Int>?
        do {
            let fixture = CachePolicyFixture(policy: Self.policy.with { $0.hardTimeout = .seconds(20) })
            released = fixture.cache
            time = fixture.time
            gate = fixture.origin.hold()
            let caller = Task { try await fixture.lookup() }
            await gate.arrivals(1)
            await time.sleepers(1)
            time.advance(by: .seconds(20))
            #expect((await error { try await caller.value } as? CacheError)?.code == .timedOut)
        }
        gate.open()
        try await waitUntil { released == nil }
        #expect(time.sleeperCount == 0)
    }
}
