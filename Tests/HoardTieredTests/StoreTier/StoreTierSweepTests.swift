// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Removals by tag, by partition and of everything, while writes are under way.
@Suite(.timeLimit(.minutes(5))) struct StoreTierSweepTests {
    private let fixture = StoreTierFixture(.init(failuresToOpen: 1_000))
    private var tier: StoreTier { fixture.tier }
    private var store: ScriptedStore { fixture.store }

    enum Sweep: CaseIterable, Sendable { case tag, partition, everything, markTag, markEverything }

    private func make(_ sweep: Sweep, onTurn: @escaping @Sendable () -> Void = {}) async {
        switch sweep {
        case .tag: await tier.removeRecords(taggedWith: ["x"], onTurn: onTurn)
        case .partition: await tier.removePartition("p", onTurn: onTurn)
        case .everything: await tier.removeAll(onTurn: onTurn)
        case .markTag: await tier.markStale(taggedWith: ["x"], at: Date(timeIntervalSince1970: 0), onTurn: onTurn)
        case .markEverything: await tier.markAllStale(at: Date(timeIntervalSince1970: 0), onTurn: onTurn)
        }
    }

    @Test(arguments: Sweep.allCases)
    func olderWriteThatLandsLaterDoesNotComeBack(_ sweep: Sweep) async throws {
        let gate = store.hold("insert", "insertAll")
        async let write: Void = fixture.insert(1, "a", tags: ["x"], partition: "p")
        let record = StoreTierFixture.record(1, tags: ["x"], partition: "p")
        async let bulk: Void = tier.insert(["b", "c"].map { .init(key: $0, record: record) { .wanted } })
        await gate.arrivals(2)
        await make(sweep)
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        _ = await (write, bulk)
        #expect(store.records.isEmpty)
        #expect(await fixture.read("a") == "nothing")
        #expect(tier.health.isSound)
    }

    @Test(arguments: [Sweep.tag, .partition]) func writesWithoutTheTagOrThePartitionAreLeftAlone(_ sweep: Sweep) async throws {
        let gate = store.hold("insert")
        async let write: Void = fixture.insert(1, "a", tags: ["y", "p"], partition: "x")
        await gate.arrivals(1)
        await make(sweep)
        gate.open()
        await write
        #expect(await fixture.read("a") == "1")
    }

    @Test(arguments: Sweep.allCases)
    func newerWritesAreLeftAlone(_ sweep: Sweep) async throws {
        fixture.put(9, "b", tags: ["x"], partition: "p")
        let gate = store.hold("insert")
        async let write: Void = fixture.insert(1, "a", tags: ["x"], partition: "p")
        await gate.arrivals(1)
        await make(sweep)
        async let newer: Void = fixture.insert(2, "a", tags: ["x"], partition: "p")
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        gate.open()
        _ = await (write, newer)
        #expect(await fixture.read("a") == "2")
    }

    /// The write that waits would have replaced an older record. That record does not have the tag,
    /// so the removal does not concern it.
    @Test func olderWriteThatWaitsBecomesARemoval() async throws {
        fixture.put(1, "a")
        let gate = store.hold("markStale")
        async let mark: Void = fixture.markStale("a")
        await gate.arrivals(1)
        let isWanted = Shared(true)
        async let write: Void = tier.insert([
            .init(key: "a", record: StoreTierFixture.record(2, tags: ["x"])) { isWanted.value ? .wanted : .unwanted }
        ])
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        await make(.tag) { isWanted.update { $0 = false } }
        gate.open()
        _ = await (mark, write)
        #expect(fixture.stored("a") == nil)
        #expect(!store.calls.contains("insert(a)"))
    }

    /// A store may mark a record by reading it and writing it again. That brings back a record
    /// that was removed in between.
    @Test(arguments: [Sweep.tag, .partition, .everything])
    func olderMarkThatLandsLaterBringsNothingBack(_ sweep: Sweep) async throws {
        fixture.put(1, "a", tags: ["x"], partition: "p")
        let gate = store.hold("markStale")
        async let mark: Void = fixture.markStale("a")
        await gate.arrivals(1)
        await make(sweep)
        #expect(fixture.stored("a") == nil)
        gate.open()
        await mark
        #expect(fixture.stored("a") == nil)
        #expect(await fixture.read("a") == "nothing")
    }

    /// The mark may have read the record before the removal, and may write it again after the removal.
    @Test(arguments: [Sweep.tag, .partition, .everything], [false, true])
    func markDuringARemovalRemoves(_ sweep: Sweep, isGivenUp: Bool) async throws {
        fixture.put(1, "a", tags: ["x"], partition: "p")
        let gate = store.hold("removeTagged", "removePartition", "removeAll")
        let removal = Task { await make(sweep) }
        await gate.arrivals(1)
        if isGivenUp {
            await fixture.ticker.sleepers(1)
            fixture.ticker.advance(by: .seconds(2))
            await removal.value
        }
        store.heal()
        let mark = store.hold("markStale")
        await fixture.markStale("a")
        gate.open()
        await removal.value
        mark.open()
        #expect(!store.calls.contains("markStale(a)"))
        #expect(store.records.isEmpty)
        try await waitUntil { tier.health.isSound }
        fixture.put(2, "a", tags: ["x"], partition: "p")
        await fixture.markStale("a")
        #expect(store.calls.contains("markStale(a)"), "no removal is under way any more")
    }

    @Test func otherKeysAreNotHeldUpBySlowWrites() async throws {
        fixture.put(1, "b", tags: ["x"])
        let gate = store.hold("insert")
        async let write: Void = fixture.insert(1, "a", tags: ["x"])
        await gate.arrivals(1)
        store.heal()
        await make(.tag)
        #expect(fixture.stored("b") == nil, "it did not wait for the write")
        await fixture.insert(2, "b", tags: ["x"])
        #expect(await fixture.read("b") == "2")
        gate.open()
        await write
        #expect(fixture.stored("b") == 2)
    }

    @Test func slowSweepHoldsUpNobodyAndIsNotReadPast() async throws {
        fixture.put(1, "a", tags: ["x"])
        fixture.put(1, "b")
        let gate = store.hold("removeTagged")
        let removal = Task { await fixture.removeTagged("x") }
        await gate.arrivals(1)
        await fixture.insert(2, "b")
        #expect(await fixture.read("b") == "2")
        fixture.ticker.advance(by: .seconds(1))
        await removal.value
        #expect(await fixture.read("a") == "invalidationPending")
        #expect(await fixture.read("b") == "2")
        #expect(await tier.records(forKeys: ["a", "b"]).records.keys.map(\.description) == ["b"])
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(fixture.stored("a") == nil)
    }

    @Test func slowRemovalOfEverythingIsNotReadPast() async throws {
        fixture.put(1, "a")
        let gate = store.hold("removeAll")
        let removal = Task { await tier.removeAll {} }
        await gate.arrivals(1)
        fixture.ticker.advance(by: .seconds(1))
        await removal.value
        #expect(await fixture.read("a") == "invalidationPending")
        gate.open()
        try await waitUntil { tier.health.isSound }
        #expect(await fixture.read("a") == "nothing")
    }

    /// Time jumps before each job until the store has been called.
    @Test(arguments: UInt64(0)..<16)
    func timeInWhichABusyProcessDoesNotCallTheStoreIsNotTheStores(seed: UInt64) async throws {
        let executor = SeededExecutor(seed: seed, time: fixture.ticker) { [fixture] _ in
            if fixture.store.calls.isEmpty { fixture.ticker.advance(by: .seconds(2)) }
        }
        try await executor.run { [fixture] in await fixture.removeTagged("x") }
        #expect(store.calls == ["removeTagged(x)"])
        #expect(tier.health.timeouts == 0)
        #expect(tier.health.isSound)
    }

    @Test func missedMarkByTagIsARemoval() async throws {
        fixture.put(1, "a", tags: ["x"])
        store.fail("markTaggedStale")
        await make(.markTag)
        #expect(await fixture.read("a") == "invalidationPending")
        store.heal()
        await make(.markTag)
        #expect(await fixture.read("a") == "invalidationPending", "a mark does not make a removal good")
        fixture.ticker.advance(by: .seconds(2))
        try await waitUntil { tier.health.isSound }
        #expect(fixture.stored("a") == nil)
    }

    /// A read saw the record before the removal was made good. The read began after the removal had returned.
    @Test func removalByTagThatIsMadeGoodWhileAReadIsUnderWayHoldsAgainstIt() async throws {
        fixture.put(1, "a", tags: ["x"])
        store.fail("removeTagged")
        await fixture.removeTagged("x")
        let gate = store.hold("record", "records", afterwards: true)
        let read = Task { await fixture.read("a") }
        let bulk = Task { await tier.records(forKeys: ["a", "b"]) }
        await gate.arrivals(2)
        await fixture.removeTagged("x")
        #expect(tier.health.isSound)
        gate.open()
        #expect(await read.value == "invalidationPending")
        #expect(await bulk.value.records.isEmpty)
    }

    @Test func laterRemovalByTagMakesTheMissedOneGood() async {
        fixture.put(1, "a", tags: ["x"])
        store.fail("removeTagged")
        await fixture.removeTagged("x", "y")
        #expect(tier.health.pendingInvalidations == 2)
        store.heal()
        await fixture.removeTagged("x")
        #expect(tier.health.pendingInvalidations == 1)
        await tier.removeAll {}
        #expect(tier.health.isSound)
    }

    @Test(arguments: Sweep.allCases)
    func turnIsAnnouncedOnceBeforeTheStoreIsCalled(_ sweep: Sweep) async {
        let callsAtTurn = Shared<[Int]>([])
        let store = store
        await make(sweep) { callsAtTurn.update { $0.append(store.calls.count) } }
        #expect(callsAtTurn.value == [0])
        store.fail()
        await make(sweep) { callsAtTurn.update { $0.append(store.calls.count) } }
        #expect(callsAtTurn.value == [0, 1])
    }

    /// A removal may begin after the tier asks whether a write is wanted and before it calls the store.
    @Test func writeThatWasStillWantedAMomentAgoDoesNotComeBack() async throws {
        let (tier, store) = (tier, store)
        let isSwept = Gate()
        let insertion = StoreTier.Insertion(key: "a", record: StoreTierFixture.record(1, tags: ["x"])) {
            Task {
                await tier.removeRecords(taggedWith: ["x"]) {}
                isSwept.open()
            }
            // The tier has asked the condition. The removal is done before the condition answers.
            while store.calls.isEmpty {}
            return .wanted
        }
        await tier.insert([insertion])
        await isSwept.pass()
        #expect(fixture.stored("a") == nil)
    }
}
