// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Stale values that are used while a new one is loaded, and because none can be loaded.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheStaleTests {
    /// Values are fresh for 10 s. They may be used for 20 s more while a refresh runs, and for 100 s on errors.
    private let fixture = CachePolicyFixture(
        policy: CachePolicy(freshFor: .seconds(10)).with {
            $0.staleWhileRevalidate = .seconds(20)
            $0.staleIfError = .seconds(100)
            $0.retryAfterFailure = .seconds(5)
        }
    )
    private var cache: TieredCache<String, Int> { fixture.cache }
    private var time: ManualTicker { fixture.time }
    private var origin: Origin { fixture.origin }

    // MARK: Stale while revalidate

    @Test func staleValueIsReturnedAtOnceAndTheNextOneIsLoadedInTheBackground() async throws {
        #expect(try await fixture.lookup().value == 1)
        time.advance(by: .seconds(10))
        let gate = origin.hold()
        let stale = try await fixture.lookup()
        #expect(stale.value == 1)
        #expect(stale.tier == .memory)
        #expect(stale.staleReason?.kind == .revalidating)
        #expect(!stale.isFresh && !stale.isCoalesced)
        #expect(stale.age == .seconds(10))
        // Readers start no other load in the meantime.
        await gate.arrivals(1)
        for _ in 0..<3 { #expect(try await fixture.lookup().staleReason?.kind == .revalidating) }
        gate.open()
        try await fixture.settle()
        #expect(origin.callCount() == 2)
        let fresh = try await fixture.lookup()
        #expect(fresh.value == 2)
        #expect(fresh.isFresh)
        #expect(fresh.tier == .memory)
        #expect(try await fixture.record()?.payload == Data("2".utf8))
        #expect(cache.statistics.backgroundLoads == 1)
        fixture.expectRequests([.loaded: 1, .stale: 4, .hit: 1])
    }

    @Test func windowsEndToTheNanosecond() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(try await fixture.lookup().isFresh)
        let gate = origin.hold()
        time.advance(by: .seconds(20))
        #expect(try await fixture.lookup().staleReason?.kind == .revalidating)
        gate.open()
        try await fixture.settle()
        // Value 2 has been written at 30 s. Its window ends at 60 s.
        time.advance(by: .seconds(30))
        let loaded = try await fixture.lookup()
        #expect(loaded.value == 3)
        #expect(loaded.tier == .loader)
    }

    @Test func staleValueFromTheStoreIsReturnedWhileItIsLoadedAgain() async throws {
        _ = try await fixture.lookup()
        fixture.evict()
        time.advance(by: .seconds(15))
        let stale = try await fixture.lookup()
        #expect(stale.value == 1)
        #expect(stale.tier == .store("store"))
        #expect(stale.staleReason?.kind == .revalidating)
        try await fixture.settle()
        #expect(try await fixture.lookup().value == 2)
    }

    @Test func refreshTakesAFresherRecordFromTheStoreInsteadOfLoading() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(15))
        var record = try #require(try await fixture.record())
        record.payload = Data("77".utf8)
        record.created = time.now()
        record.freshUntil = time.now().addingTimeInterval(10)
        record.staleUntil = time.now().addingTimeInterval(100)
        try await fixture.base.insert(record, forKey: "a")
        #expect(try await fixture.lookup().value == 1)
        try await fixture.settle()
        let found = try await fixture.lookup()
        #expect(found.value == 77)
        #expect(found.tier == .memory)
        #expect(origin.callCount() == 1)
        #expect(cache.statistics.loads == 1)
        // The cache loaded nothing in the background.
        #expect(cache.statistics.backgroundLoads == 0)
    }

    @Test func refreshThatFailsIsNotToldToItsReader() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(10))
        origin.fail()
        #expect(try await fixture.lookup().staleReason?.kind == .revalidating)
        try await fixture.settle()
        #expect(cache.statistics.loadFailures == 1)
        #expect(cache.statistics.backgroundLoads == 1)
        #expect(fixture.observer.outcomes == [.value: 1, .failed: 1])
        #expect(try await fixture.lookup().staleReason?.kind == .retryPending)
    }

    @Test func callWithoutALoaderStartsNone() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(10))
        #expect(await cache.value(forKey: "a") == nil)
        let stale = await cache.lookup(forKey: "a")
        #expect(stale?.value == 1)
        #expect(stale?.staleReason?.kind == .noLoader)
        try await fixture.settle()
        #expect(origin.callCount() == 1)
        // A caller that asks for a fresh value and gets none has missed.
        fixture.expectRequests([.loaded: 1, .miss: 1, .stale: 1])
    }

    @Test func removalDuringTheRefreshIsNotUndone() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(10))
        let gate = origin.hold()
        _ = try await fixture.lookup()
        await gate.arrivals(1)
        await cache.removeValue(forKey: "a")
        gate.open()
        try await fixture.settle()
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.record() == nil)
        #expect(cache.statistics.fencedPublications == 1)
    }

    @Test func callerThatIsCancelledDoesNotCancelTheRefresh() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(10))
        let gate = origin.hold()
        let caller = Task { try await fixture.lookup() }
        #expect(try await caller.value.value == 1)
        caller.cancel()
        await gate.arrivals(1)
        gate.open()
        try await fixture.settle()
        #expect(cache.memoryValue(forKey: "a") == 2)
        #expect(fixture.observer.outcomes == [.value: 2])
    }

    // MARK: Stale if error

    @Test func staleValueStandsInForALoadThatFails() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(30))
        origin.fail(TestError(number: 7))
        let stale = try await fixture.lookup()
        #expect(stale.value == 1)
        #expect(stale.staleReason?.kind == .loadFailed)
        #expect(stale.staleReason?.error as? TestError == TestError(number: 7))
        #expect(stale.tier == .memory)
        fixture.expectRequests([.loaded: 1, .stale: 1])
        #expect(cache.statistics.backgroundLoads == 0)
    }

    @Test func staleIfErrorHasALongestAge() async throws {
        _ = try await fixture.lookup()
        origin.fail()
        time.advance(by: .seconds(110) - .nanoseconds(1))
        #expect(try await fixture.lookup().staleReason?.kind == .loadFailed)
        time.advance(by: .nanoseconds(1))
        #expect(await error { try await fixture.lookup() } is TestError)
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.record() == nil)
        fixture.expectRequests([.loaded: 1, .stale: 1, .failed: 1, .miss: 1])
    }

    @Test func valueWhoseTimeEndsDuringTheLoadDoesNotStandIn() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(109))
        let gate = origin.hold()
        origin.fail()
        let caller = Task { try await fixture.lookup() }
        await gate.arrivals(1)
        time.advance(by: .seconds(1))
        gate.open()
        #expect(await error { try await caller.value } is TestError)
    }

    @Test func loaderThatThrowsACancellationErrorHasFailed() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(30))
        origin.fail(CancellationError())
        let stale = try await fixture.lookup()
        #expect(stale.staleReason?.kind == .loadFailed)
        #expect(stale.staleReason?.error is CancellationError)
        #expect(try await fixture.lookup().staleReason?.kind == .retryPending)
        #expect(await error { try await fixture.lookup("b") } is CancellationError)
    }

    @Test func callerThatIsCancelledGetsItsErrorInsteadOfAStaleValue() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(30))
        let gate = origin.hold()
        let caller = Task { try await fixture.lookup() }
        await gate.arrivals(1)
        caller.cancel()
        #expect(await error { try await caller.value } is CancellationError)
        gate.open()
        try await fixture.settle()
        fixture.expectRequests([.loaded: 1, .failed: 1])
    }

    @Test func loadThatWasCancelledDoesNotThrottle() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(30))
        let gate = Gate()
        let caller = Task {
            try await cache.value(forKey: "a") { _ in
                await gate.pass()
                try Task.checkCancellation()
                return 0
            }
        }
        await gate.arrivals(1)
        caller.cancel()
        _ = await caller.result
        gate.open()
        try await fixture.settle()
        #expect(fixture.observer.outcomes == [.value: 1, .cancelled: 1])
        #expect(try await fixture.lookup().value == 2)
    }

    @Test func callersThatShareALoadThatFailsAllGetTheStaleValue() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(30))
        let gate = origin.hold()
        origin.fail()
        let lookups = try await withThrowingTaskGroup(of: Lookup<Int>.self) { group in
            for _ in 0..<20 { group.addTask { try await fixture.lookup() } }
            try await waitUntil { cache.waiterCount(for: "a") == 20 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(lookups.allSatisfy { $0.value == 1 && $0.staleReason?.kind == .loadFailed })
        #expect(origin.callCount() == 2)
        fixture.expectRequests([.loaded: 1, .stale: 20])
        #expect(cache.statistics.loadFailures == 1)
    }

    // MARK: Whose policy

    @Test func policyOfTheCallDecidesHowLongStaleValuesAreUsed() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(15))
        origin.fail()
        let strict = CachePolicy(freshFor: .seconds(10)).with { $0.retryAfterFailure = .zero }
        #expect(await error { try await fixture.lookup(policy: strict) } is TestError)
        #expect(try await fixture.lookup(policy: strict.with { $0.staleIfError = .seconds(6) }).value == 1)
        #expect(await error { try await fixture.lookup(policy: strict.with { $0.staleIfError = .seconds(5) }) } is TestError)
        // Stale while revalidate implies stale on error.
        time.advance(by: .seconds(20))
        #expect(try await fixture.lookup(policy: strict.with { $0.staleWhileRevalidate = .seconds(100) }).staleReason?.kind == .revalidating)
        try await fixture.settle()
    }

    @Test func termsOfTheValueDecideForCallsWithoutAPolicy() async throws {
        let short = CachePolicy(freshFor: .seconds(2)).with { $0.staleIfError = .seconds(3) }
        _ = try await cache.valueIfExists(forKey: "a") { _ in .value(1, policy: short) }
        #expect(await cache.lookup(forKey: "a")?.freshUntil == time.now().addingTimeInterval(2))
        origin.fail()
        for evicts in [false, true] {
            if evicts { fixture.evict() }
            time.advance(by: .seconds(2))
            if !evicts { #expect(try await fixture.lookup().staleReason?.kind == .loadFailed) }
        }
        // The value from the store is 4 s old. It is usable for 1 s more.
        #expect(try await fixture.lookup().value == 1)
        time.advance(by: .seconds(1))
        #expect(await error { try await fixture.lookup() } is TestError)
    }

    @Test func policyOfTheLoadersResultBeatsThatOfTheCall() async throws {
        let ofCall = CachePolicy(freshFor: .seconds(50))
        _ = try await cache.valueIfExists(forKey: "a", policy: ofCall) { _ in .value(1, policy: CachePolicy(freshFor: .seconds(3))) }
        _ = try await cache.valueIfExists(forKey: "b", policy: ofCall) { _ in .value(1) }
        #expect(await cache.lookup(forKey: "a")?.freshUntil == time.now().addingTimeInterval(3))
        #expect(await cache.lookup(forKey: "b")?.freshUntil == time.now().addingTimeInterval(50))
    }

    @Test func jitterLengthensTheFreshTimeByAPartChosenAtRandom() async throws {
        let policy = CachePolicy(freshFor: .seconds(10)).with { $0.jitter = .seconds(4) }
        for (random, end) in [(0.0, 10.0), (0.25, 11), (0.75, 13)] {
            fixture.random.update { $0 = random }
            await cache.insert(1, forKey: "a", policy: policy)
            #expect(await cache.lookup(forKey: "a")?.freshUntil == time.now().addingTimeInterval(end))
        }
        time.advance(by: .seconds(13) - .nanoseconds(100))
        #expect(await cache.value(forKey: "a") == 1)
        time.advance(by: .nanoseconds(200))
        #expect(await cache.value(forKey: "a") == nil)
    }
}
