// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Marking as stale. The value is kept, the next reader loads it again, and it stands in where the policy permits.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheStaleMarkTests {
    private let fixture = TieredFixture(policy: Self.policy)
    private var cache: TieredCache<String, Int> { fixture.cache }

    private static var policy: CachePolicy {
        CachePolicy(freshFor: .seconds(1_000)).with {
            $0.staleIfError = .seconds(60)
            $0.staleFor = .seconds(2_000)
        }
    }

    enum Way: CaseIterable { case key, tag, tags, everything }

    private func mark(_ way: Way) async {
        switch way {
        case .key: await cache.markStale(forKey: "a")
        case .tag: await cache.markStale(taggedWith: "t")
        case .tags: await cache.markStale(taggedWithAny: ["t", "x"])
        case .everything: await cache.markAllStale()
        }
    }

    private func record(in store: MemoryStore) async throws -> Record? { try await store.record(forKey: "a") }

    @Test(arguments: Way.allCases)
    func valueIsStaleInEveryTierFromNowOn(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t", "u"], validator: "v")
        await cache.insert(2, forKey: "b", tags: ["u"])
        await cache.insert(3, forKey: "c")
        fixture.time.advance(by: .seconds(5))
        let now = fixture.time.now()
        await mark(way)
        fixture.time.advance(by: .seconds(1))
        #expect(await cache.value(forKey: "a") == nil)
        let inMemory = try #require(cache.memoryLookup(forKey: "a"))
        #expect(inMemory.value == 1 && !inMemory.isFresh)
        #expect(inMemory.freshUntil == now)
        #expect(inMemory.validator == "v" && inMemory.tags == ["t", "u"])
        for store in [fixture.upperBase, fixture.lowerBase] {
            let record = try #require(try await record(in: store))
            #expect(record.freshUntil == now)
            #expect(record.staleUntil == now.addingTimeInterval(2_995), "kept for as long as it would have been")
        }
        for (key, value) in ["b": 2, "c": 3] {
            #expect(await cache.value(forKey: key) == (way == .everything ? nil : value))
            #expect(cache.memoryLookup(forKey: key)?.value == value)
        }
    }

    @Test func valueThatWasStaleLongBeforeTheMarkStaysSo() async throws {
        try await fixture.put(1, forKey: "a", in: fixture.upperBase, freshFor: .seconds(-100_000_000_000))
        #expect(await cache.lookup(forKey: "a")?.isFresh == false)
        fixture.time.advance(by: .seconds(1))
        await cache.markStale(forKey: "a")
        let inMemory = try #require(cache.memoryLookup(forKey: "a"))
        #expect(inMemory.value == 1 && !inMemory.isFresh)
        let end = try #require(inMemory.freshUntil)
        #expect(end < fixture.time.now())
    }

    @Test(arguments: Way.allCases)
    func eachStoreIsCalledOnce(_ way: Way) async throws {
        for number in 0..<10 { await cache.insert(number, forKey: number == 0 ? "a" : "\(number)", tags: ["t"]) }
        let before = cache.memoryStatistics.insertions
        await mark(way)
        let operation: FaultyStore.Operation = way == .key ? .markStale : way == .everything ? .markAllStale : .markTaggedStale
        for store in [fixture.upper, fixture.lower] {
            for other in FaultyStore.Operation.all where other != .insert && other != .removeTagged {
                #expect(store.callCount(other) == (other == operation ? 1 : 0), "\(other)")
            }
            #expect(store.callCount(.insert) == 10)
        }
        #expect(cache.memoryStatistics.insertions - before <= 1, "memory is not scanned")
    }

    @Test(arguments: Way.allCases)
    func nextReaderLoadsAgainAndIsGivenTheStaleValue(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"], validator: "v")
        await mark(way)
        let lookup = try await cache.lookupIfExists(forKey: "a") { request in
            #expect(request.staleValue?.value == 1)
            #expect(request.staleValue?.validator == "v")
            #expect(request.reason == .stale)
            return .notModified()
        }
        #expect(lookup?.value == 1 && lookup?.isFresh == true && lookup?.tags == ["t"])
        #expect(await cache.value(forKey: "a") == 1, "confirmed, it is fresh again")
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 1, "in the stores, too")
    }

    @Test(arguments: Way.allCases)
    func staleValueStandsInForALoadThatFailsButNotForLongerThanAllowed(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        fixture.time.advance(by: .seconds(10))
        await mark(way)
        fixture.time.advance(by: .seconds(59))
        let lookup = try await cache.lookup(forKey: "a") { _ in throw TestError() }
        #expect(lookup.value == 1 && lookup.staleReason?.kind == .loadFailed)
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: TestError.self) { try await cache.value(forKey: "a") { _ in throw TestError() } }
        fixture.evict()
        await #expect(throws: TestError.self) { try await cache.value(forKey: "a") { _ in throw TestError() } }
    }

    @Test(arguments: Way.allCases)
    func staleValueIsServedWhileItIsRevalidated(_ way: Way) async throws {
        let fixture = TieredFixture(policy: Self.policy.with { $0.staleWhileRevalidate = .seconds(30) })
        let cache = fixture.cache
        await cache.insert(1, forKey: "a", tags: ["t"])
        switch way {
        case .key: await cache.markStale(forKey: "a")
        case .tag: await cache.markStale(taggedWith: "t")
        case .tags: await cache.markStale(taggedWithAny: ["t", "x"])
        case .everything: await cache.markAllStale()
        }
        let lookup = try await cache.lookup(forKey: "a", tags: ["t"]) { _ in 2 }
        #expect(lookup.value == 1 && lookup.staleReason?.kind == .revalidating)
        try await waitUntil { cache.memoryLookup(forKey: "a")?.value == 2 }
        #expect(try await cache.value(forKey: "a") { _ in 3 } == 2)
    }

    @Test(arguments: Way.allCases)
    func secondMarkDoesNotProlongAnything(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        let since = fixture.time.now()
        await mark(way)
        fixture.time.advance(by: .seconds(50))
        await mark(way)
        fixture.time.advance(by: .seconds(50))
        #expect(cache.memoryLookup(forKey: "a")?.freshUntil == since)
        await #expect(throws: TestError.self) { try await cache.value(forKey: "a") { _ in throw TestError() } }
        #expect(try await record(in: fixture.lowerBase)?.freshUntil == since)
    }

    @Test(arguments: Way.allCases)
    func whatIsStaleAlreadyHasBeenSinceThen(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        let end = fixture.time.now().addingTimeInterval(1_000)
        fixture.time.advance(by: .seconds(1_100))
        await mark(way)
        #expect(cache.memoryLookup(forKey: "a")?.freshUntil == end)
        #expect(try await record(in: fixture.upperBase)?.freshUntil == end)
    }

    @Test(arguments: Way.allCases)
    func markedEntryKeepsItsWeightAndItsEnd(_ way: Way) async throws {
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumWeight: 100, policy: Self.policy) { $1 },
            stores: [],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        await cache.insert(7, forKey: "a", tags: ["t"])
        fixture.time.advance(by: .seconds(100))
        switch way {
        case .key: await cache.markStale(forKey: "a")
        case .tag: await cache.markStale(taggedWith: "t")
        case .tags: await cache.markStale(taggedWithAny: ["t", "x"])
        case .everything: await cache.markAllStale()
        }
        #expect(cache.memoryLookup(forKey: "a")?.value == 7)
        #expect(cache.memoryWeight == 7 && cache.memoryCount == 1)
        fixture.time.advance(by: .seconds(2_899))
        #expect(cache.memoryLookup(forKey: "a")?.value == 7)
        fixture.time.advance(by: .seconds(2))
        #expect(cache.memoryLookup(forKey: "a") == nil)
    }

    @Test(arguments: Way.allCases)
    func markedEntryKeepsTheWeightThatItsLoaderGave(_ way: Way) async throws {
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumWeight: 100, policy: Self.policy),
            stores: [],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        _ = try await cache.valueIfExists(forKey: "a") { _ in .value(1, weight: 60, tags: ["t"]) }
        switch way {
        case .key: await cache.markStale(forKey: "a")
        case .tag: await cache.markStale(taggedWith: "t")
        case .tags: await cache.markStale(taggedWithAny: ["t", "x"])
        case .everything: await cache.markAllStale()
        }
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        #expect(cache.memoryWeight == 60)
        let provisional = await cache.showProvisionally(forKey: "a") { _ in 2 }
        #expect(cache.memoryWeight == 1)
        await cache.takeBack(try #require(provisional))
        #expect(cache.memoryLookup(forKey: "a")?.value == 1 && cache.memoryWeight == 60)
    }

    @Test func cancelledCallerShowsNothingInPlaceOfAValueThatOnlyAStoreHas() async {
        await cache.insert(1, forKey: "a", tags: ["t"])
        fixture.evict()
        let isNothingShown = await Task { [cache] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await cache.showProvisionally(forKey: "a") { _ in 2 } == nil
        }.value
        #expect(isNothingShown)
        #expect(cache.memoryCount == 0)
    }

    @Test func markOfAKeyThatIsNotThereDoesNothing() async throws {
        await cache.markStale(forKey: "a")
        #expect(await cache.lookup(forKey: "a") == nil)
        #expect(cache.memoryCount == 0)
        #expect(try await record(in: fixture.upperBase) == nil)
    }

    @Test(arguments: Way.allCases)
    func whatIsWrittenAfterTheMarkIsFresh(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        await mark(way)
        await cache.insert(2, forKey: "a", tags: ["t"])
        #expect(await cache.value(forKey: "a") == 2)
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 2)
    }

    @Test(arguments: Way.allCases)
    func loadThatBeganBeforeTheMarkIsNotKept(_ way: Way) async throws {
        let gate = Gate()
        async let loaded = cache.value(forKey: "a", tags: ["t"]) { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await mark(way)
        gate.open()
        #expect(try await loaded == 1)
        #expect(await cache.lookup(forKey: "a") == nil)
        #expect(try await record(in: fixture.upperBase) == nil)
        #expect(try await record(in: fixture.lowerBase) == nil)
        #expect(cache.statistics.fencedPublications == 1)
    }

    @Test(arguments: Way.allCases)
    func writeUnderWayInAStoreIsNotFreshAfterTheMark(_ way: Way) async throws {
        let gate = fixture.lower.hold(.insert)
        async let written: Void = cache.insert(1, forKey: "a", tags: ["t"])
        await gate.arrivals(1)
        async let marked: Void = mark(way)
        if way == .key { try await waitUntil { cache.tiers[1].waiterCount(for: "a") == 1 } } else { await marked }
        gate.open()
        _ = await (written, marked)
        #expect(await cache.value(forKey: "a") == nil)
        fixture.evict()
        #expect(await cache.value(forKey: "a") == nil)
    }

    @Test(arguments: Way.allCases)
    func copyUnderWayIsNotFreshAfterTheMark(_ way: Way) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        fixture.evict()
        try await fixture.upperBase.removeAll()
        let gate = fixture.lower.hold(.record, afterwards: true)
        async let found = cache.value(forKey: "a")
        await gate.arrivals(1)
        await mark(way)
        gate.open()
        #expect(await found == 1)
        await cache.flush()
        fixture.lower.heal()
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
    }

    @Test func removalByTagBetweenTwoMarksHolds() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        await cache.markStale(forKey: "a")
        await cache.removeValues(taggedWith: "t")
        await cache.markStale(forKey: "a")
        #expect(await cache.lookup(forKey: "a") == nil)
    }

    @Test func markWeighsNothingAnew() async throws {
        let weight = Shared(1)
        let observer = RemovalObserver()
        let cache = weighedCache(observer: observer) { key, _ in key == "a" ? weight.value : 1 }
        for key in ["a"] + (0..<9).map(String.init) { await cache.insert(1, forKey: key) }
        weight.update { $0 = 5 }
        await cache.markStale(forKey: "a")
        #expect(cache.memoryWeight == 10 && cache.memoryCount == 10)
        #expect(observer.removalCount == 0)
    }

    /// The value that comes back is heavier than the provisional one.
    @Test func entriesThatLeaveBecauseAValueComesBackAreReported() async throws {
        let observer = RemovalObserver()
        let cache = weighedCache(observer: observer) { _, value in value }
        await cache.insert(5, forKey: "a")
        let provisional = try #require(await cache.showProvisionally(forKey: "a") { _ in 1 })
        for key in 0..<9 { await cache.insert(1, forKey: String(key)) }
        #expect(cache.memoryCount == 10 && observer.removalCount == 0)
        await cache.takeBack(provisional)
        #expect(cache.memoryWeight <= 10)
        let evicted = 10 - cache.memoryCount
        #expect(evicted > 0)
        #expect(observer.removalCount == evicted)
    }

    private func weighedCache(observer: RemovalObserver, weigher: @escaping @Sendable (String, Int) -> Int) -> TieredCache<String, Int> {
        TieredCache(
            configuration: .init(maximumWeight: 10, weigher: weigher),
            stores: [],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time,
            observer: observer
        )
    }

    private final class RemovalObserver: CacheObserver {
        let counts = Shared<[RemovalCause: Int]>([:])
        func entriesRemoved(_ cause: RemovalCause, count: Int, cache: String) { counts.update { $0[cause, default: 0] += count } }
        /// The entries that left, without those that were replaced.
        var removalCount: Int { counts.value.reduce(0) { $0 + ($1.key == .replaced ? 0 : $1.value) } }
    }

    @Test func hitsAfterACloserLookAreCountedOnce() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        await cache.insert(2, forKey: "b")
        await cache.markStale(taggedWith: "other")
        for _ in 0..<3 { #expect(await cache.value(forKey: "a") == 1) }
        #expect(cache.memoryValue(forKey: "a") == 1)
        #expect(await cache.value(forKey: "b") == 2)
        #expect(cache.statistics.memoryHits == 5)
        await cache.markStale(taggedWith: "t")
        #expect(await cache.lookup(forKey: "a")?.isFresh == false)
        #expect(cache.memoryValue(forKey: "a") == nil)
        #expect(cache.statistics.memoryHits == 5)
        #expect(cache.statistics.staleHits == 1)
        #expect(cache.statistics.misses == 1)
    }
}
