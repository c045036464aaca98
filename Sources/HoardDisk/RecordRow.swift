// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A row of the search for a key, as it is read from the database: not yet trusted.
///
/// GRDB's `Row` takes longer to prepare than SQLite to find the record, because it collects the names of the columns each time. So this type
/// passes itself off as the value of the first column, and reads the others beside it.
struct RecordRow {
    /// Selects the row by its primary key. The columns are read by their position.
    static let query = """
        SELECT key, created, fresh_until, stale_until, last_access, schema_fingerprint, charged_bytes, checksum, details, payload_bytes,
            payloads.bytes
        FROM records LEFT JOIN payloads ON payloads.id = records.id WHERE records.id = ?
        """

    private let key: Data
    private let created: Date
    private let freshUntil: Date?
    private let staleUntil: Date?
    private let lastAccess: Date
    private let schemaFingerprint: UInt64
    private let chargedByteCount: Int
    private let checksum: UInt64
    private let details: Data
    private let payloadByteCount: Int
    private let payload: Data
}

extension RecordRow: StatementColumnConvertible {
    /// Reads the columns. SQLite makes something of any value, so this never fails; ``lookup(key:at:)`` tells whether it was worth anything.
    init(sqliteStatement: SQLiteStatement, index: CInt) {
        func integer(_ index: CInt) -> Int64 { Int64(sqliteStatement: sqliteStatement, index: index) }
        func data(_ index: CInt) -> Data { Data(sqliteStatement: sqliteStatement, index: index) }
        func date(_ index: CInt) -> Date? {
            Double.fromStatement(sqliteStatement, atUncheckedIndex: index).map(Date.init(timeIntervalSinceReferenceDate:))
        }
        key = data(0)
        created = date(1) ?? .distantPast
        freshUntil = date(2)
        staleUntil = date(3)
        lastAccess = date(4) ?? created
        schemaFingerprint = UInt64(bitPattern: integer(5))
        chargedByteCount = Int(truncatingIfNeeded: integer(6))
        checksum = UInt64(bitPattern: integer(7))
        details = data(8)
        payloadByteCount = Int(truncatingIfNeeded: integer(9))
        payload = data(10)
    }
}

extension RecordRow: DatabaseValueConvertible {
    var databaseValue: DatabaseValue { .null }

    static func fromDatabaseValue(_ value: DatabaseValue) -> RecordRow? { nil }
}

extension RecordRow {
    /// Judges the row: whether it is of this key, whether its time is up, and whether its checksum fits, in this order.
    func lookup(key: RecordKey, at now: Date) -> RecordLookup {
        guard self.key.withUnsafeBytes({ stored in key.bytes.withUnsafeBytes { stored.elementsEqual($0) } }) else { return .absent }
        if let staleUntil, now >= staleUntil { return .expired }
        let actualChecksum = payload.withUnsafeBytes { bytes in
            RecordChecksum.checksum(
                key: key,
                created: created,
                freshUntil: freshUntil,
                staleUntil: staleUntil,
                schemaFingerprint: schemaFingerprint,
                details: details,
                chargedByteCount: chargedByteCount,
                payload: bytes
            )
        }
        guard actualChecksum == checksum, payload.count == payloadByteCount, let details = RecordDetails(encoded: details) else {
            return .damaged
        }
        var record = Hoard.Record(
            payload: payload,
            created: created,
            freshUntil: freshUntil,
            lastAccess: lastAccess,
            tags: details.tags,
            validator: details.validator,
            contentType: details.contentType,
            schemaFingerprint: schemaFingerprint
        )
        record.staleUntil = staleUntil
        return .found(record)
    }
}
