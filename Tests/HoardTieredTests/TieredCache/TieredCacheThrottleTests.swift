// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// The cache leaves the source alone for a while after a failed load.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheThrottleTests {
    private static let policy = CachePolicy(freshFor: .seconds(10)).with {
        $0.staleIfError = .seconds(1_000)
        $0.retryAfterFailure = .seconds(5)
    }
    private let fixture = CachePolicyFixture(policy: policy)
    private var cache: TieredCache<String, Int> { fixture.cache }
    private var time: ManualTicker { fixture.time }
    private var origin: Origin { fixture.origin }

    /// Loads `a`, lets it become stale, and lets a load of it fail.
    private func failOnce() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(20))
        origin.fail()
        #expect(try await fixture.lookup().staleReason?.kind == .loadFailed)
        #expect(origin.callCount() == 2)
    }

    @Test func sourceIsNotAskedAgainBeforeItsTime() async throws {
        try await failOnce()
        for _ in 0..<3 {
            let stale = try await fixture.lookup()
            #expect(stale.value == 1)
            #expect(stale.staleReason?.kind == .retryPending)
            #expect(stale.staleReason?.error == nil)
        }
        time.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(try await fixture.lookup().staleReason?.kind == .retryPending)
        #expect(origin.callCount() == 2)
        time.advance(by: .nanoseconds(1))
        #expect(try await fixture.lookup().staleReason?.kind == .loadFailed)
        #expect(origin.callCount() == 3)
        fixture.expectRequests([.loaded: 1, .stale: 6])
    }

    @Test func throttleHoldsForStaleValuesOfTheStoreToo() async throws {
        try await failOnce()
        fixture.evict()
        let stale = try await fixture.lookup()
        #expect(stale.tier == .store("store"))
        #expect(stale.staleReason?.kind == .retryPending)
        #expect(origin.callCount() == 2)
    }

    @Test func throttleHoldsForEachKeyByItself() async throws {
        _ = try await fixture.lookup("b")
        try await failOnce()
        origin.heal()
        #expect(try await fixture.lookup("b").value == 2)
        #expect(try await fixture.lookup("a").staleReason?.kind == .retryPending)
    }

    @Test func withoutAStaleValueEveryCallerAsks() async throws {
        origin.fail()
        for number in 1...3 {
            #expect(await error { try await fixture.lookup() } is TestError)
            #expect(origin.callCount() == number)
        }
    }

    @Test func loadThatSucceedsEndsTheThrottle() async throws {
        try await failOnce()
        origin.heal()
        time.advance(by: .seconds(5))
        #expect(try await fixture.lookup().value == 3)
        #expect(cache.throttle.withLock { $0.count } == 0)
        #expect(await cache.explain("a").retryAfter == nil)
    }

    @Test func callThatWantsANewValueIsNotThrottled() async throws {
        try await failOnce()
        origin.heal()
        #expect(try await fixture.lookup(policy: Self.policy.with { $0.skipping = .reads }).value == 3)
        #expect(try await fixture.lookup().isFresh)
    }

    @Test(arguments: 0..<4) func writesAndRemovalsOfTheKeyEndTheThrottle(_ change: Int) async throws {
        try await failOnce()
        origin.heal()
        switch change {
        case 0: await cache.removeValue(forKey: "a")
        case 1: await cache.markStale(forKey: "a")
        case 2: await cache.removeAll()
        default:
            await cache.insert(50, forKey: "a")
            return #expect(try await fixture.lookup().value == 50)
        }
        #expect(try await fixture.lookup().value == 3)
    }

    @Test func valueThatIsConfirmedAfterItWasShownEndsTheThrottle() async throws {
        try await failOnce()
        let shown = try #require(await cache.showProvisionally(forKey: "a") { _ in 49 })
        #expect(await cache.explain("a").retryAfter == .seconds(5))
        await cache.confirm(50, for: shown)
        #expect(await cache.explain("a").retryAfter == nil)
        #expect(try await fixture.lookup().value == 50)
    }

    @Test func retryAfterZeroAsksEveryTime() async throws {
        let eager = Self.policy.with { $0.retryAfterFailure = .zero }
        _ = try await fixture.lookup()
        time.advance(by: .seconds(20))
        origin.fail()
        for number in 2...4 {
            #expect(try await fixture.lookup(policy: eager).staleReason?.kind == .loadFailed)
            #expect(origin.callCount() == number)
        }
    }

    @Test func loadThatFailsWhileACallerAsksTheStoresHoldsForIt() async throws {
        // The store has nothing, so the cache has only the stale value in memory.
        _ = try await fixture.lookup(policy: Self.policy.with { $0.skipping = .storeWrites })
        time.advance(by: .seconds(20))
        let gate = fixture.store.hold(.record)
        let slow = Task { try await fixture.lookup() }
        await gate.arrivals(1)
        origin.fail()
        #expect(try await fixture.lookup(policy: Self.policy.with { $0.skipping = .storeReads }).staleReason?.kind == .loadFailed)
        gate.open()
        let stale = try await slow.value
        #expect(stale.value == 1)
        #expect(stale.staleReason?.kind == .retryPending)
        #expect(origin.callCount() == 2)
    }

    @Test func backgroundRefreshIsThrottledToo() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy.with { $0.staleWhileRevalidate = .seconds(1_000) })
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(20))
        fixture.origin.fail()
        var kinds: [StaleReason.Kind?] = []
        for _ in 0..<12 {
            kinds.append(try await fixture.lookup().staleReason?.kind)
            try await fixture.settle()
            fixture.time.advance(by: .seconds(1))
        }
        #expect(kinds.enumerated().allSatisfy { $1 == ($0 % 5 == 0 ? .revalidating : .retryPending) })
        #expect(fixture.origin.callCount() == 4)
        #expect(fixture.cache.statistics.backgroundLoads == 3)
    }

    @Test func throttleOfTheCallThatLoadedHolds() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(20))
        origin.fail()
        _ = try await fixture.lookup(policy: Self.policy.with { $0.retryAfterFailure = .seconds(100) })
        time.advance(by: .seconds(99))
        #expect(try await fixture.lookup().staleReason?.kind == .retryPending)
        #expect(await cache.explain("a").retryAfter == .seconds(1))
        time.advance(by: .seconds(1))
        #expect(try await fixture.lookup().staleReason?.kind == .loadFailed)
    }
}
