// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The first format: metadata in columns, all payloads in a table of their own, keys by their SHA-256.
enum FormatVersion1 {
    /// Puts the old tables aside and makes way for the new ones. The index on recency stays until they go: records are taken in its order. Call in the transaction that creates those.
    static func setAside(_ db: Database) throws {
        try db.execute(
            sql: """
                DROP TRIGGER IF EXISTS records_inserted;
                DROP TRIGGER IF EXISTS records_deleted;
                DROP INDEX IF EXISTS records_by_expiry;
                DROP TABLE IF EXISTS tags;
                DROP TABLE IF EXISTS totals;
                ALTER TABLE records RENAME TO records_1;
                ALTER TABLE payloads RENAME TO payloads_1;
                """
        )
    }

    /// Whether records of the old format are left.
    static func isPresent(_ db: Database) throws -> Bool { try db.tableExists("records_1") }

    static func drop(_ db: Database) throws {
        try db.execute(sql: "DROP TABLE records_1; DROP TABLE IF EXISTS payloads_1; PRAGMA incremental_vacuum")
    }

    /// Takes the least recently used records out of the old tables. `nil` stands for one that is damaged.
    static func take(_ count: Int, _ db: Database) throws -> [(key: RecordKey, record: Hoard.Record)?] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT records_1.id, key, created, fresh_until, stale_until, last_access, schema_fingerprint, charged_bytes, checksum, details, bytes
                FROM records_1 LEFT JOIN payloads_1 ON payloads_1.id = records_1.id ORDER BY recency LIMIT ?
                """,
            arguments: [count]
        )
        for row in rows {
            let id = try row.decode(Int64.self, atIndex: 0)
            try db.execute(sql: "DELETE FROM records_1 WHERE id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM payloads_1 WHERE id = ?", arguments: [id])
        }
        return rows.map { row in try? decode(row) }
    }

    private static func decode(_ row: Row) throws -> (key: RecordKey, record: Hoard.Record) {
        func date(_ index: Int) throws -> Date? {
            try row.decode(Double?.self, atIndex: index).map(Date.init(timeIntervalSinceReferenceDate:))
        }
        let key = RecordKey(bytes: try row.decode(Data.self, atIndex: 1))
        let details = try row.decode(Data.self, atIndex: 9)
        let payload = try row.decode(Data.self, atIndex: 10)
        let (created, freshUntil, staleUntil) = (try date(2) ?? .distantPast, try date(3), try date(4))
        let fingerprint = UInt64(bitPattern: try row.decode(Int64.self, atIndex: 6))
        var header: [UInt8] = []
        header.append(integer: UInt64(key.bytes.count))
        header.append(contentsOf: key.bytes)
        for date in [created, freshUntil, staleUntil] {
            header.append(date == nil ? 0 : 1)
            header.append(integer: (date?.timeIntervalSinceReferenceDate ?? 0).bitPattern)
        }
        header.append(integer: fingerprint)
        header.append(integer: try row.decode(Int64.self, atIndex: 7))
        header.append(contentsOf: details)
        let checksum = payload.withUnsafeBytes { payload in XXH64.hash(payload, seed: header.withUnsafeBytes { XXH64.hash($0) }) }
        guard checksum == UInt64(bitPattern: try row.decode(Int64.self, atIndex: 8)), let texts = Texts(details) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        var record = Hoard.Record(
            payload: payload,
            created: created,
            freshUntil: freshUntil,
            lastAccess: try date(5),
            tags: Set(texts.tags),
            validator: texts.validator,
            contentType: texts.contentType,
            schemaFingerprint: fingerprint
        )
        record.staleUntil = staleUntil
        return (key, record)
    }

    /// The contents of the column `details`.
    ///
    /// They are the number of tags, the tags, the validator and the content type. Each text follows its length, which is `UInt32.max` where
    /// the text is absent.
    private struct Texts {
        var tags: [String] = []
        var validator: String?
        var contentType: String?

        init?(_ details: Data) {
            let parsed: ([String], String?, String?)? = details.withUnsafeBytes { bytes in
                var offset = 0
                func number() -> UInt32? {
                    guard bytes.count - offset >= 4 else { return nil }
                    defer { offset += 4 }
                    return bytes.integer(at: offset, as: UInt32.self)
                }
                func text() -> String?? {
                    guard let count = number() else { return nil }
                    if count == .max { return .some(nil) }
                    guard Int(count) <= bytes.count - offset else { return nil }
                    defer { offset += Int(count) }
                    return String(validating: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)]), as: UTF8.self).map { .some($0) }
                }
                guard let count = number() else { return nil }
                var tags: [String] = []
                for _ in 0..<count {
                    guard case .some(.some(let tag)) = text() else { return nil }
                    tags.append(tag)
                }
                guard let validator = text(), let contentType = text() else { return nil }
                return (tags, validator, contentType)
            }
            guard let parsed else { return nil }
            (tags, validator, contentType) = parsed
        }
    }
}

extension DiskCore {
    /// Brings records of an older format to the present one, a batch to a transaction; a process that dies in between goes on when it opens the store again. Blocks for O(n).
    func migrate(_ session: DatabaseSession) throws {
        let isNeeded = try session.readers.withReader { reader in try reader.read { db in try FormatVersion1.isPresent(db) } }
        guard isNeeded else { return }
        while true {
            let isDone = Mutex(false)
            try runTransaction(on: session) { [self] transaction in
                let batch = try FormatVersion1.take(64, transaction.db)
                for case (let key, let record)? in batch where RecordHeader.admits(record) {
                    let stored = try stored(record, key, session)
                    if limits.admit(charge: stored.charge) { try transaction.insert(stored) }
                }
                transaction.removals.corruptions += batch.count { $0 == nil }
                guard batch.isEmpty else { return }
                try FormatVersion1.drop(transaction.db)
                isDone.withLock { $0 = true }
            }
            if isDone.withLock({ $0 }) { return }
        }
    }
}
