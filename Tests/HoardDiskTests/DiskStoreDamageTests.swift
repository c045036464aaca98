// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct DiskStoreDamageTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private let setAsideName = "hoard.sqlite.corrupt-20261121T030405Z"

    @Test(arguments: [
        "UPDATE records SET payload = CAST('Value' AS BLOB)",
        "UPDATE records SET payload = CAST(payload || x'00' AS BLOB)",
        "UPDATE records SET payload = x''",
        "UPDATE records SET expires = NULL",
        "UPDATE records SET expires = expires + 1",
        "UPDATE records SET sequence = sequence + 1",
        "UPDATE records SET charge = 1 << 50",
        "UPDATE records SET checksum = ~checksum",
        "UPDATE records SET file = 42",
        "UPDATE records SET tags = NULL",
        "UPDATE records SET partition = 42",
        "UPDATE records SET header = x''",
        "UPDATE records SET header = CAST(header || x'00' AS BLOB)",
        "UPDATE records SET header = zeroblob(length(header))",
    ])
    func aDamagedRecordIsAMissAndIsRemoved(sql: String) async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("value", freshFor: 60, tags: ["tag"]), forKey: "key")
        await store.close()
        try workspace.changeDatabase(sql)

        let reopened = try workspace.open()
        #expect(try await reopened.peekRecord(forKey: "key") == nil)
        #expect(try await reopened.statistics().count == 1)
        #expect(try await reopened.record(forKey: "key") == nil)
        let statistics = try await reopened.statistics()
        #expect(statistics.corruptions == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.count == 0)
        #expect(statistics.bytes == 0)
        #expect(workspace.events.kinds == [.recordDamaged])
        try await reopened.insert(workspace.record("again"), forKey: "key")
        #expect(try await reopened.record(forKey: "key")?.payload == Data("again".utf8))
    }

    /// SQLite's quick check does not compare an index with its table.
    @Test(.timeLimit(.minutes(1))) func entriesOfTheIndexOfExpiryWithoutRecordsAreDamage() async throws {
        let store = try workspace.open()
        for number in 0..<20 { try await store.insert(workspace.record(freshFor: 5), forKey: RecordKey("\(number)")) }
        await store.close()
        let (root, sql) = try DatabaseQueue(path: workspace.databasePath).inDatabase { db -> (Int, String) in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT rootpage, sql FROM sqlite_schema WHERE name = 'records_by_expiry'"))
            return (row["rootpage"], row["sql"])
        }
        try workspace.changeDatabase("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'records_by_expiry'")
        try workspace.changeDatabase("DELETE FROM records")
        try workspace.changeDatabase(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema VALUES ('index', 'records_by_expiry', 'records', \(root), '\(sql)')
            """
        )
        workspace.clock.advance(by: 6)
        let opened = try workspace.open(maximumCount: 5)
        try await opened.insert(workspace.record("new"), forKey: "key")
        #expect(try await opened.record(forKey: "key") != nil)
        #expect(workspace.events.kinds == [.databaseSetAside])
    }

    @Test func aRecordWhoseKeyIsDamagedIsNeverReturned() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("secret"), forKey: "key")
        await store.close()
        try workspace.changeDatabase("UPDATE records SET header = CAST(replace(hex(header), hex('key'), hex('kez')) AS BLOB)")
        let reopened = try workspace.open()
        #expect(try await reopened.record(forKey: "key") == nil)
        #expect(try await reopened.record(forKey: "kez") == nil)
        try await reopened.insert(workspace.record("new"), forKey: "key")
        #expect(try await reopened.statistics().count == 1)
    }

    @Test(arguments: [
        Data("This is not a database, but a text of some length.".utf8),
        Data([0, 1]),
        Data(repeating: 0, count: 100_000),
        Data("SQLite format 3\0".utf8) + Data(repeating: 0xFF, count: 9000),
        Data("SQLite format 3\0".utf8),
    ])
    func garbageIsMovedAsideAndReported(garbage: Data) async throws {
        try workspace.plantDatabase(garbage)
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        #expect(try await store.record(forKey: "key") != nil)

        let event = try #require(workspace.events.events.first)
        #expect(workspace.events.kinds == [.databaseSetAside])
        #expect(event.path == workspace.directory + "/" + setAsideName)
        #expect(event.message.contains(setAsideName))
        #expect(try Data(contentsOf: URL(fileURLWithPath: workspace.directory + "/" + setAsideName)) == garbage)
    }

    @Test(arguments: [2, 99, 100, 511, 4095, 4096, 8192, 20_000])
    func aTruncatedDatabaseIsReplaced(byteCount: Int) async throws {
        let store = try workspace.open()
        for number in 0..<50 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        await store.close()
        try workspace.databaseBytes().prefix(byteCount).write(to: URL(fileURLWithPath: workspace.databasePath))

        let reopened = try workspace.open()
        #expect(workspace.events.kinds == [.databaseSetAside])
        #expect(try await reopened.statistics().count == 0)
        try await reopened.insert(workspace.record(), forKey: "key")
        #expect(try await reopened.record(forKey: "key") != nil)
    }

    @Test(arguments: [
        "DROP TABLE totals", "DROP TABLE recency", "DROP TABLE tags", "DROP TABLE changes", "DELETE FROM identity",
        "UPDATE identity SET salt = zeroblob(32)",
        "UPDATE identity SET key_identifier = 'theirs'", "PRAGMA user_version = 0", "DROP INDEX records_by_expiry",
    ])
    func aDatabaseWithoutItsTablesIsReplaced(sql: String) async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        await store.close()
        try workspace.changeDatabase(sql)
        let reopened = try workspace.open()
        #expect(try await reopened.record(forKey: "key") == nil)
        #expect(workspace.events.kinds == [.databaseSetAside])
    }

    @Test func aSecondDamagedDatabaseDoesNotOverwriteTheFirstAndOldOnesGo() throws {
        for number in 1...5 {
            try workspace.plantDatabase(Data(repeating: UInt8(number), count: 1000))
            try workspace.open().removeFromMemory()
        }
        let kept = try workspace.files().filter { $0.contains("corrupt") }
        #expect(kept.count == DiskDirectory.maximumSetAsideCount)
        #expect(workspace.events.events.count == 5)
        #expect(workspace.events.events.map(\.path).last.flatMap { $0 }.map { FileManager.default.fileExists(atPath: $0) } == true)
        #expect(Set(workspace.events.events.map(\.path)).count >= 3)
    }

    @Test func inspectionLeavesADamagedDatabaseWhereItIs() throws {
        try workspace.plantDatabase(Data(repeating: 7, count: 10_000))
        #expect(openingError(workspace.configuration(createsIfMissing: false))?.code == .corrupt)
        #expect(try workspace.files() == ["hoard.sqlite"])
        #expect(try workspace.databaseBytes() == Data(repeating: 7, count: 10_000))
    }

    @Test func damageThatAReadFindsIsRepairedAndTheReadIsAMiss() async throws {
        let store = try await openStoreWithDamagedPages()
        #expect(try await store.record(forKey: "5") == nil)
        #expect(workspace.events.kinds == [.databaseSetAside])
        try await store.insert(workspace.record("new"), forKey: "5")
        #expect(try await store.record(forKey: "5")?.payload == Data("new".utf8))
        #expect(try await store.statistics().count == 1)
        #expect(try workspace.files().contains(setAsideName))
    }

    @Test func damageThatAWriteFindsIsRepairedAndTheWriteSucceeds() async throws {
        let store = try await openStoreWithDamagedPages()
        try await store.insert(workspace.record("new"), forKey: "5")
        #expect(workspace.events.kinds == [.databaseSetAside])
        #expect(try await store.record(forKey: "5")?.payload == Data("new".utf8))
        #expect(try await store.statistics().count == 1)
    }

    @Test func aStoreOpenedForInspectionReportsDamageAndReplacesNothing() async throws {
        let store = try await openStoreWithDamagedPages(createsIfMissing: false)
        #expect(await store.code { store throws(StoreError) in _ = try await store.record(forKey: "5") } == .corrupt)
        #expect(try workspace.files().filter { $0.contains("corrupt") } == [])
    }

    @Test func aDatabaseThatAnotherStoreHasReplacedIsNotReplacedAgain() async throws {
        let first = try await openStoreWithDamagedPages()
        let second = try workspace.open()
        #expect(try await second.record(forKey: "5") == nil)
        try await second.insert(workspace.record("by the second"), forKey: "5")
        #expect(try await first.record(forKey: "5")?.payload == Data("by the second".utf8))
        #expect(workspace.events.kinds == [.databaseSetAside])
    }

    @Test func aStoreThatCannotBeReplacedTriesAgainWithTheNextOperation() async throws {
        let store = try await openStoreWithDamagedPages()
        // A directory in the place of the lock file prevents the opening of the database.
        let lock = workspace.directory + "/hoard.lock"
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        #expect(await store.code { store throws(StoreError) in _ = try await store.record(forKey: "5") } == .unavailable)
        #expect(await store.code { store throws(StoreError) in _ = try await store.record(forKey: "5") } == .unavailable)
        try FileManager.default.removeItem(atPath: lock)
        #expect(try await store.record(forKey: "5") == nil)
        try await store.insert(workspace.record(), forKey: "5")
        #expect(try await store.record(forKey: "5") != nil)
    }

    @Test func theClockIsAskedWithoutTheStoresLock() async throws {
        let clock = CallingClock()
        let store = try await openStoreWithDamagedPages(clock: clock)
        // A clock that uses the store would wait for itself if the store held its lock.
        clock.call { _ = try? store.core.session() }
        #expect(try await store.record(forKey: "5") == nil)
        #expect(workspace.events.kinds == [.databaseSetAside])
        #expect(clock.callCount >= 2)
        clock.call {}
    }

    /// The structure of a database that is longer than ``DiskCore/byteCountCheckedAtOnce`` is checked after the opening.
    @Test func aLongTreeThatHasLostItsOrderIsReplacedInTheBackground() async throws {
        let store = try workspace.open()
        for number in 0..<1_500 {
            let record = Record(payload: Data(repeating: UInt8(number & 0xFF), count: 800), created: ManualClock.start)
            try await store.insert(record, forKey: RecordKey("\(number)"), mode: .behind)
        }
        await store.close()
        var bytes = try workspace.databaseBytes()
        #expect(bytes.count > DiskCore.byteCountCheckedAtOnce)
        // A leaf of the table of records, somewhere in the middle: byte 0 is its kind, bytes 3 and 4 count the cells, whose places begin at byte 8.
        let page = try #require((bytes.count / 8192..<bytes.count / 4096).first { bytes[$0 * 4096] == 0x0D && bytes[$0 * 4096 + 4] > 1 })
        let places = page * 4096 + 8
        let first = bytes[places..<places + 2]
        bytes[places..<places + 2] = bytes[places + 2..<places + 4]
        bytes[places + 2..<places + 4] = first
        try bytes.write(to: URL(fileURLWithPath: workspace.databasePath))

        let reopened = try workspace.open()
        await reopened.core.elsewhere { reopened.core.finishHousekeeping() }
        #expect(workspace.events.kinds == [.databaseSetAside])
        #expect(try await reopened.statistics().count == 0)
        try await reopened.insert(workspace.record("new"), forKey: "5")
        #expect(try await reopened.record(forKey: "5")?.payload == Data("new".utf8))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func flippedBitsNeverYieldWrongBytes(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let payloads = (0..<40).map { number in Data(repeating: UInt8(number), count: 100 + 100 * number) }
        let store = try workspace.open()
        for (number, payload) in payloads.enumerated() {
            let record = Record(payload: payload, created: ManualClock.start, tags: ["tag \(number % 3)"], validator: "\(number)")
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        await store.close()
        var bytes = try workspace.databaseBytes()
        for _ in 0..<Int.random(in: 1...30, using: &generator) {
            // The first 100 bytes of the header show to which program the database belongs. Other tests damage them.
            bytes[Int.random(in: 100..<bytes.count, using: &generator)] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
        }
        try bytes.write(to: URL(fileURLWithPath: workspace.databasePath))

        let reopened = try workspace.open(maximumCount: 45)
        for (number, payload) in payloads.enumerated() {
            if let record = try await reopened.record(forKey: RecordKey("\(number)")) {
                #expect(record.payload == payload, "seed \(seed)")
                #expect(record.validator == "\(number)", "seed \(seed)")
                #expect(record.tags == ["tag \(number % 3)"], "seed \(seed)")
                #expect(record.created == ManualClock.start, "seed \(seed)")
            }
        }
        try await reopened.removeRecords(taggedWith: "tag 1")
        _ = try await reopened.entries()
        for number in 100..<160 {
            try await reopened.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"))
            #expect(try await reopened.record(forKey: RecordKey("\(number)"))?.payload == Data("\(number)".utf8), "seed \(seed)")
        }
    }

    /// Opens a store with 100 records and then overwrites its pages, all but the first ones.
    private func openStoreWithDamagedPages(createsIfMissing: Bool = true, clock: (any WallClock)? = nil) async throws -> DiskStore {
        let store = try workspace.open()
        for number in 0..<100 {
            let record = Record(payload: Data(repeating: UInt8(number), count: 3000), created: ManualClock.start)
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        await store.close()
        var configuration = workspace.configuration(createsIfMissing: createsIfMissing)
        configuration.clock = clock ?? workspace.clock
        let reopened = try DiskStore(configuration: configuration)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: workspace.databasePath))
        let byteCount = Int(try handle.seekToEnd())
        // The second page is a pointer map, and the tables begin on the third. The connections may keep
        // the pages that they have read so far.
        try handle.seek(toOffset: 5 * 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: byteCount - 5 * 4096))
        try handle.close()
        return reopened
    }
}
