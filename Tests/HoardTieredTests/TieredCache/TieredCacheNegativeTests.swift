// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Negative entries of keys that have no value.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheNegativeTests {
    private static let policy = CachePolicy(freshFor: .seconds(60)).with { $0.negativeFor = .seconds(10) }
    private let fixture = CachePolicyFixture(policy: policy)
    private var cache: TieredCache<String, Int> { fixture.cache }
    private var time: ManualTicker { fixture.time }
    private let loads = Counter()

    /// Asks a loader that finds nothing.
    private func askInVain(_ policy: CachePolicy? = nil, tags: Set<String> = []) async throws -> Int? {
        try await cache.valueIfExists(forKey: "a", policy: policy) { [loads] _ in
            loads.increment()
            return .absent(tags: tags)
        }
    }

    @Test func absenceIsRememberedForItsTimeAndNoLonger() async throws {
        for _ in 0..<3 { #expect(try await askInVain() == nil) }
        #expect(loads.value == 1)
        time.advance(by: .seconds(10) - .nanoseconds(1_000))
        #expect(try await askInVain() == nil)
        #expect(loads.value == 1)
        time.advance(by: .nanoseconds(1_000))
        #expect(try await askInVain() == nil)
        #expect(loads.value == 2)
        fixture.expectRequests([.miss: 2, .negative: 3])
        #expect(fixture.observer.outcomes == [.absent: 2])
        #expect(cache.statistics.loads == 2)
    }

    @Test func absenceIsRememberedByTheStoresAcrossAnEviction() async throws {
        _ = try await askInVain()
        let record = try #require(try await fixture.record())
        #expect(record.isNegative)
        #expect(record.payload.isEmpty)
        #expect(record.staleUntil == time.now().addingTimeInterval(10))
        time.advance(by: .seconds(4))
        fixture.evict()
        #expect(try await askInVain() == nil)
        // The cache has copied the entry to memory, with the time that the entry has left.
        #expect(cache.memoryCount == 1)
        #expect(try await askInVain() == nil)
        #expect(loads.value == 1)
        #expect(fixture.store.callCount(.record) == 2)
        time.advance(by: .seconds(6))
        #expect(try await askInVain() == nil)
        #expect(loads.value == 2)
        fixture.expectRequests([.miss: 2, .negative: 2])
    }

    @Test func absenceIsNotRememberedWithoutATimeForIt() async throws {
        let forgetful = Self.policy.with { $0.negativeFor = .zero }
        for number in 1...3 {
            #expect(try await askInVain(forgetful) == nil)
            #expect(loads.value == number)
        }
        #expect(cache.memoryCount == 0)
        #expect(try await fixture.record() == nil)
    }

    @Test(arguments: [0, 10]) func absenceReplacesTheStaleValueInEveryTier(_ seconds: Int) async throws {
        let policy = Self.policy.with {
            $0.staleFor = .seconds(1_000)
            $0.negativeFor = .seconds(seconds)
        }
        await cache.insert(1, forKey: "a", policy: policy)
        time.advance(by: .seconds(60))
        #expect(await cache.lookup(forKey: "a")?.value == 1)
        #expect(try await askInVain(policy) == nil)
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.record()?.isNegative == (seconds == 0 ? nil : true))
        fixture.evict()
        #expect(await cache.lookup(forKey: "a")?.value == nil)
    }

    @Test func policyOfTheResultDecidesHowLong() async throws {
        let ask = {
            try await cache.valueIfExists(forKey: "a") { [loads] _ in
                loads.increment()
                return .absent(policy: CachePolicy().with { $0.negativeFor = .seconds(100) })
            }
        }
        _ = try await ask()
        time.advance(by: .seconds(99))
        _ = try await ask()
        #expect(loads.value == 1)
        time.advance(by: .seconds(1))
        _ = try await ask()
        #expect(loads.value == 2)
    }

    @Test func readersWithoutALoaderGetNothingAndTouchNoStore() async throws {
        _ = try await askInVain()
        let reads = fixture.store.callCount(.record)
        #expect(await cache.value(forKey: "a") == nil)
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(cache.memoryValue(forKey: "a") == nil)
        #expect(await cache.values(forKeys: ["a"]).isEmpty)
        #expect(fixture.store.callCount(.record) == reads)
        fixture.expectRequests([.miss: 1, .negative: 4])
    }

    @Test func negativeEntriesAreCountedAsSuchInRealTime() async throws {
        let observer = RequestObserver()
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10, policy: Self.policy.with { $0.negativeFor = .seconds(1_000_000) }),
            stores: [],
            codec: .json,
            observer: observer
        )
        _ = try await cache.valueIfExists(forKey: "a") { _ in .absent() }
        #expect(await cache.value(forKey: "a") == nil)
        #expect(cache.memoryValue(forKey: "a") == nil)
        #expect(cache.statistics.negativeHits == 2)
        #expect(cache.statistics.memoryHits == 0)
        #expect(observer.results == [.miss: 1, .negative: 2])
    }

    // MARK: Loaders that always have a value

    @Test(arguments: [false, true]) func simpleLoadersAreAskedAllTheSame(_ isEvicted: Bool) async throws {
        _ = try await askInVain()
        if isEvicted { fixture.evict() }
        let found = try await fixture.lookup()
        #expect(found.value == 1)
        #expect(found.tier == .loader)
        #expect(found.skippedStores.isEmpty)
        #expect(try await askInVain() == 1)
        #expect(try await fixture.record()?.isNegative == false)
        #expect(loads.value == 1)
        fixture.expectRequests([.miss: 1, .loaded: 1, .hit: 1])
    }

    @Test func simpleLoaderThatJoinsALoadWhichFindsNothingIsAskedAfterIt() async throws {
        let gate = Gate()
        let inVain = Task {
            try await cache.valueIfExists(forKey: "a") { _ in
                await gate.pass()
                return .absent()
            }
        }
        await gate.arrivals(1)
        let callers = (0..<5).map { _ in Task { try await fixture.lookup() } }
        try await waitUntil { cache.waiterCount(for: "a") == 6 }
        gate.open()
        #expect(try await inVain.value == nil)
        for caller in callers { #expect(try await caller.value.value == 1) }
        // They share the second load as they shared the first.
        #expect(fixture.origin.callCount() == 1)
        let results = fixture.observer.results
        #expect(results[.miss] == 1)
        #expect(results.values.reduce(0, +) == 6)
        let statistics = cache.statistics
        #expect(statistics.misses + statistics.memoryHits == 6)
        #expect(statistics.negativeHits == 0)
        #expect(statistics.loads == 2)
    }

    @Test func simpleLoaderThatFailsIsCountedOnce() async throws {
        _ = try await askInVain()
        fixture.origin.fail()
        #expect(await error { try await fixture.lookup() } is TestError)
        fixture.expectRequests([.miss: 1, .failed: 1])
        // The negative entry is still there.
        #expect(try await askInVain() == nil)
        #expect(loads.value == 1)
    }

    // MARK: Invalidation

    @Test(arguments: 0..<6) func absenceIsForgottenWhenItIsInvalidated(_ change: Int) async throws {
        _ = try await askInVain(tags: ["t"])
        switch change {
        case 0: await cache.removeValue(forKey: "a")
        case 1: await cache.removeValues(taggedWith: "t")
        case 2: await cache.removeAll()
        case 3: await cache.markStale(forKey: "a")
        case 4: await cache.markStale(taggedWith: "t")
        default: await cache.insert(5, forKey: "a")
        }
        #expect(try await askInVain() == (change == 5 ? 5 : nil))
        #expect(loads.value == (change == 5 ? 1 : 2))
        fixture.evict()
        #expect(try await askInVain() == (change == 5 ? 5 : nil))
        #expect(loads.value == (change == 5 ? 1 : 2))
    }

    @Test func removalDuringALoadThatFindsNothingKeepsItFromBeingRemembered() async throws {
        let gate = Gate()
        let caller = Task {
            try await cache.valueIfExists(forKey: "a") { _ in
                await gate.pass()
                return .absent()
            }
        }
        await gate.arrivals(1)
        await cache.insert(8, forKey: "a")
        gate.open()
        #expect(try await caller.value == nil)
        #expect(await cache.value(forKey: "a") == 8)
        #expect(try await fixture.record()?.isNegative == false)
        #expect(cache.statistics.fencedPublications == 1)
    }
}
