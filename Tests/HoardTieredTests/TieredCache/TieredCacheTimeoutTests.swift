// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Loads that take too long.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheTimeoutTests {
    private static let policy = CachePolicy(freshFor: .seconds(10)).with {
        $0.staleIfError = .seconds(100)
        $0.softTimeout = .seconds(2)
        $0.hardTimeout = .seconds(6)
    }
    private let fixture = CachePolicyFixture(policy: policy)
    private var cache: TieredCache<String, Int> { fixture.cache }
    private var time: ManualTicker { fixture.time }
    private var origin: Origin { fixture.origin }

    /// Loads `a` and lets it become stale.
    private func becomeStale() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(10))
    }

    /// Starts a caller whose load waits at the gate.
    private func slowCaller(_ policy: CachePolicy? = nil) async -> (task: Task<Lookup<Int>, any Error>, gate: Gate) {
        let gate = origin.hold()
        let task = Task { try await fixture.lookup(policy: policy) }
        await gate.arrivals(1)
        await time.sleepers(1)
        return (task, gate)
    }

    @Test func staleValueIsReturnedAfterTheSoftTimeoutAndTheLoadGoesOn() async throws {
        try await becomeStale()
        let (caller, gate) = await slowCaller()
        time.advance(by: .seconds(2) - .nanoseconds(1))
        #expect(time.sleeperCount == 1)
        time.advance(by: .nanoseconds(1))
        let stale = try await caller.value
        #expect(stale.value == 1)
        #expect(stale.staleReason?.kind == .loadTimedOut)
        #expect(cache.statistics.loadTimeouts == 1)
        #expect(cache.loads.flightCount == 1)
        gate.open()
        try await fixture.settle()
        let fresh = try await fixture.lookup()
        #expect(fresh.value == 2)
        #expect(fresh.tier == .memory)
        #expect(try await fixture.record()?.payload == Data("2".utf8))
        #expect(fixture.observer.outcomes == [.value: 2])
        fixture.expectRequests([.loaded: 1, .stale: 1, .hit: 1])
    }

    @Test func loadThatEndsBeforeTheSoftTimeoutAnswers() async throws {
        try await becomeStale()
        let (caller, gate) = await slowCaller()
        time.advance(by: .seconds(2) - .nanoseconds(1))
        gate.open()
        #expect(try await caller.value.value == 2)
        #expect(cache.statistics.loadTimeouts == 0)
        // The cache waits for nothing any more.
        #expect(cache.deadlines.count == 0)
    }

    @Test func softTimeoutDoesNotConcernCallersWithoutAStaleValue() async throws {
        let (caller, gate) = await slowCaller()
        time.advance(by: .seconds(6) - .nanoseconds(1))
        #expect(cache.waiterCount(for: "a") == 1)
        gate.open()
        #expect(try await caller.value.value == 1)
    }

    @Test func hardTimeoutWithoutAStaleValueIsAnErrorAndTheLoadGoesOn() async throws {
        let (caller, gate) = await slowCaller()
        time.advance(by: .seconds(6))
        #expect((await error { try await caller.value } as? CacheError)?.code == .timedOut)
        #expect(cache.statistics.loadTimeouts == 1)
        fixture.expectRequests([.failed: 1])
        // A caller that comes now joins the load that is under way.
        let second = Task { try await fixture.lookup() }
        try await waitUntil { cache.waiterCount(for: "a") == 1 }
        gate.open()
        let found = try await second.value
        #expect(found.value == 1)
        #expect(found.isCoalesced)
        #expect(origin.callCount() == 1)
        #expect(cache.memoryValue(forKey: "a") == 1)
    }

    @Test func hardTimeoutWithAStaleValueReturnsIt() async throws {
        try await becomeStale()
        let (caller, gate) = await slowCaller(Self.policy.with { $0.softTimeout = nil })
        time.advance(by: .seconds(5))
        #expect(cache.waiterCount(for: "a") == 1)
        time.advance(by: .seconds(1))
        #expect(try await caller.value.staleReason?.kind == .loadTimedOut)
        gate.open()
        try await fixture.settle()
        #expect(cache.memoryValue(forKey: "a") == 2)
    }

    @Test func valueThatIsKeptButNotUsableOnErrorsDoesNotStandIn() async throws {
        let policy = CachePolicy(freshFor: .seconds(10)).with {
            $0.staleFor = .seconds(1_000)
            $0.hardTimeout = .seconds(1)
        }
        let fixture = CachePolicyFixture(policy: policy)
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(10))
        let gate = fixture.origin.hold()
        let caller = Task { try await fixture.lookup() }
        await gate.arrivals(1)
        await fixture.time.sleepers(1)
        fixture.time.advance(by: .seconds(1))
        #expect((await error { try await caller.value } as? CacheError)?.code == .timedOut)
        gate.open()
        try await fixture.settle()
    }

    @Test func hardTimeoutEndsTheWaitForAStoreBesideAStaleValueAndTheLoadFollows() async throws {
        try await becomeStale()
        let gate = fixture.store.hold(.record)
        let caller = Task { try await fixture.lookup() }
        await gate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(6))
        let stale = try await caller.value
        #expect(stale.value == 1)
        #expect(stale.staleReason?.kind == .loadTimedOut)
        #expect(cache.statistics.loadTimeouts == 1)
        #expect(cache.loads.flightCount == 1)
        #expect(origin.callCount() == 1)
        gate.open()
        try await fixture.settle()
        #expect(cache.memoryValue(forKey: "a") == 2)
        #expect(origin.callCount() == 2)
        #expect(fixture.store.callCount(.record) == 2, "the load waits for the same read")
    }

    @Test func hardTimeoutEndsTheWaitForAStoreWithAnErrorIfTheStaleValueMayNotStandIn() async throws {
        let policy = CachePolicy(freshFor: .seconds(10)).with {
            $0.staleFor = .seconds(1_000)
            $0.hardTimeout = .seconds(1)
        }
        let fixture = CachePolicyFixture(policy: policy)
        _ = try await fixture.lookup()
        fixture.time.advance(by: .seconds(10))
        let gate = fixture.store.hold(.record)
        let caller = Task { try await fixture.lookup() }
        await gate.arrivals(1)
        await fixture.time.sleepers(1)
        fixture.time.advance(by: .seconds(1))
        #expect((await error { try await caller.value } as? CacheError)?.code == .timedOut)
        fixture.expectRequests([.loaded: 1, .failed: 1])
        gate.open()
        try await fixture.settle()
        #expect(fixture.cache.memoryValue(forKey: "a") == 2)
    }

    @Test func hardTimeoutCoversStoreAndLoadTogether() async throws {
        try await becomeStale()
        fixture.evict()
        let (storeGate, gate) = (fixture.store.hold(.record), origin.hold())
        let caller = Task { try await fixture.lookup(policy: Self.policy.with { $0.softTimeout = nil }) }
        await storeGate.arrivals(1)
        await time.sleepers(1)
        time.advance(by: .seconds(4))
        storeGate.open()
        await gate.arrivals(1)
        try await waitUntil { cache.deadlines.count == 1 }
        time.advance(by: .seconds(2))
        #expect(try await caller.value.staleReason?.kind == .loadTimedOut)
        gate.open()
        try await fixture.settle()
    }

    @Test func everyCallerWaitsForItsOwnTime() async throws {
        try await becomeStale()
        let (patient, gate) = await slowCaller(
            Self.policy.with { ($0.softTimeout, $0.hardTimeout) = (nil, nil) }.with { $0.hardTimeout = .seconds(50) }
        )
        let hasty = Task { try await fixture.lookup(policy: Self.policy.with { $0.softTimeout = .milliseconds(1) }) }
        try await waitUntil { cache.deadlines.count == 2 && cache.waiterCount(for: "a") == 2 }
        time.advance(by: .milliseconds(1))
        #expect(try await hasty.value.staleReason?.kind == .loadTimedOut)
        gate.open()
        #expect(try await patient.value.value == 2)
        #expect(origin.callCount() == 2)
        #expect(cache.statistics.loadTimeouts == 1)
    }

    @Test func loadThatFailsAfterItsCallersHaveLeftThrottlesTheSource() async throws {
        try await becomeStale()
        let (caller, gate) = await slowCaller()
        origin.fail()
        // The origin had let in the call that is under way.
        time.advance(by: .seconds(2))
        _ = try await caller.value
        gate.open()
        try await fixture.settle()
        #expect(cache.memoryValue(forKey: "a") == 2)
        time.advance(by: .seconds(10))
        #expect(try await fixture.lookup().staleReason?.kind == .loadFailed)
        #expect(try await fixture.lookup().staleReason?.kind == .retryPending)
    }

    @Test func loadWhoseCallersHaveAllTimedOutIsNotCancelledByAnother() async throws {
        try await becomeStale()
        let gate = Gate()
        let isCancelled = Shared<Bool?>(nil)
        let load: @Sendable (String) async throws -> Int = { _ in
            await gate.pass()
            isCancelled.update { $0 = Task.isCancelled }
            return 5
        }
        let hasty = Task { try await cache.value(forKey: "a", load: load) }
        await gate.arrivals(1)
        let fickle = Task { try await cache.value(forKey: "a", policy: Self.policy.with { $0.softTimeout = nil }, load: load) }
        try await waitUntil { cache.waiterCount(for: "a") == 2 && cache.deadlines.count == 2 }
        await time.sleepers(1)
        time.advance(by: .seconds(2))
        #expect(try await hasty.value == 1)
        fickle.cancel()
        #expect(await error { try await fickle.value } is CancellationError)
        gate.open()
        try await fixture.settle()
        #expect(isCancelled.value == false)
        #expect(cache.memoryValue(forKey: "a") == 5)
    }

    @Test func callerThatIsCancelledWhileItWaitsLeavesNoDeadline() async throws {
        let (caller, gate) = await slowCaller()
        caller.cancel()
        #expect(await error { try await caller.value } is CancellationError)
        #expect(cache.deadlines.count == 0)
        gate.open()
        try await fixture.settle()
    }

    @Test func softTimeoutThatOutlastsTheStaleValueIsNoTimeout() async throws {
        // The stale value is usable on errors for 1 s more, which is less than the soft timeout.
        _ = try await fixture.lookup()
        time.advance(by: .seconds(109))
        let gate = origin.hold()
        let caller = Task { try await fixture.lookup(policy: Self.policy.with { $0.hardTimeout = nil }) }
        await gate.arrivals(1)
        time.advance(by: .seconds(50))
        gate.open()
        #expect(try await caller.value.value == 2)
        #expect(cache.statistics.loadTimeouts == 0)
    }

    @Test func callerThatIsWokenLateGetsWhatItWasPromised() async throws {
        _ = try await fixture.lookup()
        time.advance(by: .seconds(100))
        let (caller, gate) = await slowCaller(Self.policy.with { $0.hardTimeout = nil })
        time.advance(by: .seconds(1_000))
        let stale = try await caller.value
        #expect(stale.value == 1)
        #expect(stale.staleReason?.kind == .loadTimedOut)
        gate.open()
        try await fixture.settle()
    }

    @Test func timeoutOfZeroDoesNotWait() async throws {
        try await becomeStale()
        let gate = origin.hold()
        let stale = try await fixture.lookup(policy: Self.policy.with { $0.softTimeout = .zero })
        #expect(stale.staleReason?.kind == .loadTimedOut)
        await gate.arrivals(1)
        let thrown = await error { try await fixture.lookup("b", policy: Self.policy.with { $0.hardTimeout = .seconds(-1) }) }
        #expect((thrown as? CacheError)?.code == .timedOut)
        gate.open()
        try await fixture.settle()
        #expect(cache.memoryValue(forKey: "a") == 2)
    }

    @Test func removalDuringALoadThatNobodyWaitsForHolds() async throws {
        try await becomeStale()
        let (caller, gate) = await slowCaller()
        time.advance(by: .seconds(2))
        _ = try await caller.value
        await cache.removeValue(forKey: "a")
        gate.open()
        try await fixture.settle()
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(try await fixture.record() == nil)
    }
}
