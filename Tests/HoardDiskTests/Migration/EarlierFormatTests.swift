// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

/// Stores that an earlier Hoard has written: format 2 had no stale marks, format 3 had records in the order of their identifiers, and format 4 longer headers.
@Suite struct EarlierFormatTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func open(_ number: UInt8?) throws -> DiskStore {
        try workspace.open { configuration in
            if let number { configuration.encryptionKey = try .init(identifier: "test", bytes: Array(repeating: number, count: 32)) }
        }
    }

    @Test(arguments: [nil, 1] as [UInt8?], [2, 3, 4]) func recordsAreReadAndCanBeMarked(key: UInt8?, format: Int) async throws {
        let store = try open(key)
        for number in 0..<5 {
            let record = workspace.record(byteCount: number * 30_000, tags: ["tag \(number % 2)"])
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        try await workspace.goBack(store, to: format)
        let headers = "SELECT header FROM records ORDER BY sequence"
        let queue = try DatabaseQueue(path: workspace.databasePath)
        let before = try await queue.read { db in try Data.fetchAll(db, sql: headers) }
        try queue.close()

        let upgraded = try open(key)
        #expect(try upgraded.countOnWriter("PRAGMA user_version") == Int(DiskSchema.version))
        #expect(try upgraded.query { db in try Data.fetchAll(db, sql: headers) } == before)
        try await upgraded.markRecordsStale(taggedWith: ["tag 1"], at: workspace.clock.now())
        for number in 0..<5 {
            let record = try #require(try await upgraded.record(forKey: RecordKey("\(number)")))
            #expect(record.payload.count == number * 30_000)
            #expect(record.freshUntil == (number % 2 == 1 ? workspace.clock.now() : nil))
        }
        #expect(try await upgraded.verify(repairing: false).problems.isEmpty)
        #expect(workspace.events.events.isEmpty)
    }

    @Test(arguments: [3, 4]) func recordsOfBothFormatsLiveBesideEachOther(format: Int) async throws {
        let store = try workspace.open(maximumCount: 40)
        for number in 0..<40 { try await store.insert(workspace.record("old", tags: ["\(number % 4)"]), forKey: RecordKey("\(number)")) }
        try await workspace.goBack(store, to: format)
        let upgraded = try workspace.open(maximumCount: 40)
        // One is used, one is replaced, one is removed, and ten go with a tag.
        #expect(try await upgraded.record(forKey: "1") != nil)
        try await upgraded.insert(workspace.record("new"), forKey: "2")
        try await upgraded.removeRecord(forKey: "3")
        try await upgraded.removeRecords(taggedWith: "0")
        for number in 40..<53 { try await upgraded.insert(workspace.record("new"), forKey: RecordKey("\(number)")) }
        func expectAll(_ store: DiskStore) async throws {
            // The next to be evicted were 5 and 6.
            let gone = Set((0..<40).filter { $0 % 4 == 0 } + [3, 5, 6])
            for number in 0..<53 {
                let expected = gone.contains(number) ? nil : number == 2 || number >= 40 ? "new" : "old"
                #expect(try await store.peekText(RecordKey("\(number)")) == expected, "\(number)")
            }
            #expect(try await store.entries(limit: .max).count == 40)
            #expect(try await store.recordPage(after: nil, limit: 100).records.count == 40)
            #expect(try await store.verify(repairing: false).problems.isEmpty)
        }
        try await expectAll(upgraded)
        _ = try await upgraded.compact()
        try await expectAll(upgraded)
        await upgraded.close()
        try await expectAll(workspace.open(maximumCount: 40))
    }

    @Test func manyRecordsAreFoundBeforeTheIndexIsThere() async throws {
        let store = try workspace.open()
        for number in 0..<20_000 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        try await workspace.goBack(store, to: 3)
        // The index is loaded when the test says so, however long the test is held up before.
        let upgraded = try DiskStore(configuration: workspace.configuration(), identifierOverride: nil, delaysFollowUp: true)
        let session = try upgraded.core.session()
        #expect(!session.memory.withLock { $0.index.isComplete })
        try await upgraded.insert(workspace.record("new"), forKey: "17")
        try await upgraded.removeRecord(forKey: "18")
        for number in stride(from: 0, to: 20_000, by: 500) { #expect(try await upgraded.peekText(RecordKey("\(number)")) == "\(number)") }
        #expect(try await upgraded.peekText("17") == "new")
        #expect(try await upgraded.peekText("18") == nil)
        await upgraded.core.elsewhere { upgraded.core.finishHousekeeping() }
        #expect(session.memory.withLock { $0.index.isComplete })
        #expect(try await upgraded.peekText("17") == "new")
        #expect(try await upgraded.peekText("18") == nil)
        #expect(try upgraded.countedTotals().count == 19_999)
    }

    @Test(arguments: [2, 3, 4]) func anotherKeyLeavesAnEarlierFormatAsItIs(format: Int) async throws {
        let store = try open(1)
        try await store.insert(workspace.record(), forKey: "key")
        try await workspace.goBack(store, to: format)
        let before = try workspace.databaseBytes()
        for wrong in [2, nil] as [UInt8?] {
            let thrown = #expect(throws: StoreError.self) { try open(wrong) }
            #expect(thrown?.code == .wrongKey)
        }
        #expect(try workspace.databaseBytes() == before)
        #expect(try await open(1).record(forKey: "key") != nil)
    }

    @Test(arguments: [2, 3, 4]) func severalStoresThatOpenAtOnceBringItToThePresentFormatOnce(format: Int) async throws {
        let store = try open(nil)
        try await store.insert(workspace.record("kept"), forKey: "key")
        try await workspace.goBack(store, to: format)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<6 { group.addTask { try await open(nil).peekText("key") } }
            for try await text in group { #expect(text == "kept") }
        }
        #expect(workspace.events.events.isEmpty)
    }

    @Test(arguments: [2, 3, 4]) func aStoreThatLacksATableOfItsFormatIsDamaged(format: Int) async throws {
        let store = try open(nil)
        try await store.insert(workspace.record(), forKey: "key")
        try await workspace.goBack(store, to: format)
        try workspace.changeDatabase("DROP TABLE invalidations")
        let replaced = try open(nil)
        #expect(try await replaced.record(forKey: "key") == nil)
        #expect(workspace.events.events.count == 1)
    }
}
