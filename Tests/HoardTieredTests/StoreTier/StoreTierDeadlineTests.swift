// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Operations that take longer than the deadline, and answers that come late.
@Suite(.timeLimit(.minutes(5))) struct StoreTierDeadlineTests {
    private let fixture = StoreTierFixture(.init(failuresToOpen: 1_000))
    private var tier: StoreTier { fixture.tier }
    private var store: ScriptedStore { fixture.store }

    /// Begins an operation, and lets the deadline pass when the store has been asked.
    private func outlast(_ gate: Gate, arrivals: Int = 1, _ operation: @escaping @Sendable () async -> Void) async {
        let task = Task { await operation() }
        await gate.arrivals(arrivals)
        fixture.ticker.advance(by: .seconds(1))
        await task.value
    }

    @Test func slowReadIsPassedBy() async {
        fixture.put(1, "a")
        let gate = store.hold("record", "records")
        await outlast(gate) { [fixture] in #expect(await fixture.read("a") == "timedOut") }
        await outlast(gate, arrivals: 2) { [fixture] in
            let found = await fixture.tier.records(forKeys: ["a", "b"])
            #expect(found.records.isEmpty)
            #expect(found.skipped == ["a": .timedOut, "b": .timedOut])
        }
        #expect(tier.failureCount == 2)
        #expect(tier.health.timeouts == 2)
        #expect(fixture.events.value == [.storeFailed])
        gate.open()
        store.heal()
        #expect(await fixture.read("a") == "1")
    }

    @Test func deadlineIsNotEarly() async {
        let gate = store.hold("record")
        let read = Task { await fixture.read("a") }
        await gate.arrivals(1)
        fixture.ticker.advance(by: .milliseconds(999))
        gate.open()
        #expect(await read.value == "nothing")
        #expect(tier.failureCount == 0)
    }

    @Test func withoutADeadlineTheStoreIsWaitedFor() async {
        let fixture = StoreTierFixture(.init(deadline: nil))
        fixture.put(1, "a")
        let gate = fixture.store.hold()
        let read = Task { await fixture.read("a") }
        let write = Task { await fixture.insert(2, "b") }
        await gate.arrivals(2)
        fixture.ticker.advance(by: .seconds(1_000_000))
        #expect(fixture.ticker.sleeperCount == 0)
        gate.open()
        #expect(await read.value == "1")
        await write.value
        #expect(fixture.stored("b") == 2)
    }

    @Test func writeThatOutlivesItsDeadlineIsNotReadUntilItHasLanded() async throws {
        fixture.put(1, "a")
        let gate = store.hold("insert")
        await outlast(gate) { [fixture] in await fixture.insert(2, "a") }
        #expect(await fixture.read("a") == "invalidationPending", "the store still has what was replaced")
        #expect(tier.health.overdueCalls == 1)
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(await fixture.read("a") == "2")
        #expect(tier.health.overdueCalls == 0)
    }

    @Test func removalThatOutlivesItsDeadlineIsNotUndone() async throws {
        fixture.put(1, "a")
        let gate = store.hold("remove")
        await outlast(gate) { [fixture] in await fixture.remove("a") }
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(await fixture.read("a") == "nothing")
    }

    /// The tier sends no change of a key while an older change of it may still land.
    @Test func noChangeOvertakesOneThatOutlivesItsDeadline() async throws {
        let gate = store.hold("insert")
        await outlast(gate) { [fixture] in await fixture.insert(1, "a") }
        let second = Task { await fixture.insert(2, "a") }
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        #expect(store.calls == ["insert(a)"])
        gate.open()
        await second.value
        #expect(fixture.stored("a") == 2)
        #expect(await fixture.read("a") == "2")
    }

    @Test func changeWhoseTurnDoesNotComeInTimeIsNeverMade() async throws {
        let gate = store.hold("insert")
        await outlast(gate) { [fixture] in await fixture.insert(1, "a") }
        let asked = Counter()
        let second = Task {
            await fixture.tier.insert([.init(key: "a", record: StoreTierFixture.record(2)) { asked.increment() > 0 ? .wanted : .unwanted }])
        }
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        fixture.ticker.advance(by: .seconds(1))
        await second.value
        #expect(asked.value == 1)
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        // The first write lands. It is older than the missed removal, so the store has to remove it.
        try await recover()
        #expect(fixture.stored("a") == nil)
        #expect(await fixture.read("a") == "nothing")
        #expect(!store.calls.dropFirst().contains("insert(a)"))
        #expect(asked.value == 1)
    }

    @Test func changeThatIsNotWantedWhenItsTimeIsUpIsNotMissed() async throws {
        let gate = store.hold("insert")
        await outlast(gate) { [fixture] in await fixture.insert(1, "a") }
        let second = Task { await fixture.tier.remove([.init(key: "a") { .unwanted }]) }
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        fixture.ticker.advance(by: .seconds(1))
        await second.value
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(await fixture.read("a") == "1")
    }

    @Test func lateFailureIsMadeGood() async throws {
        fixture.put(1, "a")
        let gate = Gate()
        store.setScript { $0.name == "insert" ? .init(gate: gate, error: StoreError(.unavailable, "")) : .pass }
        await outlast(gate) { [fixture] in await fixture.insert(2, "a") }
        #expect(tier.failureCount == 1)
        gate.open()
        try await recover()
        #expect(fixture.stored("a") == nil)
        #expect(tier.failureCount == 1, "it is counted once, when the deadline came")
    }

    @Test func oneSlowKeyOfABulkWriteIsTheOnlyOneNotRead() async throws {
        for key: RecordKey in ["a", "b"] { fixture.put(1, key) }
        let gate = store.hold("insert")
        await outlast(gate) { [fixture] in await fixture.insert(2, "a") }
        let bulk = Task { await tier.insert(["a", "b"].map { .init(key: $0, record: StoreTierFixture.record(3)) { .wanted } }) }
        store.setScript { $0.name == "insert" && $0.keys == ["a"] ? .init(gate: gate) : .pass }
        try await waitUntil { fixture.stored("b") == 3 }
        fixture.ticker.advance(by: .seconds(1))
        await bulk.value
        #expect(await fixture.read("b") == "3")
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        try await recover()
        #expect(await fixture.read("b") == "3")
        #expect(fixture.stored("a") == nil)
    }

    @Test func invalidationThatWasMissedWhileAReadWasUnderWayHoldsAgainstIt() async throws {
        fixture.put(1, "a", tags: ["x"])
        for isTag in [false, true] {
            let gate = store.hold("record", afterwards: true)
            let read = Task { await fixture.read("a") }
            await gate.arrivals(1)
            store.fail("remove", "removeTagged")
            if isTag { await fixture.removeTagged("x") } else { await fixture.remove("a") }
            gate.open()
            #expect(await read.value == "invalidationPending")
            store.heal()
            fixture.ticker.advance(by: .seconds(2))
            try await waitUntil { tier.health.isSound }
            fixture.put(1, "a", tags: ["x"])
        }
    }

    /// Moves time to the next recovery until the store misses nothing any more.
    private func recover() async throws {
        store.heal()
        try await waitUntil {
            if tier.health.isSound { return true }
            let (recovery, now) = (tier.withState { $0.recovery }, fixture.ticker.nanoseconds())
            // Time stands still while the store is at work: a call must not be given up because its task gets no processor.
            let isAtWork = tier.changeCount > 0 || store.inProgressCount > 0 || recovery.phase != .planned
            if !isAtWork, recovery.planTime > now { fixture.ticker.advance(by: .nanoseconds(recovery.planTime - now)) }
            return false
        }
    }
}
