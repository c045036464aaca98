// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The statements on single records. All of them are cached by the connection.
///
/// Works inside whatever transaction the caller has begun.
struct RecordTable {
    let db: Database
}

/// What a search for a key found.
enum RecordLookup {
    case absent
    /// A record whose time is up.
    case expired
    /// A record that fails its checksum.
    case damaged
    case found(Hoard.Record)
}

extension RecordTable {
    /// Finds the record of a key. Verifies the key, then the time, then the checksum. Copies the payload once.
    ///
    /// - Complexity: O(log n) for the search, O(m) for m bytes of record.
    func lookUp(id: Int64, key: RecordKey, at now: Date) throws -> RecordLookup {
        var lookup = RecordLookup.absent
        // There is one row at most.
        try RecordRow.fetchCursor(db.cachedStatement(sql: RecordRow.query), arguments: [id]).forEach { row in
            lookup = row.lookup(key: key, at: now)
        }
        return lookup
    }

    /// Adds a record; one with the same `id` is deleted first, whatever its key.
    ///
    /// - Complexity: O((1 + t) log n) for t tags, and O(m) for m bytes of record.
    func insert(_ record: StoredRecord, recency: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM records WHERE id = ?").execute(arguments: [record.id])
        // GRDB binds empty data as NULL.
        let insertion = try db.cachedStatement(sql: "INSERT INTO records VALUES (?, IFNULL(?, x''), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try insertion.execute(arguments: [
            record.id, Data(record.key.bytes),
            record.created.timeIntervalSinceReferenceDate,
            record.freshUntil?.timeIntervalSinceReferenceDate,
            record.staleUntil?.timeIntervalSinceReferenceDate,
            record.lastAccess.timeIntervalSinceReferenceDate,
            recency, Int64(bitPattern: record.schemaFingerprint), record.payload.count, record.chargedByteCount,
            Int64(bitPattern: record.checksum), record.details,
        ])
        try db.cachedStatement(sql: "INSERT INTO payloads VALUES (?, IFNULL(?, x''))").execute(arguments: [record.id, record.payload])
        for tag in record.tags {
            try db.cachedStatement(sql: "INSERT INTO tags VALUES (IFNULL(?, x''), ?)").execute(arguments: [Data(tag.utf8), record.id])
        }
    }

    /// Enters uses that were noted in memory. A record that has been written since is left alone. O(k log n) for k uses.
    func update(_ uses: [Int64: AccessLog.Use]) throws {
        if uses.isEmpty { return }
        let update = try db.cachedStatement(sql: "UPDATE records SET last_access = ?, recency = ? WHERE id = ? AND recency < ?")
        for (id, use) in uses {
            try update.execute(arguments: [use.lastAccess.timeIntervalSinceReferenceDate, use.recency, id, use.recency])
        }
    }

    /// Deletes the record of a key, if there is one.
    func delete(id: Int64, key: RecordKey) throws {
        try db.cachedStatement(sql: "DELETE FROM records WHERE id = ? AND key = IFNULL(?, x'')").execute(arguments: [id, Data(key.bytes)])
    }

    /// Deletes the record of a key if its time is up or if it is damaged, and tells which.
    func deleteUnusable(id: Int64, key: RecordKey, at now: Date) throws -> RecordRemovals {
        switch try lookUp(id: id, key: key, at: now) {
        case .absent, .found:
            return RecordRemovals()
        case .expired:
            try delete(id: id, key: key)
            return RecordRemovals(expirations: 1)
        case .damaged:
            try delete(id: id, key: key)
            // What the record had been charged may be damaged too.
            try recomputeTotals()
            return RecordRemovals(corruptions: 1)
        }
    }

    /// Deletes the records with a tag. O(k log n) for k of them.
    func delete(taggedWith tag: String) throws {
        try db.cachedStatement(sql: "DELETE FROM records WHERE id IN (SELECT id FROM tags WHERE tag = IFNULL(?, x''))")
            .execute(arguments: [Data(tag.utf8)])
        try giveSpaceBack()
    }

    /// Deletes all records. O(n).
    func deleteAll() throws {
        // The tables without triggers are emptied page by page, and leave little to do for the triggers.
        try db.execute(sql: "DELETE FROM payloads; DELETE FROM tags; DELETE FROM records")
        try recomputeTotals()
        try giveSpaceBack()
    }

    /// The greatest recency of all records. O(log n).
    func latestRecency() throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT MAX(recency) FROM records")
    }
}
