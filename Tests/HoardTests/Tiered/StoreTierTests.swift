// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(1))) struct StoreTierTests {
    private let store = FaultyStore(MemoryStore())
    private let events = Shared<[TieredCacheEvent.Kind]>([])
    private let tier: StoreTier

    init() {
        tier = StoreTier(store: store) { [events] event in events.update { $0.append(event.kind) } }
    }

    private func record(_ number: UInt8) -> Record {
        Record(payload: Data([number]), created: Date(timeIntervalSince1970: 0), staleUntil: .forever)
    }

    private func insert(_ number: UInt8, forKey key: RecordKey) async {
        await tier.insert(record(number), forKey: key) { true }
    }

    private func payload(_ key: RecordKey) async -> UInt8? {
        await tier.record(forKey: key)?.payload.first
    }

    @Test func operationsReachTheStore() async throws {
        await insert(1, forKey: "a")
        await insert(2, forKey: "b")
        #expect(await payload("a") == 1)
        await tier.removeRecord(forKey: "a")
        #expect(await payload("a") == nil)
        await tier.removeAll()
        #expect(await payload("b") == nil)
        #expect(tier.failureCount == 0)
        #expect(events.value.isEmpty)
    }

    @Test func writeThatIsNoLongerWantedIsNotDone() async {
        await tier.insert(record(1), forKey: "a") { false }
        #expect(store.callCount(.insert) == 0)
        await insert(2, forKey: "a")
        await tier.removeRecord(forKey: "a") { false }
        #expect(store.callCount(.removeRecord) == 0)
        #expect(await payload("a") == 2)
    }

    @Test func whetherAWriteIsWantedIsAskedWhenItsTurnHasCome() async throws {
        let gate = store.hold(.insert)
        async let first: Void = insert(1, forKey: "a")
        await gate.arrivals(1)
        let isWanted = Shared(true)
        async let second: Void = tier.insert(record(2), forKey: "a") { isWanted.value }
        try await waitUntil { tier.order.waiterCount(for: "a") == 1 }
        isWanted.update { $0 = false }
        store.heal()
        gate.open()
        _ = await (first, second)
        #expect(await payload("a") == 1)
        #expect(store.callCount(.insert) == 1)
    }

    @Test func changesOfOneKeyAreMadeOneAfterTheOther() async throws {
        let gate = store.hold(.insert)
        async let write: Void = insert(1, forKey: "a")
        await gate.arrivals(1)
        async let removal: Void = tier.removeRecord(forKey: "a")
        try await waitUntil { tier.order.waiterCount(for: "a") == 1 }
        #expect(store.callCount(.removeRecord) == 0)
        gate.open()
        _ = await (write, removal)
        #expect(await payload("a") == nil)
    }

    @Test func changeRunsToItsEndThoughItsCallerIsCancelled() async {
        let gate = store.hold(.removeRecord)
        await insert(1, forKey: "a")
        let removal = Task { await tier.removeRecord(forKey: "a") }
        await gate.arrivals(1)
        removal.cancel()
        gate.open()
        await removal.value
        #expect(await payload("a") == nil)
    }

    @Test func failedReadIsAMiss() async {
        await insert(1, forKey: "a")
        store.fail(.record)
        #expect(await payload("a") == nil)
        #expect(tier.failureCount == 1)
        store.heal()
        #expect(await payload("a") == 1)
    }

    @Test func afterAFailedRemovalTheRecordIsNotReadUntilItIsRemoved() async {
        await insert(1, forKey: "a")
        await insert(2, forKey: "b")
        store.fail(.removeRecord)
        await tier.removeRecord(forKey: "a")
        #expect(await payload("a") == nil)
        #expect(store.callCount(.record) == 0, "the store is not even asked")
        #expect(await payload("b") == 2, "other keys are")
        store.heal()
        #expect(await payload("a") == nil)
        #expect(store.callCount(.removeRecord) == 3)
        #expect(await payload("a") == nil)
        #expect(store.callCount(.removeRecord) == 3, "the removal has been made good once")
    }

    @Test func afterAFailedWriteTheOlderRecordDoesNotComeBack() async {
        await insert(1, forKey: "a")
        store.fail(.insert)
        await insert(2, forKey: "a")
        #expect(await payload("a") == nil)
        #expect(store.callCount(.removeRecord) == 1)
    }

    @Test func afterAFailedWriteAndAFailedRemovalTheOlderRecordDoesNotComeBack() async {
        await insert(1, forKey: "a")
        store.fail(.insert, .removeRecord)
        await insert(2, forKey: "a")
        #expect(await payload("a") == nil)
        store.heal()
        #expect(await payload("a") == nil)
    }

    @Test func writeWhoseAnswerWasLostIsNotReadEither() async {
        store.fail(.insert, afterwards: true)
        await insert(1, forKey: "a")
        store.heal()
        #expect(await payload("a") == nil)
    }

    @Test func aLaterWriteSettlesTheJournal() async {
        await insert(1, forKey: "a")
        store.fail(.removeRecord)
        await tier.removeRecord(forKey: "a")
        await insert(2, forKey: "a")
        #expect(await payload("a") == 2)
        #expect(store.callCount(.removeRecord) == 1)
    }

    @Test func refusedWriteSettlesTheJournalAndIsNoFailure() async {
        await insert(1, forKey: "a")
        store.fail(.removeRecord)
        await tier.removeRecord(forKey: "a")
        store.fail(.insert, with: .recordTooLarge)
        await insert(2, forKey: "a")
        #expect(tier.failureCount == 1, "only the removal")
        _ = await payload("a")
        #expect(store.callCount(.removeRecord) == 1)
    }

    @Test func afterAFailedRemovalOfEverythingNothingIsReadUntilItIsMadeGood() async {
        for key: RecordKey in ["a", "b"] { await insert(1, forKey: key) }
        store.fail(.removeAll)
        await tier.removeAll()
        #expect(await payload("a") == nil)
        #expect(await payload("b") == nil)
        await insert(2, forKey: "a")
        #expect(await payload("a") == nil, "not even what was written since, for it cannot be told apart")
        store.heal()
        #expect(await payload("b") == nil)
        await insert(3, forKey: "b")
        #expect(await payload("b") == 3)
        #expect(store.callCount(.removeAll) == 5)
    }

    @Test func afterTheJournalHasOverflowedNothingOldComesBack() async {
        await insert(1, forKey: "old")
        for number in 0..<10 { await insert(1, forKey: RecordKey("\(number)")) }
        store.fail(.removeRecord)
        for number in 0...10_000 { await tier.removeRecord(forKey: RecordKey("\(number)")) }
        store.fail(.removeAll)
        #expect(await payload("0") == nil)
        #expect(await payload("old") == nil)
        store.heal()
        #expect(await payload("5") == nil)
        #expect(store.callCount(.record) == 1)
        await insert(2, forKey: "old")
        #expect(await payload("old") == 2)
    }

    /// Two readers find the same key in the journal; a write comes between the removals by which they make it good.
    @Test func makingGoodDoesNotRemoveWhatWasWrittenSince() async throws {
        store.fail(.removeRecord)
        await tier.removeRecord(forKey: "a")
        let gate = store.hold(.removeRecord)
        async let firstRead = payload("a")
        await gate.arrivals(1)
        async let write: Void = insert(2, forKey: "a")
        try await waitUntil { tier.order.waiterCount(for: "a") == 1 }
        async let secondRead = payload("a")
        try await waitUntil { tier.order.waiterCount(for: "a") == 2 }
        store.heal()
        gate.open()
        _ = await (firstRead, secondRead, write)
        #expect(await payload("a") == 2)
        #expect(store.callCount(.removeRecord) == 2)
    }

    @Test func keyThatIsTooLongIsAMissAndNoFailure() async {
        let key = RecordKey(bytes: [UInt8](repeating: 1, count: RecordKey.maximumByteCount + 1))
        await insert(1, forKey: key)
        #expect(await payload(key) == nil)
        await tier.removeRecord(forKey: key)
        #expect(tier.failureCount == 0)
        #expect(events.value.isEmpty)
    }

    @Test func failuresAreReportedWhenTheyBeginAndWhenTheyEnd() async {
        store.fail()
        for _ in 0..<5 { _ = await payload("a") }
        await insert(1, forKey: "a")
        #expect(events.value == [.storeFailed])
        #expect(tier.failureCount == 7, "five reads, a write, and the removal of what it may have left")
        store.heal()
        await insert(1, forKey: "a")
        #expect(await payload("a") == 1)
        #expect(events.value == [.storeFailed, .storeRecovered])
        store.fail(.record)
        _ = await payload("a")
        #expect(events.value == [.storeFailed, .storeRecovered, .storeFailed])
    }

    /// A store whose disk is full goes on reading and removing.
    @Test func storeThatCannotWriteIsNotReportedAsRecoveredByWhatItStillCan() async {
        await insert(1, forKey: "b")
        store.fail(.insert, with: .full)
        for number: UInt8 in 0..<5 {
            await insert(number, forKey: "a")
            _ = await payload("b")
            await tier.removeRecord(forKey: "a")
        }
        #expect(events.value == [.storeFailed])
        #expect(tier.failureCount == 5)
        store.heal()
        _ = await payload("b")
        #expect(events.value == [.storeFailed])
        await insert(1, forKey: "a")
        #expect(events.value == [.storeFailed, .storeRecovered])
    }

    @Test func storeThatCouldNotReadHasRecoveredWhenItReads() async {
        store.fail(.record)
        _ = await payload("a")
        store.heal()
        _ = await payload("a")
        #expect(events.value == [.storeFailed, .storeRecovered])
    }
}
