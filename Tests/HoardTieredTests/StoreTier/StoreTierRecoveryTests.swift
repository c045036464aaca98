// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Stores that the tier leaves alone, and the removals that they have missed.
@Suite(.timeLimit(.minutes(5))) struct StoreTierRecoveryTests {
    private let fixture = StoreTierFixture(.init(failuresToOpen: 3))
    private var tier: StoreTier { fixture.tier }
    private var store: ScriptedStore { fixture.store }

    /// Lets the circuit open, and the store work again.
    private func openCircuit() async {
        store.fail("record")
        for _ in 0..<3 { _ = await fixture.read("none") }
        store.heal()
        store.forgetCalls()
    }

    /// Whether the time of the next attempt is settled. An attempt that has failed plans the next one when it ends.
    private var isNextAttemptPlanned: Bool { tier.withState { $0.recovery }.phase == .planned }

    /// Lets all other tasks run until they wait.
    private func settle() async {
        for _ in 0..<200 { await Task.yield() }
    }

    // MARK: The circuit

    @Test func storeThatFailsTooOftenIsLeftAlone() async {
        fixture.put(1, "a", tags: ["x"])
        await openCircuit()
        #expect(tier.health.circuit == .open)
        #expect(fixture.events.value == [.storeFailed, .circuitOpened])
        #expect(await fixture.read("a") == "circuitOpen")
        let found = await tier.records(forKeys: ["a", "b"])
        #expect(found.skipped == ["a": .circuitOpen, "b": .circuitOpen])
        await fixture.insert(2, "a")
        await fixture.remove("b")
        await fixture.markStale("c")
        await fixture.removeTagged("x")
        await tier.markStale(taggedWith: ["y"], at: Date()) {}
        #expect(store.calls.isEmpty)
        #expect(tier.health.pendingInvalidations == 5)
        #expect(tier.failureCount == 3)
    }

    @Test func manyForeignChangesOfAStoreThatIsLeftAloneMakeOnePlan() async {
        await openCircuit()
        tier.outdate("0")
        let count = tier.deadlines.count
        for number in 1..<100 { tier.outdate(RecordKey("\(number)")) }
        #expect(tier.deadlines.count == count)
        #expect(tier.health.pendingInvalidations == 100)
    }

    @Test func timeoutsOpenTheCircuit() async throws {
        let gate = store.hold("record", "remove", "removeAll")
        let reads = Task {
            _ = await fixture.read("a")
            await fixture.remove("b")
            await tier.removeAll {}
        }
        for count in 1...3 {
            await gate.arrivals(count)
            fixture.ticker.advance(by: .seconds(1))
        }
        await reads.value
        #expect(tier.health.circuit == .open)
        #expect(tier.health.timeouts == 3)
        gate.open()
        try await waitUntil { tier.health.overdueCalls == 0 }
        #expect(tier.health.circuit == .open, "answers that come too late do not count")
    }

    @Test func whatIsPassedByIsAskedWhetherItIsWanted() async {
        await openCircuit()
        let asked = Counter()
        await tier.insert([.init(key: "a", record: StoreTierFixture.record(1)) { asked.increment() < 0 ? .wanted : .unwanted }])
        #expect(asked.value == 1)
        #expect(tier.health.pendingInvalidations == 0)
    }

    @Test func firstReadAfterThePauseIsTheProbe() async {
        fixture.put(1, "a")
        await openCircuit()
        fixture.ticker.advance(by: .milliseconds(1_999))
        #expect(await fixture.read("a") == "circuitOpen")
        fixture.ticker.advance(by: .milliseconds(1))
        #expect(await fixture.read("a") == "1")
        #expect(tier.health.circuit == .closed)
        #expect(fixture.events.value == [.storeFailed, .circuitOpened, .storeRecovered, .circuitClosed])
    }

    @Test func onlyOneProbeIsMadeAtATime() async {
        await openCircuit()
        fixture.ticker.advance(by: .seconds(2))
        let gate = store.hold("record")
        let probe = Task { await fixture.read("a") }
        await gate.arrivals(1)
        #expect(tier.health.circuit == .halfOpen)
        #expect(await fixture.read("a") == "circuitOpen")
        await fixture.remove("b")
        #expect(store.calls == ["record(a)"])
        fixture.ticker.advance(by: .seconds(1))
        #expect(await probe.value == "timedOut")
        #expect(tier.health.circuit == .open)
        fixture.ticker.advance(by: .milliseconds(3_999))
        #expect(await fixture.read("a") == "circuitOpen", "the pause has doubled")
        gate.open()
    }

    @Test func probeThatIsBrokenOffDoesNotBlockTheCircuit() async {
        await openCircuit()
        fixture.ticker.advance(by: .seconds(2))
        store.fail("record")
        let probe = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await fixture.read("a")
        }
        #expect(await probe.value == "failed")
        store.heal()
        #expect(await fixture.read("a") == "nothing")
        #expect(tier.health.circuit == .closed)
    }

    @Test func changeThatWaitedUntilTheCircuitOpenedIsMissed() async throws {
        let gate = store.hold("insert")
        let first = Task { await fixture.insert(1, "a") }
        await gate.arrivals(1)
        let second = Task { await fixture.remove("a") }
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        await openCircuit()
        gate.open()
        await first.value
        await second.value
        #expect(store.calls.isEmpty)
        #expect(fixture.stored("a") == 1)
        #expect(tier.health.pendingInvalidations == 1)
    }

    // MARK: The journal

    @Test func whatWasMissedIsMadeGoodWithoutTraffic() async throws {
        for key: RecordKey in ["a", "b", "c", "d"] { fixture.put(1, key, tags: key == "c" ? ["x"] : []) }
        await openCircuit()
        await fixture.remove("a", "b")
        await fixture.removeTagged("x", "y")
        await settle()
        #expect(store.calls.isEmpty, "nothing happens until time is moved")
        fixture.ticker.advance(by: .seconds(2))
        // The tier reports an event after the change that it is about can be seen.
        try await waitUntil { tier.health.isSound && fixture.events.value.contains(.circuitClosed) }
        #expect(store.calls == ["removeTagged(x,y)", "removeKeys(a,b)"])
        #expect(store.records.keys.map(\.description) == ["d"])
        #expect(fixture.events.value.last == .circuitClosed)
        #expect(await fixture.read("d") == "1")
    }

    @Test func failedReplayIsTriedAgainAfterTheNextPause() async throws {
        fixture.put(1, "a")
        await openCircuit()
        await fixture.remove("a")
        store.fail()
        for (pause, attempts) in [(2, 1), (4, 2), (8, 3)] {
            fixture.ticker.advance(by: .seconds(pause))
            try await waitUntil { store.calls.count == attempts && tier.health.circuit == .open && isNextAttemptPlanned }
            await settle()
            #expect(store.calls.count == attempts, "it does not spin")
            #expect(await fixture.read("a") == "circuitOpen")
        }
        store.heal()
        fixture.ticker.advance(by: .seconds(16))
        try await waitUntil { tier.health.isSound }
        #expect(fixture.stored("a") == nil)
    }

    @Test func whatWasMissedByAStoreThatIsNotLeftAloneIsTriedAgainLater() async throws {
        fixture.put(1, "a")
        store.fail("remove")
        await fixture.remove("a")
        store.forgetCalls()
        fixture.ticker.advance(by: .milliseconds(1_999))
        await settle()
        #expect(store.calls.isEmpty)
        fixture.ticker.advance(by: .milliseconds(1))
        try await waitUntil { store.calls.count == 1 && tier.failureCount == 2 && isNextAttemptPlanned }
        store.heal()
        await settle()
        fixture.ticker.advance(by: .seconds(2))
        try await waitUntil { tier.health.isSound }
        #expect(store.calls == ["remove(a)", "remove(a)"])
    }

    @Test func probeOfSomebodyElseStartsTheReplay() async throws {
        fixture.put(1, "a")
        await openCircuit()
        fixture.ticker.advance(by: .seconds(2))
        let gate = store.hold("record")
        let probe = Task { await fixture.read("b") }
        await gate.arrivals(1)
        await fixture.remove("a")
        gate.open()
        _ = await probe.value
        try await waitUntil { tier.health.isSound }
        #expect(store.calls == ["record(b)", "remove(a)"])
    }

    @Test func replayTakesManyKeysInBatches() async throws {
        let keys = (0..<600).map { RecordKey("\($0)") }
        for key in keys { fixture.put(1, key) }
        await openCircuit()
        await tier.remove(keys.map { .init(key: $0) { .wanted } })
        fixture.ticker.advance(by: .seconds(2))
        try await waitUntil { tier.health.isSound }
        #expect(store.records.isEmpty)
        #expect(store.calls.count == 3)
    }

    /// A replay that lands must not settle a removal that the store missed while the replay was under way.
    @Test func whatIsMissedDuringAReplayIsReplayedAgain() async throws {
        fixture.put(1, "a", tags: ["x"])
        await openCircuit()
        await fixture.remove("a")
        await fixture.removeTagged("x")
        await tier.removeAll {}
        let gate = store.hold(afterwards: true)
        fixture.ticker.advance(by: .seconds(2))
        await gate.arrivals(1)
        #expect(store.calls == ["removeAll()"])
        store.heal()
        await fixture.remove("a")
        await fixture.removeTagged("x")
        fixture.put(2, "a", tags: ["x"])
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(store.calls == ["removeAll()", "removeTagged(x)", "remove(a)"])
        #expect(fixture.stored("a") == nil)
    }

    @Test func writeDuringAReplayOfItsKeyComesAfterIt() async throws {
        store.fail("remove")
        await fixture.remove("a")
        let gate = store.hold("remove")
        fixture.ticker.advance(by: .seconds(2))
        await gate.arrivals(1)
        let write = Task { await fixture.insert(2, "a") }
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        gate.open()
        await write.value
        #expect(await fixture.read("a") == "2")
        #expect(tier.health.isSound)
    }

    @Test func keyWhoseChangeHangsIsNotReplayedUntilThatHasLanded() async throws {
        let gate = store.hold("insert")
        let write = Task { await fixture.insert(1, "a") }
        await gate.arrivals(1)
        fixture.ticker.advance(by: .seconds(1))
        await write.value
        store.heal()
        for _ in 0..<5 {
            fixture.ticker.advance(by: .seconds(2))
            await settle()
        }
        #expect(store.calls == ["insert(a)"])
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(await fixture.read("a") == "1")
    }

    @Test func hungReplayIsNotSentAgainAndAgain() async throws {
        store.fail("removeAll")
        await tier.removeAll {}
        store.forgetCalls()
        let gate = store.hold("removeAll")
        fixture.ticker.advance(by: .seconds(2))
        await gate.arrivals(1)
        for _ in 0..<20 {
            fixture.ticker.advance(by: .seconds(2))
            await settle()
        }
        #expect(store.calls == ["removeAll()"])
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        try await waitUntil { tier.health.isSound }
    }

    @Test func afterAFailedRemovalOfEverythingNothingIsReadUntilItIsMadeGood() async throws {
        for key: RecordKey in ["a", "b"] { fixture.put(1, key) }
        store.fail("removeAll")
        await tier.removeAll {}
        #expect(tier.health.isInvalid)
        await fixture.insert(2, "a")
        #expect(await fixture.read("a") == "invalidationPending", "not even what was written since, for it cannot be told apart")
        store.heal()
        fixture.ticker.advance(by: .seconds(2))
        try await waitUntil { tier.health.isSound }
        #expect(await fixture.read("b") == "nothing")
        await fixture.insert(3, "b")
        #expect(await fixture.read("b") == "3")
    }

    @Test func journalThatOverflowsInvalidatesTheStore() async throws {
        let fixture = StoreTierFixture(.init(failuresToOpen: 1, maximumJournalCount: 3))
        fixture.put(1, "old")
        fixture.store.fail("record")
        _ = await fixture.read("old")
        fixture.store.heal()
        for key: RecordKey in ["a", "b"] { await fixture.remove(key) }
        await fixture.removeTagged("x")
        #expect(fixture.events.value == [.storeFailed, .circuitOpened])
        await fixture.remove("c")
        await fixture.remove("d", "e", "f", "g", "h")
        #expect(fixture.events.value == [.storeFailed, .circuitOpened, .journalOverflowed])
        #expect(fixture.tier.health.isInvalid)
        fixture.ticker.advance(by: .seconds(2))
        try await fixture.until { fixture.tier.health.isSound }
        #expect(fixture.store.calls.contains("removeAll()"))
        #expect(fixture.store.records.isEmpty)
        #expect(await fixture.read("old") == "nothing")
    }

    /// The journal has the key of a write that is still under way when it overflows, and
    /// forgets the key with the rest.
    @Test func writeThatLandsAfterAnOverflowDoesNotComeBack() async throws {
        let fixture = StoreTierFixture(.init(failuresToOpen: 1_000, maximumJournalCount: 2))
        let gate = fixture.store.hold("insert")
        let write = Task { await fixture.insert(1, "a") }
        await gate.arrivals(1)
        fixture.ticker.advance(by: .seconds(1))
        await write.value
        let removal = Task { await fixture.remove("a") }
        try await fixture.until { fixture.tier.waiterCount(for: "a") == 1 }
        fixture.ticker.advance(by: .seconds(1))
        await removal.value
        fixture.store.fail("removeKeys")
        await fixture.remove("b", "c", "d")
        #expect(fixture.tier.health.isInvalid)
        fixture.store.heal()
        fixture.ticker.advance(by: .seconds(2))
        try await fixture.until { !fixture.tier.health.isInvalid }
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        try await fixture.until { fixture.store.calls.last == "remove(a)" && fixture.tier.health.isSound }
        #expect(await fixture.read("a") == "nothing")
    }

    /// A write that was given up lands while a recovery finds nothing more to do: its record is removed at once all the same.
    @Test func urgencyIsNotForgottenAsARecoveryEnds() async throws {
        for seed: UInt64 in 0..<500 {
            let isSound = try await SeededExecutor(seed: seed).run {
                let fixture = StoreTierFixture(.init(failuresToOpen: 1_000, maximumJournalCount: 2))
                let gate = fixture.store.hold("insert")
                let write = SeededExecutor.task { await fixture.insert(1, "a") }
                await gate.arrivals(1)
                fixture.ticker.advance(by: .seconds(1))
                await write.value
                fixture.store.fail("removeKeys")
                await fixture.remove("b", "c", "d")
                fixture.store.heal()
                fixture.ticker.advance(by: .seconds(2))
                while fixture.tier.health.isInvalid { await Task.yield() }
                gate.open()
                for _ in 0..<200 where !fixture.tier.health.isSound { await Task.yield() }
                return fixture.tier.health.isSound
            }
            #expect(isSound, "seed \(seed)")
        }
    }

    // MARK: The end

    @Test func tierThatIsReleasedWaitsForNothingMore() async throws {
        let ticker = fixture.ticker
        weak var released: StoreTier?
        do {
            let store = ScriptedStore()
            let tier = StoreTier(store: store, configuration: .init(failuresToOpen: 1), ticker: ticker, observer: nil) { _ in }
            released = tier
            store.fail()
            await tier.remove([.init(key: "a") { .wanted }])
            try await waitUntil { ticker.sleeperCount == 1 }
        }
        try await waitUntil { released == nil && ticker.sleeperCount == 0 }
    }

    @Test func closingTriesOnceMore() async {
        fixture.put(1, "a")
        await openCircuit()
        await fixture.remove("a")
        await tier.close()
        #expect(store.calls == ["remove(a)", "close()"])
        #expect(fixture.stored("a") == nil)
    }

    @Test func closingGoesOnWhereARecoveryUnderWayEnds() async {
        store.fail("removePartition", "removeTagged")
        await fixture.removePartition("p")
        await fixture.removeTagged("x")
        let gate = store.hold("removePartition")
        store.forgetCalls()
        fixture.ticker.advance(by: .seconds(2))
        await gate.arrivals(1)
        async let closing: Void = tier.close()
        await settle()
        gate.open()
        await closing
        #expect(store.calls == ["removePartition(p)", "removeTagged(x)", "close()"])
    }

    @Test func closingDoesNotInsist() async {
        await openCircuit()
        await fixture.remove("a")
        store.fail()
        await tier.close()
        #expect(store.calls == ["remove(a)", "close()"])
        for _ in 0..<5 {
            fixture.ticker.advance(by: .seconds(60))
            await settle()
        }
        #expect(store.calls == ["remove(a)", "close()"])
    }

    @Test func storeThatWasClosedBySomebodyElseIsNotAskedAgainAndAgain() async {
        await store.close()
        store.forgetCalls()
        await fixture.remove("a")
        for _ in 0..<100 {
            fixture.ticker.advance(by: .milliseconds(100))
            await settle()
        }
        #expect(store.calls.count < 8)
        #expect(await fixture.read("a") != "1")
    }
}
