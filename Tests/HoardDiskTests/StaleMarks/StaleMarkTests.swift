// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

/// The way in which the store keeps stale marks. The conformance suite checks their effect.
@Suite(.timeLimit(.minutes(5))) struct StaleMarkTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private var now: Date { workspace.clock.now() }

    private func freshUntil(_ key: RecordKey, _ store: DiskStore) async throws -> Date? {
        try #require(try await store.peekRecord(forKey: key), "The record of \(key) is gone.").freshUntil
    }

    @Test(arguments: [false, true]) func marksSurviveReopening(isClosed: Bool) async throws {
        let store = try workspace.open()
        try await store.insert(["key": workspace.record(), "tag": workspace.record(tags: ["t"]), "free": workspace.record(tags: ["u"])])
        try await store.markRecordStale(forKey: "key", at: now)
        try await store.markRecordsStale(taggedWith: ["t"], at: now + 1)
        // A process that dies closes nothing.
        if isClosed { await store.close() }
        let reopened = try workspace.open()
        #expect(try await freshUntil("key", reopened) == now)
        #expect(try await freshUntil("tag", reopened) == now + 1)
        #expect(try await freshUntil("free", reopened) == nil)
        try await reopened.markAllRecordsStale(at: now + 0.25)
        await reopened.close()
        let last = try workspace.open()
        #expect(try await freshUntil("key", last) == now)
        #expect(try await freshUntil("tag", last) == now + 0.25)
        #expect(try await freshUntil("free", last) == now + 0.25)
        try await last.insert(workspace.record(tags: ["t"]), forKey: "tag")
        #expect(try await freshUntil("tag", last) == nil)
    }

    @Test func marksHoldInOtherStoresAtOnce() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        try await first.insert(["key": workspace.record(), "tag": workspace.record(tags: ["t"]), "free": workspace.record()])
        for key: RecordKey in ["key", "tag", "free"] { #expect(try await freshUntil(key, second) == nil) }
        try await first.markRecordStale(forKey: "key", at: now)
        #expect(try await freshUntil("key", second) == now)
        try await second.markRecordsStale(taggedWith: ["t"], at: now)
        #expect(try await freshUntil("tag", first) == now)
        #expect(try await freshUntil("free", first) == nil)
        try await first.markAllRecordsStale(at: now)
        #expect(try await freshUntil("free", second) == now)
        try await second.insert(workspace.record(tags: ["t"]), forKey: "tag")
        #expect(try await freshUntil("tag", first) == nil)
    }

    @Test func marksThatWereMissedAreLearned() async throws {
        let (first, second) = (try workspace.open(), try workspace.open())
        try await first.insert(workspace.record(tags: ["t"]), forKey: "tag")
        #expect(try await freshUntil("tag", second) == nil)
        try await first.markRecordsStale(taggedWith: ["t"], at: now)
        for number in 0..<ChangeList.keptCount + 130 { try await first.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        #expect(try await freshUntil("tag", second) == now)
    }

    @Test func aMarkIsOneRowHoweverManyRecordsItConcerns() async throws {
        let store = try workspace.open()
        var records: [RecordKey: Hoard.Record] = [:]
        for number in 0..<700 { records[RecordKey("\(number)")] = workspace.record("\(number)", tags: ["t"]) }
        try await store.insert(records)
        let before = try store.query { db in try Int64.fetchAll(db, sql: "SELECT checksum FROM records ORDER BY id") }
        try await store.markRecordsStale(taggedWith: ["t"], at: now)
        try await store.markAllRecordsStale(at: now)
        #expect(try store.query { db in try Int64.fetchAll(db, sql: "SELECT checksum FROM records ORDER BY id") } == before)
        #expect(try store.rowCount(of: "stale_marks") == 2)
        #expect(try await store.records(forKeys: Array(records.keys)).values.allSatisfy { $0.freshUntil == now })
    }

    @Test func whatIsNotThereGetsNoMark() async throws {
        let store = try workspace.open()
        try await store.markAllRecordsStale(at: now)
        try await store.insert(workspace.record(freshFor: 10, tags: ["t"]), forKey: "key")
        try await store.markRecordStale(forKey: "absent", at: now)
        try await store.markRecordsStale(taggedWith: ["unknown", "t?"], at: now)
        #expect(try store.rowCount(of: "stale_marks") == 0)
        workspace.clock.advance(by: 10)
        try await store.markRecordStale(forKey: "key", at: now)
        #expect(try store.rowCount(of: "stale_marks") == 0, "The record's time is up.")
    }

    @Test func marksGoWithWhatTheyConcern() async throws {
        let store = try workspace.open()
        func mark() async throws {
            try await store.insert(workspace.record(tags: ["t"]), forKey: "key")
            try await store.markRecordStale(forKey: "key", at: now)
            try await store.markRecordsStale(taggedWith: ["t"], at: now)
            #expect(try store.rowCount(of: "stale_marks") == 2)
        }
        try await mark()
        try await store.insert(workspace.record(tags: ["t"]), forKey: "key")
        #expect(try store.rowCount(of: "stale_marks") == 1, "The record that was marked has been replaced.")
        try await store.removeRecords(taggedWith: "t")
        #expect(try store.rowCount(of: "stale_marks") == 0)
        try await mark()
        try await store.removeRecord(forKey: "key")
        #expect(try store.rowCount(of: "stale_marks") == 1)
        try await store.removeAll()
        #expect(try store.rowCount(of: "stale_marks") == 0)
        try await store.insert(workspace.record(tags: ["t"]), forKey: "key")
        #expect(try await freshUntil("key", store) == nil)
        #expect(try store.core.session().memory.withLock { $0.index.staleMarks.isEmpty })
    }

    @Test func aMarkOfWhichALaterOneSaysMoreGoes() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(tags: ["t"]), forKey: "key")
        for offset in [5, 3, 4, 1] as [TimeInterval] { try await store.markRecordsStale(taggedWith: ["t"], at: now + offset) }
        #expect(try store.rowCount(of: "stale_marks") == 1)
        #expect(try await freshUntil("key", store) == now + 1)
    }

    @Test(arguments: [false, true]) func manyMarksOnATagAreMergedAndNothingIsFreshAgain(inOneTransaction: Bool) async throws {
        let store = try workspace.open()
        let count = StaleMarks.maximumCount + 10
        var operations: [WriteOperation] = []
        for number in 0..<count {
            let date = now + TimeInterval(number)
            if inOneTransaction {
                let stored = try store.core.stored(workspace.record(tags: ["t"]), RecordKey("\(number)"), store.core.session())
                operations += [.insert(stored), .markTagStale("t", at: date)]
            } else {
                try await store.insert(workspace.record(tags: ["t"]), forKey: RecordKey("\(number)"))
                try await store.markRecordsStale(taggedWith: ["t"], at: date)
            }
        }
        try await store.core.commit(together: operations)
        #expect(try store.rowCount(of: "stale_marks") <= StaleMarks.maximumCount)
        for store in [store, try workspace.open()] {
            for number in 0..<count {
                let end = try #require(try await freshUntil(RecordKey("\(number)"), store), "Record \(number) is fresh again.")
                #expect(end <= now + TimeInterval(number))
                // The times of the latest writes are exact.
                if number > 20 { #expect(end == now + TimeInterval(number)) }
            }
        }
    }

    @Test func beyondTheRoomForMarksTheOldestRemoveWhatTheyConcern() async throws {
        let store = try workspace.open()
        let count = WriteTransaction.maximumMarkedScopeCount + 5
        try await store.insert(["of the tag": workspace.record(tags: ["t"]), "other": workspace.record()])
        try await store.markRecordsStale(taggedWith: ["t"], at: now)
        try await store.insert(workspace.record(tags: ["t"]), forKey: "later, of the tag")
        for start in stride(from: 0, to: count, by: 1_000) {
            let keys = (start..<min(start + 1_000, count)).map { RecordKey("\($0)") }
            try await store.insert(Dictionary(uniqueKeysWithValues: keys.map { ($0, workspace.record()) }))
            try await store.core.commit(together: keys.map { .markStale($0, at: now) })
        }
        #expect(try store.rowCount(of: "stale_marks") <= WriteTransaction.maximumMarkedScopeCount)
        for store in [store, try workspace.open()] {
            #expect(try await store.peekRecord(forKey: "of the tag") == nil)
            #expect(try await freshUntil("later, of the tag", store) == nil)
            #expect(try await freshUntil("other", store) == nil)
            #expect(try await store.peekRecord(forKey: "0") == nil)
            #expect(try await freshUntil(RecordKey("\(count - 1)"), store) == now)
            #expect(try await freshUntil(RecordKey("\(count / 2)"), store) == now)
        }
        #expect(try await store.statistics().count == store.countedTotals().count)
    }

    @Test func manyMarksOfOneTransactionBeyondTheRoomRemoveTheOldestRecordsOnly() async throws {
        let store = try workspace.open()
        let count = WriteTransaction.maximumMarkedScopeCount + 100
        for start in stride(from: 0, to: count, by: 1_000) {
            let keys = (start..<min(start + 1_000, count)).map { RecordKey("\($0)") }
            try await store.insert(Dictionary(uniqueKeysWithValues: keys.map { ($0, workspace.record()) }))
            try await store.core.commit(together: keys.map { .markStale($0, at: now) })
        }
        #expect(try store.rowCount(of: "stale_marks") > count / 2)
        #expect(try await store.statistics().count > count / 2)
        #expect(try await store.peekRecord(forKey: "0") == nil)
        #expect(try await freshUntil(RecordKey("\(count / 2)"), store) == now)
        #expect(try await freshUntil(RecordKey("\(count - 1)"), store) == now)
    }

    @Test func aMarkOnAKeyLeavesAnotherKeyOfTheSameIdentifierAlone() async throws {
        let store = try DiskStore(configuration: workspace.configuration(), identifierOverride: RecordIdentifier(constant: 7))
        try await store.insert(workspace.record(), forKey: "key")
        try await store.markRecordStale(forKey: "other", at: now)
        #expect(try await freshUntil("key", store) == nil)
        try await store.markRecordStale(forKey: "key", at: now)
        #expect(try await freshUntil("key", store) == now)
    }

    @Test func listingsStreamsAndVerificationSeeMarks() async throws {
        let store = try workspace.open()
        var record = workspace.record(byteCount: 200_000)
        record.isNegative = true
        record.loadDuration = .seconds(2)
        try await store.insert(record, forKey: "key")
        try await store.markRecordStale(forKey: "key", at: now)
        #expect(try await store.entry(forKey: "key")?.freshUntil == now)
        #expect(try await store.entries().map(\.freshUntil) == [now])
        #expect(try await store.entry(forKey: "key")?.isNegative == true)
        #expect(try await store.entry(forKey: "key")?.loadDuration == .seconds(2))
        #expect(try await store.reader(forKey: "key")?.record.freshUntil == now)
        #expect(try await store.record(forKey: "key")?.payload == record.payload)
        #expect(try await store.verify(repairing: false).problems.isEmpty)
    }

    @Test func compactingDeletesTheMarksThatConcernNothingAndNoOthers() async throws {
        let store = try workspace.open()
        try await store.insert(["key": workspace.record(), "tag": workspace.record(tags: ["t", "u"]), "old": workspace.record()])
        try await store.markRecordStale(forKey: "key", at: now)
        try await store.markRecordsStale(taggedWith: ["t", "u"], at: now)
        try await store.markAllRecordsStale(at: now + 5)
        _ = try await store.compact()
        #expect(try store.rowCount(of: "stale_marks") == 4)
        try await store.insert(workspace.record(tags: ["t"]), forKey: "tag")
        _ = try await store.compact()
        #expect(try store.rowCount(of: "stale_marks") == 2)
        try await store.removeRecord(forKey: "old")
        #expect(try await freshUntil("key", store) == now)
        try await store.removeRecord(forKey: "key")
        _ = try await store.compact()
        #expect(try store.rowCount(of: "stale_marks") == 0)
        #expect(try await freshUntil("tag", store) == nil)
    }

    @Test func whatIsLearnedDoesNotHideWhatThisStoreHasMarkedMeanwhile() throws {
        let store = try workspace.open()
        let session = try store.core.session()
        let own = ScopedStaleMark(scope: 7, sequence: 12, date: now)
        let forgotten = ScopedStaleMark(scope: 8, sequence: 9, date: now)
        session.memory.withLock { memory in
            session.adopt([own, forgotten], in: &memory)
            memory.index.invalidations = [3: 12, 4: 9]
        }
        var news = try session.readers.withReader { reader in
            try reader.read { db in try ForeignChanges(db, sinceChange: 10, sinceStamp: 0, session: session) }
        }
        (news.allStaleMarks, news.allInvalidations) = ([ScopedStaleMark(scope: 9, sequence: 5, date: now)], [5: 5])
        session.adopt(news)
        session.memory.withLock { memory in
            #expect(Set(memory.index.staleMarks.keys) == [7, 9])
            #expect(memory.index.invalidations == [3: 12, 5: 5])
        }
    }

    @Test func theSequenceOfAMarkIsNotUsedAgainWhenTheTotalsAreLost() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(tags: ["t"]), forKey: "old")
        for _ in 0..<5 { try await store.markRecordsStale(taggedWith: ["t"], at: now) }
        await store.close()
        try workspace.changeDatabase("DELETE FROM totals; DELETE FROM changes")
        let reopened = try workspace.open()
        try await reopened.insert(workspace.record(tags: ["t"]), forKey: "new")
        #expect(try await freshUntil("new", reopened) == nil)
        #expect(try await freshUntil("old", reopened) == now)
    }
}
