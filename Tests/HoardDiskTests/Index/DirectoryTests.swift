// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import Synchronization
import Testing

@testable import HoardDisk

/// The table that leads from identifiers to places while the index is being filled.
@Suite(.timeLimit(.minutes(5))) struct DirectoryTests {
    private let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private static let count = 3 * DirectoryUpdate.leastCount

    /// Fills a store with more records than are read at once when it is opened.
    private func fill(_ store: DiskStore) async throws {
        for number in 0..<Self.count { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        await store.flush()
    }

    private func through(_ store: DiskStore) throws -> Int64 { try store.core.session().memory.withLock { $0.directory.through } }

    private func isComplete(_ store: DiskStore) throws -> Bool { try store.core.session().memory.withLock { $0.index.isComplete } }

    @Test func recordsAreFoundBeforeTheIndexIsThere() async throws {
        let store = try workspace.open()
        try await fill(store)
        await store.close()
        // As a tool, so that nothing is done in the background.
        let reopened = try DiskStore(configuration: workspace.configuration(createsIfMissing: false))
        #expect(try !isComplete(reopened))
        let knownCount = try reopened.core.session().memory.withLock { $0.index.count }
        #expect(knownCount < Self.count * 2 / 3)
        for number in stride(from: 0, to: Self.count, by: 397) { #expect(try await reopened.peekText(RecordKey("\(number)")) == "\(number)") }
        for number in Self.count..<Self.count + 20 { #expect(try await reopened.peekText(RecordKey("\(number)")) == nil) }
        #expect(try !isComplete(reopened))
    }

    @Test func changesBeforeTheIndexIsThereHold() async throws {
        let store = try workspace.open()
        try await fill(store)
        for number in 0..<20 { try await store.removeRecord(forKey: RecordKey("\(number)")) }
        for number in 20..<40 { try await store.insert(workspace.record("later"), forKey: RecordKey("\(number)")) }
        await store.close()
        // The index is loaded when the test says so, however long the test is held up before.
        let reopened = try DiskStore(configuration: workspace.configuration(), identifierOverride: nil, delaysFollowUp: true)
        #expect(try !isComplete(reopened))
        for number in 40..<60 { try await reopened.removeRecord(forKey: RecordKey("\(number)")) }
        for number in 60..<80 { try await reopened.insert(workspace.record("latest"), forKey: RecordKey("\(number)")) }
        func expectAll() async throws {
            for number in 0..<100 {
                let expected: String? = [nil, "later", nil, "latest", "\(number)"][number / 20]
                #expect(try await reopened.peekText(RecordKey("\(number)")) == expected, "\(number)")
            }
        }
        try await expectAll()
        await reopened.core.elsewhere { reopened.core.finishHousekeeping() }
        #expect(try isComplete(reopened))
        try await expectAll()
        #expect(try reopened.countedTotals().count == Self.count - 40)
        #expect(try await reopened.verify(repairing: false).problems.isEmpty)
    }

    @Test func aWrongRowKeepsTheIndexFromNothing() async throws {
        let store = try workspace.open()
        try await fill(store)
        let identifier = try store.core.session().identify.identifier(of: "7")
        await store.close()
        try workspace.changeDatabase("UPDATE directory SET place = 1 WHERE id = \(identifier)")
        let reopened = try DiskStore(configuration: workspace.configuration(), identifierOverride: nil, delaysFollowUp: true)
        #expect(try await reopened.peekText("7") == nil)
        // The second row of one record.
        try await reopened.insert(workspace.record("later"), forKey: "7")
        await reopened.core.elsewhere { reopened.core.finishHousekeeping() }
        #expect(try isComplete(reopened))
        #expect(try await reopened.peekText("7") == "later")
        _ = try await reopened.verify(repairing: true)
        #expect(try reopened.countedTotals().count == Self.count)
    }

    @Test func theDirectoryFollowsWhatIsWrittenAndRemoved() async throws {
        let store = try workspace.open(maximumCount: 18_000)
        try await fill(store)
        let through = try through(store)
        #expect(through > .min)
        // Every row leads to the place that the record had when it was entered, or to nothing.
        let wrong = try store.query { db in
            try Int.fetchOne(
                db,
                sql: "SELECT COUNT(*) FROM directory JOIN records USING (place) WHERE directory.id <> 0 AND directory.id <> records.id"
            )
        }
        #expect(wrong == 0)
        // Those up to the border are all there.
        let missing = try store.query { db in
            try Int.fetchOne(
                db,
                sql: "SELECT COUNT(*) FROM records LEFT JOIN directory USING (id) WHERE records.place <= ? AND directory.place IS NOT records.place",
                arguments: [through]
            )
        }
        #expect(missing == 0)
    }

    @Test func oneThatComesAndIsReplacedAtOnceIsEntered() async throws {
        let store = try workspace.open()
        let session = try store.core.session()
        try await store.insertTogether(["first", "second"].map { ("twice", workspace.record($0)) })
        try await fill(store)
        #expect(try through(store) > .min)
        let identifier = session.identify.identifier(of: "twice")
        let count = try store.query { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM directory JOIN records USING (id, place) WHERE id = ?", arguments: [identifier])
        }
        #expect(count == 1)
    }

    @Test func whatWaitsIsEnteredWhenTheQueueOfEvictionHasGotManyRows() throws {
        var update = DirectoryUpdate(through: 5)
        for (waiting, next) in [([7], 8), ([], 9)] as [([Int64], Int64)] {
            for identifier in waiting { update.note(identifier) }
            let none = update.takeWaiting(recordCount: 100_000)
            #expect(none == nil)
            update.noteRows(4 * DirectoryUpdate.leastCount)
            let ofSmallStore = update.takeWaiting(recordCount: 10_000)
            #expect(ofSmallStore == nil)
            let taken = update.takeWaiting(recordCount: 100_000)
            #expect(taken == waiting)
            update.begin(waiting, next: next)
            let batch = try #require(update.batch(forChanges: 1))
            #expect(Array(batch) == waiting)
            #expect(update.through(after: batch) == next)
            update.settle(batch)
            #expect(update.through == next)
            #expect(update.batch(forChanges: 1) == nil)
        }
    }

    @Test func recordsThatAreGoneLeaveWithThoseThatCome() {
        var update = DirectoryUpdate()
        let count = Int64(DirectoryUpdate.leastCount)
        for identifier in 1...3 * count { update.noteRemoved(identifier) }
        for identifier in 1..<count { update.note(-identifier) }
        let recordCount = 16 * DirectoryUpdate.leastCount
        let none = update.takeWaiting(recordCount: recordCount)
        #expect(none == nil)
        update.note(-count)
        let taken = update.takeWaiting(recordCount: recordCount)
        #expect(taken?.count == 4 * DirectoryUpdate.leastCount)
        // Without any that come, they leave by themselves in the end.
        for identifier in 1...4 * count { update.noteRemoved(identifier) }
        let gone = update.takeWaiting(recordCount: recordCount)
        #expect(gone?.count == 4 * DirectoryUpdate.leastCount)
        for identifier in 1...count { update.noteRemoved(identifier) }
        let ofSmallStore = update.takeWaiting(recordCount: 1)
        #expect(ofSmallStore?.count == DirectoryUpdate.leastCount)
    }

    @Test func othersUsesOfARecordAreNotCollected() {
        var memory = DatabaseSession.Memory()
        for number in 1...Int64(DirectoryUpdate.leastCount) { memory.enter(RecencyRow(stamp: 2 * number, id: 7, stored: 2)) }
        let taken = memory.directory.takeWaiting(recordCount: 1)
        #expect(taken == nil)
    }

    @Test func rowsThatAProcessLeftBehindGo() async throws {
        let store = try workspace.open(maximumCount: 18_000)
        try await fill(store)
        await store.close()
        try workspace.changeDatabase(
            """
            WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers LIMIT 60000)
            INSERT OR IGNORE INTO directory SELECT number * 153722867280912 - 4611686018427380000, number FROM numbers
            """
        )
        let reopened = try workspace.open(maximumCount: 18_000)
        await reopened.core.elsewhere { reopened.core.finishHousekeeping() }
        #expect(try reopened.rowCount(of: "directory") > 60_000)
        for number in 0..<Self.count { try await reopened.insert(workspace.record(), forKey: RecordKey("\(number)"), mode: .behind) }
        await reopened.flush()
        #expect(try reopened.rowCount(of: "directory") < 40_000)
        #expect(try await reopened.verify(repairing: false).problems.isEmpty)
    }
}
