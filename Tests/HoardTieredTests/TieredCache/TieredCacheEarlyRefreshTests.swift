// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Loads in the background before a value has become stale.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheEarlyRefreshTests {
    private static func policy(_ rule: CachePolicy.EarlyRefresh) -> CachePolicy {
        CachePolicy(freshFor: .seconds(100)).with {
            $0.earlyRefresh = rule
            $0.retryAfterFailure = .seconds(3)
        }
    }

    @Test func firstReaderAfterTheFractionRefreshes() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.atFraction(0.75)))
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(75) - .nanoseconds(1))
        #expect(try await fixture.cache.value(forKey: "a", load: fixture.load) == 1)
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
        fixture.time.advance(by: .nanoseconds(1))
        let gate = fixture.origin.hold()
        for _ in 0..<3 {
            let found = try await fixture.lookup()
            #expect(found.value == 1)
            #expect(found.isFresh)
        }
        await gate.arrivals(1)
        gate.open()
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 2)
        #expect(try await fixture.lookup().value == 2)
        #expect(fixture.cache.statistics.backgroundLoads == 1)
        fixture.expectRequests([.loaded: 1, .hit: 5])
        // The new value has its own time.
        fixture.time.advance(by: .seconds(74))
        #expect(try await fixture.lookup().value == 2)
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 2)
    }

    @Test func fastPathOfValueRefreshesToo() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.atFraction(0.5)))
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(50))
        #expect(try await fixture.cache.value(forKey: "a", load: fixture.load) == 1)
        try await fixture.settle()
        #expect(fixture.cache.memoryValue(forKey: "a") == 2)
    }

    @Test func callsWithoutALoaderRefreshNothing() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.atFraction(0.5)))
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(60))
        #expect(await fixture.cache.value(forKey: "a") == 1)
        #expect(fixture.cache.memoryValue(forKey: "a") == 1)
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
    }

    @Test func valueFromTheStoreIsRefreshedByItsWholeLifetime() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.atFraction(0.9)))
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(80))
        fixture.evict()
        #expect(try await fixture.lookup().tier == .store("store"))
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
        fixture.time.advance(by: .seconds(10))
        _ = try await fixture.lookup()
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 2)
    }

    @Test func earlyRefreshThatFailsIsTriedAgainAfterItsTime() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.atFraction(0.5)))
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(50))
        fixture.origin.fail()
        for _ in 0..<7 {
            #expect(try await fixture.lookup().isFresh)
            try await fixture.settle()
            fixture.time.advance(by: .seconds(1))
        }
        #expect(fixture.origin.callCount() == 4)
        #expect(fixture.observer.outcomes == [.value: 1, .failed: 3])
    }

    @Test func loaderIsToldTheReasonAndHasTheValue() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.atFraction(0.5)))
        await fixture.cache.insert(9, forKey: "a", validator: "v9")
        fixture.time.advance(by: .seconds(50))
        let requests = Shared<[LoadRequest<String, Int>]>([])
        let found = try await fixture.cache.valueIfExists(forKey: "a") { request in
            requests.update { $0.append(request) }
            return .notModified()
        }
        #expect(found == 9)
        try await fixture.settle()
        let request = try #require(requests.value.first)
        #expect(request.reason == .early)
        #expect(request.staleValue?.value == 9)
        #expect(request.staleValue?.validator == "v9")
        #expect(await fixture.cache.lookup(forKey: "a")?.freshUntil == fixture.time.now().addingTimeInterval(100))
        #expect(fixture.cache.statistics.unmodifiedLoads == 1)
    }

    @Test func policyOfTheCallDecidesWhetherItRefreshes() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.never))
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(30))
        _ = try await fixture.lookup(policy: Self.policy(.atFraction(0.31)))
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
        _ = try await fixture.lookup(policy: Self.policy(.atFraction(0.3)))
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 2)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, 0, 1, 2, .leastNonzeroMagnitude])
    func senselessNumbersInAPolicyThatNobodyHasCheckedDoNoHarm(_ number: Double) async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.never))
        for rule in [CachePolicy.EarlyRefresh.atFraction(number), .probabilistic(beta: number)] {
            #expect(try await fixture.lookup(policy: Self.policy(rule)).value >= 1)
            fixture.time.advance(by: .seconds(50))
            #expect(try await fixture.lookup(policy: Self.policy(rule)).value >= 1)
            #expect(try await fixture.lookup().value >= 1)
            try await fixture.settle()
        }
    }

    // MARK: At random

    /// Loads a value in 2 s. It is fresh for 100 s from then on.
    private func loadSlowly(_ fixture: CachePolicyFixture) async throws {
        _ = try await fixture.cache.value(forKey: "a") { [time = fixture.time, origin = fixture.origin] key in
            time.advance(by: .seconds(2))
            return try await origin.value(forKey: key)
        }
    }

    @Test(arguments: [(1.0, 0.5), (1, 0.01), (3, 0.5), (0.5, 0.9)])
    func refreshAtRandomFollowsTheFormula(_ beta: Double, _ random: Double) async throws {
        // The refresh is due from end − Δ·β·(−ln random) on.
        let lead = -2 * beta * Foundation.log(random)
        let fixture = CachePolicyFixture(policy: Self.policy(.probabilistic(beta: beta)))
        fixture.random.update { $0 = random }
        try await loadSlowly(fixture)
        fixture.time.advance(by: .seconds(100 - lead) - .microseconds(10))
        #expect(try await fixture.lookup().value == 1)
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
        fixture.time.advance(by: .microseconds(20))
        #expect(try await fixture.lookup().value == 1)
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 2)
    }

    @Test func timeOfTheLoadIsKnownToThoseWhoReadItFromAStore() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.probabilistic()))
        fixture.random.update { $0 = 0.5 }
        try await loadSlowly(fixture)
        #expect(try await fixture.record()?.loadDuration == .seconds(2))
        fixture.evict()
        fixture.time.advance(by: .seconds(98))
        #expect(try await fixture.lookup().tier == .store("store"))
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.lookup()
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 2)
    }

    @Test func valueThatTookNoTimeIsNotRefreshedEarlyAtRandom() async throws {
        let fixture = CachePolicyFixture(policy: Self.policy(.probabilistic(beta: 1_000)))
        fixture.random.update { $0 = 0 }
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(100) - .nanoseconds(1))
        #expect(try await fixture.lookup().isFresh)
        try await fixture.settle()
        #expect(fixture.origin.callCount() == 1)
    }
}
