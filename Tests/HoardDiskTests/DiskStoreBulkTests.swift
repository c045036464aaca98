// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Several records in one call: the number of transactions, and the effect of a failure. The conformance
/// suite checks the records afterwards.
@Suite(.timeLimit(.minutes(5))) struct DiskStoreBulkTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func records(_ count: Int, byteCount: Int = 10, tags: Set<String> = []) -> [RecordKey: Hoard.Record] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { (RecordKey("\($0)"), workspace.record(byteCount: byteCount, tags: tags)) })
    }

    /// Each transaction that changes something leaves one list of changes.
    private func transactions(_ store: DiskStore) throws -> Int { try store.rowCount(of: "changes") }

    @Test func eachCallIsOneTransaction() async throws {
        let store = try workspace.open()
        try await store.insert(records(600, tags: ["a", "b"]))
        #expect(try transactions(store) == 1)
        try await store.markRecordsStale(taggedWith: ["a", "b", "c"], at: workspace.clock.now())
        #expect(try transactions(store) == 2)
        try await store.removeRecords(forKeys: (0..<300).map { RecordKey("\($0)") })
        #expect(try transactions(store) == 3)
        #expect(try await store.statistics().count == 300)
        try await store.removeRecords(taggedWith: ["a", "x", "y"])
        await store.flush()
        #expect(try await store.statistics().count == 0)
        #expect(try store.rowCount(of: "invalidations") == 0)
    }

    @Test func tagsThatAreRemovedTogetherAreGoneTogether() async throws {
        let store = try workspace.open()
        try await store.insert(["a": workspace.record(tags: ["a"]), "b": workspace.record(tags: ["b"])])
        try await store.removeRecords(taggedWith: ["a", "b"])
        #expect(try transactions(store) == 2)
        #expect(try await store.records(forKeys: ["a", "b"]).isEmpty)
    }

    @Test func aWriteOfManyIsDividedIntoAFewTransactions() async throws {
        let store = try workspace.open()
        try await store.insert(records(3_000))
        #expect(try transactions(store) == 3)
        #expect(try await store.statistics().insertions == 3_000)
        try await store.removeRecords(forKeys: (0..<3_000).map { RecordKey("\($0)") })
        #expect(try transactions(store) == 6)
        #expect(try await store.statistics().count == 0)
    }

    @Test func whatIsWrittenBehindIsThereAtOnce() async throws {
        let store = try workspace.open { $0.writeMode = .behind }
        let hold = WriterHold(store)
        try await store.insert(records(50))
        #expect(try await store.records(forKeys: Array(records(50).keys)).count == 50)
        #expect(try transactions(store) == 0)
        hold.release()
        await store.flush()
        #expect(try store.countedTotals().count == 50)
        #expect(try transactions(store) == 1)
    }

    @Test func payloadFilesOfAWriteThatFailsGo() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "0")
        try store.limitPages(to: 0)
        var many = records(400, byteCount: 3_000)
        many["large"] = workspace.record(byteCount: 200_000)
        let code = await store.code { store async throws(StoreError) in try await store.insert(many) }
        #expect(code == .full)
        #expect(try workspace.payloadFiles().isEmpty)
        #expect(try await store.records(forKeys: Array(many.keys)).keys.elementsEqual(["0"]))
        #expect(try await store.statistics().insertions == 1)
        try store.limitPages(to: 100_000)
        try await store.insert(many)
        #expect(try await store.records(forKeys: Array(many.keys)).count == 401)
        #expect(try workspace.payloadFiles().count == 1)
    }

    @Test func everyRecordOfAWriteBehindThatFailsIsReportedAndMissing() async throws {
        let store = try workspace.open { $0.writeMode = .behind }
        try await store.insert(["0": workspace.record("old"), "other": workspace.record("old")])
        await store.flush()
        try store.limitPages(to: 0)
        try await store.insert(records(400, byteCount: 3_000))
        await store.flush()
        #expect(workspace.events.kinds.count { $0 == .writeLost } == 400)
        #expect(try await store.records(forKeys: ["0", "1", "other"]).keys.elementsEqual(["other"]))
    }

    @Test func whatIsOfNoUseIsRemovedInOneTransaction() async throws {
        let store = try workspace.open()
        var expiring = records(20)
        for key in expiring.keys { expiring[key]?.staleUntil = workspace.clock.now() + 10 }
        try await store.insert(expiring)
        workspace.clock.advance(by: 10)
        #expect(try await store.records(forKeys: Array(expiring.keys)).isEmpty)
        let statistics = try await store.statistics()
        #expect(statistics.count == 0 && statistics.expirations == 20 && statistics.misses == 20)
    }

    @Test func damagedRecordsAreMissesAmongOthers() async throws {
        let store = try workspace.open()
        try await store.insert(records(10, byteCount: 20))
        await store.close()
        try workspace.changeDatabase("UPDATE records SET payload = zeroblob(20) WHERE id IN (SELECT id FROM records LIMIT 3)")
        let reopened = try workspace.open()
        #expect(try await reopened.records(forKeys: Array(records(10).keys)).count == 7)
        #expect(try await reopened.statistics().corruptions == 3)
    }

    @Test func anUseOfARecordIsNotedForEach() async throws {
        let store = try workspace.open()
        try await store.insert(records(3))
        workspace.clock.advance(by: 100)
        _ = try await store.records(forKeys: ["0", "2"])
        workspace.clock.advance(by: 100)
        let second = try await store.records(forKeys: ["0", "1", "2"])
        #expect(second["0"]?.lastAccess == workspace.clock.now() - 100)
        #expect(second["1"]?.lastAccess == workspace.clock.now() - 200)
    }

    @Test func aClosedStoreSaysSoEvenIfThereIsNothingToDo() async throws {
        let store = try workspace.open()
        await store.close()
        #expect(await store.code { store async throws(StoreError) in _ = try await store.records(forKeys: []) } == .closed)
        #expect(await store.code { store async throws(StoreError) in try await store.insert([:]) } == .closed)
        #expect(await store.code { store async throws(StoreError) in try await store.removeRecords(forKeys: []) } == .closed)
        #expect(await store.code { store async throws(StoreError) in try await store.removeRecords(taggedWith: []) } == .closed)
    }
}
