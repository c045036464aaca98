// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

@testable import HoardDisk

extension Workspace {
    /// Closes a store, and turns it back into one of format 2, 3 or 4, with the records that it has. Encrypted records keep their headers.
    func goBack(_ store: DiskStore, to format: Int) async throws {
        let isEncrypted = try store.core.session().ring != nil
        await store.close()
        let queue = try DatabaseQueue(path: databasePath)
        try await queue.write { db in
            if !isEncrypted { try Self.lengthenHeaders(db) }
            try db.execute(sql: "UPDATE recency SET place = stamp WHERE place = 0 AND id <> 0; PRAGMA user_version = 4")
        }
        try queue.close()
        if format == 4 { return }
        try changeDatabase(
            """
            CREATE TABLE records_3 (
                id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, expires INTEGER, charge INTEGER NOT NULL, file INTEGER, tags BLOB, partition INTEGER,
                checksum INTEGER NOT NULL, header BLOB NOT NULL, payload BLOB NOT NULL
            ) STRICT;
            INSERT INTO records_3 SELECT IFNULL(id, place), sequence, expires, charge, file, tags, partition, checksum, header, payload FROM records;
            CREATE TABLE tags_3 (tag INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;
            INSERT INTO tags_3 SELECT tag, IFNULL(id, place) FROM tags JOIN records USING (place);
            CREATE TABLE recency_3 (stamp INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT;
            INSERT INTO recency_3 SELECT stamp, id FROM recency;
            DROP TABLE records; DROP TABLE tags; DROP TABLE recency; DROP TABLE directory;
            ALTER TABLE records_3 RENAME TO records; ALTER TABLE tags_3 RENAME TO tags; ALTER TABLE recency_3 RENAME TO recency;
            CREATE INDEX records_by_expiry ON records (expires) WHERE expires IS NOT NULL;
            PRAGMA user_version = 3;
            """
        )
        if format == 2 { try changeDatabase("DROP TABLE stale_marks; PRAGMA user_version = 2") }
    }

    /// Gives all records headers as format 4 and before had them.
    private static func lengthenHeaders(_ db: Database) throws {
        let statement = try RawStatement("SELECT \(RecordRow.columns) FROM records", on: db)
        while try statement.step() {
            let row = RecordRow(statement)
            guard let header = RecordHeader(encoded: row.header)?.encodedAsBefore else { continue }
            let checksum = RecordChecksum.checksum(
                digest: header.withUnsafeBytes { RecordChecksum.digest(header: $0, payload: row.payload) },
                id: row.id,
                sequence: row.sequence,
                expires: row.expires,
                charge: row.charge,
                file: row.file,
                tags: row.tags,
                partition: row.partition
            )
            try db.execute(
                sql: "UPDATE records SET header = ?, checksum = ? WHERE place = ?",
                arguments: [Data(header), Int64(bitPattern: checksum), row.place]
            )
        }
    }
}

extension RecordHeader {
    /// The header in version 1, or in version 2 if it has an extension.
    var encodedAsBefore: [UInt8] {
        let now = encoded
        guard let fields = now.withUnsafeBytes({ RecordHeaderFields($0) }) else { return now }
        var bytes: [UInt8] = [fields.hasExtension ? 2 : 1, fields.flags.rawValue]
        bytes.append(integer: UInt16(fields.tagCount))
        bytes.append(integer: UInt32(fields.keyByteCount))
        for date in [created, freshUntil, staleUntil, lastAccess] { bytes.append(integer: (date?.timeIntervalSinceReferenceDate ?? 0).bitPattern) }
        bytes.append(integer: schemaFingerprint)
        bytes.append(integer: UInt64(payloadByteCount))
        bytes.append(integer: root)
        return bytes + now[fields.byteCount...]
    }
}
