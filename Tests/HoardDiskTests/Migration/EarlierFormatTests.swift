// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// The second format had no stale marks. The rest was as it is now.
@Suite struct FormatVersion2Tests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    /// Turns a store back into one of the second format, with the records that it has.
    private func goBack(_ store: DiskStore) async throws {
        await store.close()
        try workspace.changeDatabase("DROP TABLE stale_marks; PRAGMA user_version = 2")
    }

    private func open(_ number: UInt8?) throws -> DiskStore {
        try workspace.open { configuration in
            if let number { configuration.encryptionKey = try .init(identifier: "test", bytes: Array(repeating: number, count: 32)) }
        }
    }

    @Test(arguments: [nil, 1] as [UInt8?]) func recordsOfTheSecondFormatAreReadAndCanBeMarked(key: UInt8?) async throws {
        let store = try open(key)
        for number in 0..<5 {
            let record = workspace.record(byteCount: number * 30_000, tags: ["tag \(number % 2)"])
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        let before = try store.query { db in try Data.fetchAll(db, sql: "SELECT header FROM records ORDER BY id") }
        try await goBack(store)

        let upgraded = try open(key)
        #expect(try upgraded.countOnWriter("PRAGMA user_version") == 3)
        #expect(try upgraded.query { db in try Data.fetchAll(db, sql: "SELECT header FROM records ORDER BY id") } == before)
        try await upgraded.markRecordsStale(taggedWith: ["tag 1"], at: workspace.clock.now())
        for number in 0..<5 {
            let record = try #require(try await upgraded.record(forKey: RecordKey("\(number)")))
            #expect(record.payload.count == number * 30_000)
            #expect(record.freshUntil == (number % 2 == 1 ? workspace.clock.now() : nil))
        }
        #expect(try await upgraded.verify(repairing: false).problems.isEmpty)
        #expect(workspace.events.events.isEmpty)
    }

    @Test func anotherKeyLeavesTheSecondFormatAsItIs() async throws {
        let store = try open(1)
        try await store.insert(workspace.record(), forKey: "key")
        try await goBack(store)
        let before = try workspace.databaseBytes()
        for wrong in [2, nil] as [UInt8?] {
            let thrown = #expect(throws: StoreError.self) { try open(wrong) }
            #expect(thrown?.code == .wrongKey)
        }
        #expect(try workspace.databaseBytes() == before)
        #expect(try await open(1).record(forKey: "key") != nil)
    }

    @Test func severalStoresThatOpenAtOnceBringItToThePresentFormatOnce() async throws {
        let store = try open(nil)
        try await store.insert(workspace.record("kept"), forKey: "key")
        try await goBack(store)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<6 { group.addTask { try await open(nil).peekText("key") } }
            for try await text in group { #expect(text == "kept") }
        }
        #expect(workspace.events.events.isEmpty)
    }

    @Test func aStoreThatLacksATableOfTheSecondFormatIsDamaged() async throws {
        let store = try open(nil)
        try await store.insert(workspace.record(), forKey: "key")
        try await goBack(store)
        try workspace.changeDatabase("DROP TABLE invalidations")
        let replaced = try open(nil)
        #expect(try await replaced.record(forKey: "key") == nil)
        #expect(workspace.events.events.count == 1)
    }
}
