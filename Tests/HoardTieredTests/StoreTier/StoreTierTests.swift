// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct StoreTierTests {
    private let fixture = StoreTierFixture()
    private var tier: StoreTier { fixture.tier }
    private var store: ScriptedStore { fixture.store }

    @Test func operationsReachTheStore() async {
        await fixture.insert(1, "a")
        await fixture.insert(2, "b")
        #expect(await fixture.read("a") == "1")
        await fixture.remove("a")
        #expect(await fixture.read("a") == "nothing")
        await tier.removeAll {}
        #expect(await fixture.read("b") == "nothing")
        #expect(tier.failureCount == 0)
        #expect(fixture.events.value.isEmpty)
        #expect(tier.health.isSound)
    }

    @Test func severalKeysTakeOneCall() async {
        let records: [RecordKey: Record] = ["a": StoreTierFixture.record(1), "b": StoreTierFixture.record(2), "c": StoreTierFixture.record(3)]
        await tier.insert(records.map { .init(key: $0, record: $1) { .wanted } })
        let found = await tier.records(forKeys: ["a", "b", "x"])
        #expect(found.records.mapValues { $0.payload.first } == ["a": 1, "b": 2])
        #expect(found.skipped.isEmpty)
        await fixture.remove("a", "b")
        #expect(store.calls == ["insertAll(a,b,c)", "records(a,b,x)", "removeKeys(a,b)"])
        #expect(store.records.keys.sorted { $0.description < $1.description } == ["c"])
        await fixture.markStale("c", at: 7)
        #expect(store.records["c"]?.freshUntil == Date(timeIntervalSince1970: 7))
    }

    @Test func oneKeyIsReadAndChangedByThePlainCalls() async {
        await fixture.insert(1, "a")
        _ = await tier.records(forKeys: ["a"])
        await fixture.remove("a")
        #expect(store.calls == ["insert(a)", "record(a)", "remove(a)"])
    }

    @Test func nothingToDoIsNoCall() async {
        await tier.insert([])
        await tier.remove([])
        await tier.markStale([], at: Date())
        await tier.removeRecords(taggedWith: []) {}
        let found = await tier.records(forKeys: [])
        #expect(found.records.isEmpty && found.skipped.isEmpty)
        #expect(store.calls.isEmpty)
    }

    @Test func ofTheSameKeyTwiceTheLastCounts() async {
        await tier.insert([
            .init(key: "a", record: StoreTierFixture.record(1)) { .unwanted },
            .init(key: "a", record: StoreTierFixture.record(2)) { .wanted },
        ])
        #expect(fixture.stored("a") == 2)
    }

    @Test func recordsAreMarkedStaleByKeyByTagAndAltogether() async {
        for (key, tags) in [("a", []), ("b", ["x"]), ("c", [])] as [(RecordKey, Set<String>)] { await fixture.insert(1, key, tags: tags) }
        await fixture.markStale("a", at: 1)
        await tier.markStale(taggedWith: ["x"], at: Date(timeIntervalSince1970: 2)) {}
        await tier.markAllStale(at: Date(timeIntervalSince1970: 3)) {}
        #expect(["a", "b", "c"].map { store.records[$0]?.freshUntil?.timeIntervalSince1970 } == [1, 2, 3])
        #expect(store.calls.suffix(3) == ["markStale(a)", "markTaggedStale(x)", "markAllStale()"])
    }

    @Test func changeThatIsNoLongerWantedIsNotMade() async {
        await tier.insert([.init(key: "a", record: StoreTierFixture.record(1)) { .unwanted }])
        await tier.remove([.init(key: "a") { .unwanted }])
        await tier.markStale([.init(key: "a") { .unwanted }], at: Date())
        #expect(store.calls.isEmpty)
        #expect(tier.health.isSound)
        let records = ["a", "b", "c"].map { key in
            StoreTier.Insertion(key: key, record: StoreTierFixture.record(1)) { key == "b" ? .unwanted : .wanted }
        }
        await tier.insert(records)
        #expect(store.calls == ["insertAll(a,c)"])
    }

    @Test func whetherAWriteIsWantedIsAskedWhenItsTurnHasCome() async throws {
        let gate = store.hold("insert")
        async let first: Void = fixture.insert(1, "a")
        await gate.arrivals(1)
        let isWanted = Shared(true)
        async let second: Void = tier.insert([.init(key: "a", record: StoreTierFixture.record(2)) { isWanted.value ? .wanted : .unwanted }])
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        isWanted.update { $0 = false }
        gate.open()
        _ = await (first, second)
        #expect(fixture.stored("a") == 1)
        #expect(store.calls == ["insert(a)"])
    }

    @Test func changesOfOneKeyAreMadeOneAfterTheOther() async throws {
        let gate = store.hold("insert")
        async let write: Void = fixture.insert(1, "a")
        await gate.arrivals(1)
        async let removal: Void = fixture.remove("a")
        try await waitUntil { tier.waiterCount(for: "a") == 1 }
        #expect(store.calls == ["insert(a)"])
        gate.open()
        _ = await (write, removal)
        #expect(fixture.stored("a") == nil)
        #expect(store.calls == ["insert(a)", "remove(a)"])
    }

    @Test func changesOfDifferentKeysAreMadeInParallel() async {
        let gate = store.hold("insert")
        async let first: Void = fixture.insert(1, "a")
        async let second: Void = fixture.insert(1, "b")
        await gate.arrivals(2)
        gate.open()
        _ = await (first, second)
    }

    @Test func oneBusyKeyDoesNotHoldUpTheOthersOfABulkWrite() async throws {
        let gate = store.hold("insert")
        async let first: Void = fixture.insert(1, "a")
        await gate.arrivals(1)
        store.heal()
        async let bulk: Void = tier.insert(["a", "b", "c"].map { .init(key: $0, record: StoreTierFixture.record(2)) { .wanted } })
        try await waitUntil { store.calls.count == 2 }
        #expect(store.calls == ["insert(a)", "insertAll(b,c)"])
        gate.open()
        _ = await (first, bulk)
        #expect(["a", "b", "c"].map(fixture.stored) == [2, 2, 2])
    }

    @Test func keysWhoseTurnComesTogetherTakeOneCall() async throws {
        let gate = store.hold("insertAll")
        let keys: [RecordKey] = ["a", "b", "c"]
        async let first: Void = tier.insert(keys.map { .init(key: $0, record: StoreTierFixture.record(1)) { .wanted } })
        await gate.arrivals(1)
        async let second: Void = tier.remove(keys.map { .init(key: $0) { .wanted } })
        try await waitUntil { tier.waiterCount(for: "c") == 1 }
        gate.open()
        _ = await (first, second)
        #expect(store.calls == ["insertAll(a,b,c)", "removeKeys(a,b,c)"])
    }

    @Test func changeRunsToItsEndThoughItsCallerIsCancelled() async {
        await fixture.insert(1, "a")
        let gate = store.hold("remove")
        let removal = Task { await fixture.remove("a") }
        await gate.arrivals(1)
        removal.cancel()
        gate.open()
        await removal.value
        #expect(fixture.stored("a") == nil)
        let write = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await fixture.insert(2, "a")
        }
        await write.value
        #expect(fixture.stored("a") == 2, "even if it was cancelled before it began")
    }

    @Test func failedReadIsPassedBy() async {
        await fixture.insert(1, "a")
        store.fail("record", "records")
        #expect(await fixture.read("a") == "failed")
        let found = await tier.records(forKeys: ["a", "b"])
        #expect(found.skipped == ["a": .failed, "b": .failed])
        #expect(tier.failureCount == 2)
        store.heal()
        #expect(await fixture.read("a") == "1")
    }

    @Test func readThatItsCallerBreaksOffIsNoFailureOfTheStore() async {
        for deadline in [Duration.seconds(1), nil] {
            let fixture = StoreTierFixture(.init(deadline: deadline))
            let gate = fixture.store.hold("record")
            let read = Task { await fixture.read("a") }
            await gate.arrivals(1)
            fixture.store.fail()
            read.cancel()
            fixture.store.setScript { _ in .pass }
            gate.open()
            _ = await read.value
            let failing = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                fixture.store.fail()
                return await fixture.read("a")
            }
            #expect(await failing.value == "failed")
            #expect(fixture.tier.failureCount == 0)
            #expect(fixture.events.value.isEmpty)
        }
    }

    @Test func afterAFailedWriteTheOlderRecordDoesNotComeBack() async {
        await fixture.insert(1, "a")
        store.fail("insert")
        await fixture.insert(2, "a")
        #expect(await fixture.read("a") == "nothing")
        #expect(store.calls == ["insert(a)", "insert(a)", "remove(a)", "record(a)"])
    }

    @Test func writeWhoseAnswerWasLostIsNotReadEither() async {
        store.fail("insert", afterwards: true)
        await fixture.insert(1, "a")
        store.heal()
        #expect(await fixture.read("a") == "nothing")
    }

    @Test func afterAFailedRemovalTheRecordIsNotReadUntilItIsRemoved() async {
        await fixture.insert(1, "a")
        await fixture.insert(2, "b")
        store.fail("remove")
        await fixture.remove("a")
        store.forgetCalls()
        #expect(await fixture.read("a") == "invalidationPending")
        #expect(store.calls.isEmpty, "the store is not even asked")
        #expect(await fixture.read("b") == "2", "for other keys it is")
        let found = await tier.records(forKeys: ["a", "b"])
        #expect(found.records.keys.map(\.description) == ["b"])
        #expect(found.skipped == ["a": .invalidationPending])
        #expect(tier.health.pendingInvalidations == 1)
        #expect(!tier.health.isSound)
    }

    @Test func aLaterWriteSettlesTheJournal() async {
        await fixture.insert(1, "a")
        store.fail("remove")
        await fixture.remove("a")
        await fixture.insert(2, "a")
        #expect(await fixture.read("a") == "2")
        #expect(tier.health.isSound)
    }

    @Test func failedMarkIsARemoval() async {
        await fixture.insert(1, "a")
        store.fail("markStale")
        await fixture.markStale("a")
        #expect(await fixture.read("a") == "nothing")
        #expect(store.calls.last == "record(a)" && store.calls.contains("remove(a)"))
    }

    @Test func markThatSucceedsDoesNotMakeAMissedRemovalGood() async {
        await fixture.insert(1, "a")
        store.fail("remove")
        await fixture.remove("a")
        await fixture.markStale("a")
        #expect(await fixture.read("a") == "invalidationPending")
        store.heal()
        await fixture.markStale("a")
        #expect(await fixture.read("a") == "nothing", "but the turn is used to do that")
    }

    @Test func refusedWriteSettlesTheJournalAndIsNoFailure() async {
        await fixture.insert(1, "a")
        store.fail("remove")
        await fixture.remove("a")
        store.fail("insert", with: .recordTooLarge)
        await fixture.insert(2, "a")
        #expect(tier.failureCount == 1, "only the removal")
        #expect(tier.health.isSound)
        store.fail("insertAll", with: .recordTooLarge)
        await tier.insert(["b", "c"].map { .init(key: $0, record: StoreTierFixture.record(2)) { .wanted } })
        #expect(tier.failureCount == 1)
        #expect(await fixture.read("b") == "nothing", "which of them were refused is not known, so none is kept")
    }

    @Test func keyThatIsTooLongIsAMissAndNoFailure() async {
        let key = RecordKey(bytes: [UInt8](repeating: 1, count: RecordKey.maximumByteCount + 1))
        await fixture.insert(1, key)
        #expect(await fixture.read(key) == "nothing")
        await fixture.remove(key)
        #expect(store.calls.isEmpty)
        await tier.insert([key, "a"].map { .init(key: $0, record: StoreTierFixture.record(1)) { .wanted } })
        let found = await tier.records(forKeys: [key, "a"])
        #expect(found.records.keys.map(\.description) == ["a"] && found.skipped.isEmpty)
        #expect(tier.failureCount == 0)
    }

    @Test func failuresAreReportedWhenTheyBeginAndWhenTheyEnd() async {
        store.fail()
        for _ in 0..<3 { _ = await fixture.read("a") }
        #expect(fixture.events.value == [.storeFailed])
        store.heal()
        await fixture.insert(1, "a")
        #expect(fixture.events.value == [.storeFailed, .storeRecovered])
        store.fail("record")
        _ = await fixture.read("a")
        #expect(fixture.events.value == [.storeFailed, .storeRecovered, .storeFailed])
    }

    /// A store whose disk is full goes on reading and removing. The tier does not leave it alone.
    @Test func storeThatCannotWriteIsStillRead() async {
        await fixture.insert(1, "b")
        store.fail("insert", with: .full)
        for number: UInt8 in 0..<20 {
            await fixture.insert(number, "a")
            #expect(await fixture.read("b") == "1")
            await fixture.remove("a")
        }
        #expect(fixture.events.value == [.storeFailed])
        #expect(tier.failureCount == 20)
        store.heal()
        _ = await fixture.read("b")
        #expect(fixture.events.value == [.storeFailed])
        await fixture.insert(1, "a")
        #expect(fixture.events.value == [.storeFailed, .storeRecovered])
    }

    @Test func closedTierFindsNothingAndDoesNothing() async {
        await fixture.insert(1, "a")
        await tier.close()
        await tier.close()
        #expect(store.isClosed)
        #expect(await fixture.read("a") == "nothing")
        await fixture.insert(2, "a")
        await fixture.remove("a")
        await tier.removeAll {}
        #expect(await tier.records(forKeys: ["a"]).records.isEmpty)
        #expect(store.calls == ["insert(a)", "close()"])
        #expect(tier.failureCount == 0)
    }
}
