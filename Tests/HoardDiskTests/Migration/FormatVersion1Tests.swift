// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Databases of the first format, which the tests make as the first version made them and then open.
@Suite struct FormatVersion1Tests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private static let schema = """
        CREATE TABLE records (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL,
            created REAL NOT NULL,
            fresh_until REAL,
            stale_until REAL,
            last_access REAL NOT NULL,
            recency INTEGER NOT NULL,
            schema_fingerprint INTEGER NOT NULL,
            payload_bytes INTEGER NOT NULL,
            charged_bytes INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            details BLOB NOT NULL
        ) STRICT;
        CREATE INDEX records_by_recency ON records (recency);
        CREATE INDEX records_by_expiry ON records (stale_until) WHERE stale_until IS NOT NULL;
        CREATE TABLE payloads (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
        CREATE TABLE tags (tag BLOB NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;
        CREATE INDEX tags_by_record ON tags (id);
        CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
        INSERT INTO totals VALUES (1, 0, 0);
        CREATE TRIGGER records_inserted AFTER INSERT ON records BEGIN
            UPDATE totals SET count = count + 1, bytes = bytes + new.charged_bytes;
        END;
        CREATE TRIGGER records_deleted AFTER DELETE ON records BEGIN
            DELETE FROM payloads WHERE id = old.id;
            DELETE FROM tags WHERE id = old.id;
            UPDATE totals SET count = count - 1, bytes = bytes - old.charged_bytes;
        END;
        PRAGMA application_id = 0x484F5244;
        PRAGMA user_version = 1;
        """

    private static let oldTables = "SELECT COUNT(*) FROM sqlite_schema WHERE tbl_name LIKE '%\\_1' ESCAPE '\\' OR name = 'records_by_recency'"

    /// Makes a database with these records, with the least recently used first.
    private func makeDatabase(_ records: [(key: RecordKey, record: Hoard.Record)], then sql: String = "") throws {
        try FileManager.default.createDirectory(atPath: workspace.directory, withIntermediateDirectories: true)
        let queue = try DatabaseQueue(path: workspace.databasePath)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
            try db.inTransaction {
                try db.execute(sql: Self.schema)
                // The identifiers are hashes, and so in no order.
                for (number, entry) in records.enumerated() { try insert(entry.key, entry.record, Int64((number &* 7919) % 100_003), number, db) }
                try db.execute(sql: sql)
                return .commit
            }
        }
        try queue.close()
    }

    private func insert(_ key: RecordKey, _ record: Hoard.Record, _ id: Int64, _ recency: Int, _ db: Database) throws {
        var details: [UInt8] = []
        func append(_ text: String?) {
            details.append(integer: text.map { UInt32($0.utf8.count) } ?? .max)
            details += Array((text ?? "").utf8)
        }
        details.append(integer: UInt32(record.tags.count))
        for tag in record.tags.sorted() { append(tag) }
        append(record.validator)
        append(record.contentType)
        let charge = key.bytes.count + record.payload.count + details.count + 256
        var header: [UInt8] = []
        header.append(integer: UInt64(key.bytes.count))
        header += key.bytes
        for date in [record.created, record.freshUntil, record.staleUntil] {
            header.append(date == nil ? 0 : 1)
            header.append(integer: (date?.timeIntervalSinceReferenceDate ?? 0).bitPattern)
        }
        header.append(integer: record.schemaFingerprint)
        header.append(integer: Int64(charge))
        header += details
        let checksum = record.payload.withUnsafeBytes { payload in XXH64.hash(payload, seed: header.withUnsafeBytes { XXH64.hash($0) }) }
        try db.execute(
            sql: "INSERT INTO records VALUES (?, IFNULL(?, x''), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                id, Data(key.bytes), record.created.timeIntervalSinceReferenceDate, record.freshUntil?.timeIntervalSinceReferenceDate,
                record.staleUntil?.timeIntervalSinceReferenceDate, record.lastAccess.timeIntervalSinceReferenceDate, recency,
                Int64(bitPattern: record.schemaFingerprint), record.payload.count, charge, Int64(bitPattern: checksum), Data(details),
            ]
        )
        try db.execute(sql: "INSERT INTO payloads VALUES (?, IFNULL(?, x''))", arguments: [id, record.payload])
        for tag in record.tags { try db.execute(sql: "INSERT INTO tags VALUES (IFNULL(?, x''), ?)", arguments: [Data(tag.utf8), id]) }
    }

    private func numbered(_ count: Int) -> [(key: RecordKey, record: Hoard.Record)] {
        (0..<count).map { (RecordKey("\($0)"), workspace.record("\($0)")) }
    }

    private func full(_ payload: Data) -> Hoard.Record {
        var record = Hoard.Record(
            payload: payload,
            created: workspace.clock.now() - 100,
            freshUntil: workspace.clock.now() + 50.25,
            staleUntil: .date(workspace.clock.now() + 1000.5),
            lastAccess: workspace.clock.now() - 10,
            tags: ["red", "", "gr\0een", "🦆"],
            validator: "",
            contentType: "text/plain",
            schemaFingerprint: .max
        )
        record.partition = nil
        return record
    }

    @Test func recordsWithEverythingAndWithNothingAreBrought() async throws {
        let records: [(key: RecordKey, record: Hoard.Record)] = [
            ("full", full(Data("text".utf8))),
            ("large", full(Data.pattern(3_000_000))),
            ("limit", full(Data.pattern(16_384))),
            ("plain", Hoard.Record(payload: Data(), created: ManualClock.start)),
            ("", Hoard.Record(payload: Data([1]), created: ManualClock.start)),
            (RecordKey(bytes: [0, 255, 10]), Hoard.Record(payload: Data([2]), created: .distantPast, lastAccess: .distantFuture)),
        ]
        try makeDatabase(records)
        for _ in 0..<2 {
            let store = try workspace.open()
            #expect(try await store.statistics().count == records.count)
            #expect(try store.countedTotals().count == records.count)
            for (key, record) in records { #expect(try await store.peekRecord(forKey: key) == record, "\(key)") }
            #expect(try store.query { db in try Int.fetchOne(db, sql: Self.oldTables) } == 0)
            #expect(try store.query { db in try Int32.fetchOne(db, sql: "PRAGMA user_version") } == DiskSchema.version)
            #expect(try store.text("PRAGMA integrity_check") == "ok")
            store.core.finishHousekeeping()
            await store.flush()
            #expect(try workspace.payloadFiles().count == 1)
            await store.close()
        }
        #expect(workspace.events.events.isEmpty)
        #expect(try workspace.files() == ["hoard.sqlite"])
    }

    @Test func broughtRecordsAreRemovedByTagAndByTime() async throws {
        try makeDatabase([("a", full(Data([1]))), ("b", full(Data([2])))] + numbered(3))
        let store = try workspace.open()
        try await store.removeRecords(taggedWith: "gr\0een")
        #expect(try await store.peekRecord(forKey: "a") == nil)
        #expect(try await store.peekRecord(forKey: "0") != nil)
        #expect(try store.countedTotals().count == 3)
    }

    @Test func anExpiredRecordIsNotServed() async throws {
        try makeDatabase([("short", workspace.record("short", freshFor: 5)), ("long", workspace.record("long", freshFor: 50))])
        workspace.clock.advance(by: 6)
        let store = try workspace.open()
        #expect(try await store.record(forKey: "short") == nil)
        #expect(try await store.peekText("long") == "long")
    }

    @Test func damagedRecordsAreCountedAndLeftBehind() async throws {
        try makeDatabase(
            numbered(8),
            then: """
                UPDATE payloads SET bytes = x'00' WHERE id = 0;
                UPDATE records SET details = x'0000' WHERE recency = 1;
                DELETE FROM payloads WHERE id = (SELECT id FROM records WHERE recency = 2);
                UPDATE records SET created = created + 1 WHERE recency = 3;
                UPDATE records SET key = x'' WHERE recency = 4;
                """
        )
        let store = try workspace.open()
        for number in 0..<8 { #expect(try await store.peekText(RecordKey("\(number)")) == (number < 5 ? nil : "\(number)")) }
        #expect(try await store.statistics().corruptions == 5)
        #expect(try await store.statistics().count == 3)
        #expect(workspace.events.kinds == [.recordDamaged])
    }

    @Test func theLimitsHoldAndTheLeastRecentlyUsedRecordsGo() async throws {
        try makeDatabase(numbered(300))
        let store = try workspace.open(maximumCount: 100)
        #expect(try await store.statistics().count == 100)
        for number in 0..<300 { #expect((try await store.peekRecord(forKey: RecordKey("\(number)")) != nil) == (number >= 200)) }
        // The order of uses continues.
        _ = try await store.record(forKey: "200")
        try await store.insert(workspace.record(), forKey: "new")
        #expect(try await store.peekRecord(forKey: "200") != nil)
        #expect(try await store.peekRecord(forKey: "201") == nil)
    }

    @Test func aRecordThatIsLargerThanTheLimitIsLeftBehind() async throws {
        try makeDatabase([("large", workspace.record(byteCount: 200_000))] + numbered(2))
        let store = try workspace.open(maximumBytes: 100_000)
        #expect(try await store.statistics().count == 2)
        #expect(try await store.peekRecord(forKey: "large") == nil)
        store.core.finishHousekeeping()
        await store.flush()
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().isEmpty }
    }

    @Test func anEmptyDatabaseIsBroughtToo() async throws {
        try makeDatabase([])
        let store = try workspace.open()
        #expect(try await store.statistics().count == 0)
        #expect(try store.query { db in try Int.fetchOne(db, sql: Self.oldTables) } == 0)
        try await store.insert(workspace.record("new"), forKey: "key")
        #expect(try await store.peekText("key") == "new")
    }

    @Test func whatWasInterruptedGoesOn() async throws {
        try makeDatabase(numbered(200))
        // The state that a process leaves if it dies after it has made the new tables and moved the first batch.
        let queue = try DatabaseQueue(path: workspace.databasePath)
        try await queue.write { db in
            try FormatVersion1.setAside(db)
            try DiskSchema.create(db)
            try StoreIdentity(key: nil).write(to: db)
            #expect(try FormatVersion1.take(64, db).count == 64)
        }
        try queue.close()
        let store = try workspace.open()
        #expect(try await store.statistics().count == 136)
        for number in 64..<200 { #expect(try await store.peekText(RecordKey("\(number)")) == "\(number)") }
        #expect(try store.query { db in try Int.fetchOne(db, sql: Self.oldTables) } == 0)
    }

    @Test func aStoreThatIsOpenedWhileThereAreOldRecordsLosesNone() async throws {
        try makeDatabase(numbered(150))
        let configuration = workspace.configuration()
        let stores = try await withThrowingTaskGroup(of: DiskStore.self) { group in
            for _ in 0..<3 { group.addTask { try DiskStore(configuration: configuration) } }
            return try await group.reduce(into: [DiskStore]()) { $0.append($1) }
        }
        for store in stores {
            for number in 0..<150 { #expect(try await store.peekText(RecordKey("\(number)")) == "\(number)") }
            #expect(try await store.statistics().count == 150)
        }
        #expect(workspace.events.events.isEmpty)
    }

    @Test func bringingManyRecordsTakesTimeInProportion() throws {
        try makeDatabase(numbered(3))
        let queue = try DatabaseQueue(path: workspace.databasePath)
        try queue.write { db in
            try FormatVersion1.setAside(db)
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT id FROM records_1 ORDER BY recency LIMIT 64")
            #expect(!plan.contains { ($0["detail"] as String).contains("TEMP B-TREE") })
        }
        try queue.close()
    }

    @Test func oldRecordsOfAStoreThatIsNowEncryptedAreEncrypted() async throws {
        try makeDatabase(numbered(20) + [("key", workspace.record("PLAINTEXT"))])
        func open() throws -> DiskStore { try workspace.open { $0.encryptionKey = try .init(identifier: "test", bytes: Array(0..<32)) } }
        let store = try open()
        #expect(try await store.peekText("key") == "PLAINTEXT")
        await store.close()
        #expect(try workspace.databaseBytes().range(of: Data("PLAINTEXT".utf8)) == nil)
        #expect(try await open().peekText("19") == "19")
    }
}
