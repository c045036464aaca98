// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

/// The index of a store, and its queue of eviction.
@Suite struct RecencyTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    /// The statistics of the store's index.
    private func index(of store: DiskStore) throws -> RecordIndex { try store.core.session().memory.withLock { $0.index } }

    @Test func aMissDoesNotAskTheDatabase() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        // The store can get no reader any more.
        try store.core.session().readers.close()
        #expect(try await store.record(forKey: "other") == nil)
        #expect(try await store.peekRecord(forKey: "another") == nil)
        #expect(await store.code { store throws(StoreError) in _ = try await store.record(forKey: "key") } != nil)
    }

    @Test func theIndexIsRightAfterEveryKindOfRemoval() async throws {
        let store = try workspace.open(maximumCount: 10)
        func expect(_ count: Int, _ place: Comment) throws {
            #expect(try index(of: store).count == count, place)
            #expect(try store.countedTotals().count == count, place)
            #expect(try index(of: store).isComplete, place)
        }
        for number in 0..<15 { try await store.insert(workspace.record(tags: number % 2 == 0 ? ["even"] : []), forKey: RecordKey("\(number)")) }
        try expect(10, "eviction")
        try await store.removeRecord(forKey: "14")
        try expect(9, "removal")
        try await store.removeRecords(taggedWith: "even")
        try expect(5, "removal by tag")
        try await store.insert(workspace.record("short", freshFor: 5), forKey: "short")
        workspace.clock.advance(by: 6)
        #expect(try await store.record(forKey: "short") == nil)
        try expect(5, "expiration")
        try await store.removeAll()
        try expect(0, "removal of everything")
        try await store.insert(workspace.record(), forKey: "again")
        try expect(1, "insertion")
    }

    @Test func evictionBeforeTheIndexIsLoadedTakesTheLeastRecentlyUsed() async throws {
        let store = try workspace.open(maximumCount: 10)
        for number in 0..<10 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        // Leaves an older row of this record at the head of the queue, when the next write writes the use.
        _ = try await store.record(forKey: "0")
        try await store.insert(workspace.record(), forKey: "9")
        try store.core.session().memory.withLock { $0.index = RecordIndex() }
        try await store.insert(workspace.record(), forKey: "10")
        #expect(try await store.peekRecord(forKey: "0") != nil)
        #expect(try await store.peekRecord(forKey: "1") == nil)
        #expect(try index(of: store).isComplete && index(of: store).count == 10)
    }

    /// Another process may write between the commit of a transaction and the moment at which this process notes what it did.
    @Test func whatOthersHaveWrittenSinceACommitStaysKnown() async throws {
        let (store, other) = (try workspace.open(), try workspace.open())
        for key: RecordKey in ["a", "b"] { try await store.insert(workspace.record(), forKey: key) }
        let session = try store.core.session()
        for removesAll in [false, true] {
            nonisolated(unsafe) var transaction: WriteTransaction?
            try store.core.runTransaction(on: session) { current in
                transaction = current
                if removesAll { try current.removeAll() } else { try current.remove(session.identify.identifier(of: "a")) }
            }
            try await other.insert(workspace.record("new"), forKey: "a")
            _ = try session.catchUp()
            // As late as on a machine that had no time for it.
            transaction?.settle()
            #expect(try await store.record(forKey: "a")?.payload == Data("new".utf8))
            #expect(try await store.record(forKey: "b") == nil || !removesAll)
            try await store.removeRecord(forKey: "a")
            #expect(try await other.record(forKey: "a") == nil)
            try await store.insert(workspace.record(), forKey: "a")
        }
    }

    @Test func theIndexOfAStoreThatIsOpenedKnowsAllRecords() async throws {
        let store = try workspace.open()
        for number in 0..<300 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)"), mode: .behind) }
        await store.close()
        let reopened = try workspace.open()
        #expect(try index(of: reopened).isComplete)
        #expect(try index(of: reopened).count == 300)
        try reopened.core.session().readers.close()
        #expect(try await reopened.record(forKey: "300") == nil)
    }

    @Test func aStoreAnswersBeforeTheIndexOfManyRecordsIsThere() async throws {
        let store = try workspace.open()
        for number in 0..<5_000 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        await store.close()
        let reopened = try workspace.open()
        #expect(try await reopened.record(forKey: "4711")?.payload == Data("4711".utf8))
        #expect(try await reopened.record(forKey: "5000") == nil)
        try await reopened.insert(workspace.record(), forKey: "5001")
        try await reopened.removeRecord(forKey: "4711")
        #expect(try await reopened.record(forKey: "4711") == nil)
        await reopened.core.elsewhere { reopened.core.finishHousekeeping() }
        #expect(try index(of: reopened).isComplete)
        // The record that was removed may be entered behind its removal; it costs a query then.
        #expect((5_000...5_001).contains(try index(of: reopened).count))
        #expect(try await reopened.record(forKey: "4711") == nil)
        #expect(try await reopened.record(forKey: "4712")?.payload == Data("4712".utf8))
        try reopened.core.session().readers.close()
        #expect(try await reopened.record(forKey: "5000") == nil)
    }

    @Test func theIndexOfAReplacedDatabaseIsANewOne() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "old")
        try FileManager.default.removeItem(atPath: workspace.directory)
        try await store.insert(workspace.record(), forKey: "new")
        #expect(try index(of: store).count == 1)
        #expect(try index(of: store).isComplete)
        #expect(try await store.record(forKey: "old") == nil)
        #expect(try await store.record(forKey: "new") != nil)
    }

    @Test func moreThanOnePageIsLoadedBesideReadingAndWriting() async throws {
        let store = try workspace.open()
        let count = 40_000
        try store.core.runTransaction(on: store.core.session()) { transaction in
            for number in 1...count {
                try transaction.db.cachedStatement(sql: "INSERT INTO recency VALUES (?, ?, ?)").execute(arguments: [number, number, number])
                // These rows are like no record, but the store counts them and finds them under their identifiers.
                try transaction.db.cachedStatement(sql: "INSERT INTO records VALUES (?, ?, 1, NULL, 300, NULL, NULL, NULL, 0, x'', x'')")
                    .execute(arguments: [number, number])
            }
            try transaction.recomputeTotals()
        }
        let session = try store.core.session()
        session.memory.withLock { $0.index = RecordIndex() }
        async let loading: Void = try session.loadIndex()
        for number in 0..<50 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        for number in 0..<10 { try await store.removeRecord(forKey: RecordKey("\(number)")) }
        try await loading
        try session.loadIndex()
        let index = try index(of: store)
        #expect(index.isComplete)
        #expect(index.count >= count + 40)
        for number in 10..<50 { #expect(try await store.peekRecord(forKey: RecordKey("\(number)")) != nil) }
        for number in 0..<10 { #expect(try await store.peekRecord(forKey: RecordKey("\(number)")) == nil) }
    }

    @Test func overwritingAndReadingLeaveFewRowsThatMeanNothing() async throws {
        let store = try workspace.open()
        for round in 0..<120 {
            for number in 0..<50 {
                try await store.insert(workspace.record("\(round)"), forKey: RecordKey("\(number)"), mode: .behind)
                _ = try await store.record(forKey: RecordKey("\((number * 7) % 50)"))
            }
            if round % 10 == 0 { await store.flush() }
        }
        await store.flush()
        // 12,000 writings and readings of 50 records.
        #expect(try store.rowCount(of: "recency") < 3000)
        #expect(try store.countedTotals().count == 50)
        // Every record has its row.
        #expect(
            try store.query { db in try Int.fetchOne(db, sql: "SELECT COUNT(DISTINCT id) FROM recency WHERE id IN (SELECT id FROM records)") } == 50
        )
    }

    @Test func rowsOfRecordsThatHadGoneBeforeTheStoreWasOpenedGoToo() async throws {
        let store = try workspace.open()
        let keys = (0..<2_000).map { RecordKey("\($0)") }
        try await store.insert(Dictionary(uniqueKeysWithValues: keys.map { ($0, workspace.record()) }))
        try await store.removeRecords(forKeys: keys)
        await store.close()
        let reopened = try workspace.open()
        for number in 0..<40 { try await reopened.insert(workspace.record("\(number)"), forKey: "kept") }
        #expect(try reopened.rowCount(of: "recency") < 1_100)
        #expect(try index(of: reopened).count < 1_100)
        #expect(try await reopened.peekText("kept") == "39")
    }

    @Test func theIndexForgetsWhatAnotherStoreHasEvicted() async throws {
        let reader = try workspace.open(hasFixedIdentifiers: true)
        let writer = try workspace.open(maximumCount: 500, hasFixedIdentifiers: true)
        for round in 0..<30 {
            let records = (0..<500).map { (RecordKey("\(round) \($0)"), workspace.record("\(round)")) }
            try await writer.insert(Dictionary(uniqueKeysWithValues: records))
            try reader.core.catchUp(reader.core.session())
        }
        await reader.flush()
        await reader.core.elsewhere { reader.core.finishHousekeeping() }
        #expect(try index(of: reader).count < 10_000)
        #expect(try index(of: reader).isComplete)
        for number in 0..<500 { #expect(try await reader.peekText(RecordKey("29 \(number)")) == "29") }
        #expect(try await reader.record(forKey: "0 0") == nil)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>) func theLeastRecentlyUsedRecordsAreEvictedWhateverHappens(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let limit = 6
        var store = try workspace.open(maximumCount: limit)
        var model: [RecordKey] = []
        for step in 0..<300 {
            let key = RecordKey("\(Int.random(in: 0..<12, using: &generator))")
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<8:
                try await store.insert(workspace.record("\(step)"), forKey: key, mode: Bool.random(using: &generator) ? .behind : .durable)
                model.removeAll { $0 == key }
                model.append(key)
                if model.count > limit { model.removeFirst() }
            case 8..<16:
                // Only committed writes show which records they evict.
                await store.flush()
                #expect((try await store.record(forKey: key) != nil) == model.contains(key), "seed \(seed), step \(step)")
                if model.contains(key) {
                    model.removeAll { $0 == key }
                    model.append(key)
                }
            case 16: workspace.clock.advance(by: Double.random(in: -100...100, using: &generator))
            case 17:
                try await store.removeRecord(forKey: key)
                model.removeAll { $0 == key }
            case 18:
                await store.close()
                store = try workspace.open(maximumCount: limit)
            default: break
            }
            await store.flush()
            for number in 0..<12 {
                let key = RecordKey("\(number)")
                #expect((try await store.peekRecord(forKey: key) != nil) == model.contains(key), "seed \(seed), step \(step)")
            }
        }
    }

    @Test func theOrderGoesOnThoughEverythingWasRemovedAndTheClockWentBack() async throws {
        let watcher = try workspace.open()
        for number in 0..<5 {
            let store = try workspace.open()
            try await store.insert(workspace.record("\(number)"), forKey: "a")
            #expect(try await watcher.peekText("a") == "\(number)")
            try await store.removeAll()
            #expect(try await watcher.peekText("a") == nil)
            await store.close()
            workspace.clock.advance(by: -1000)
        }
    }

    @Test func theOrderGoesOnThoughEverythingWasEvictedAndTheClockWentBack() async throws {
        let watcher = try workspace.open()
        for number in 0..<3 {
            let store = try workspace.open()
            try await store.insert(workspace.record("\(number)"), forKey: "a")
            #expect(try await watcher.peekText("a") == "\(number)")
            await store.close()
            let small = try workspace.open(maximumBytes: 1)
            #expect(try await small.statistics().count == 0)
            await small.close()
            #expect(try await watcher.peekText("a") == nil)
            workspace.clock.advance(by: -1000)
        }
    }
}
