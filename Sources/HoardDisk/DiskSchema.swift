// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The tables of a store's database, and how to tell such a database from others.
///
/// The schema is created in one transaction of the rollback journal, before the database is switched to WAL. So the
/// database's header tells from the first moment whose it is, and a process that dies in between leaves an empty file.
enum DiskSchema {
    /// The number in the header that marks a database as Hoard's: "HORD".
    static let applicationID: Int32 = 0x484F_5244

    /// The version of the tables below, kept in `user_version`. Raise it with every change that an older Hoard cannot read.
    static let version: Int32 = 1

    /// What a database is to this version of Hoard.
    enum Recognition: Hashable {
        case empty, current, newer(Int32), foreign, damaged
    }

    /// - `records` has everything but the payload, so that noting a use or walking the records never moves payloads.
    /// - `records.key` is the whole key: `id` is a hash of it.
    /// - Dates are seconds since 2001-01-01 00:00 UTC, the bits of Swift's `Date`; NULL is "for ever".
    /// - `tags` repeats what `records.details` has, for removal by tag.
    /// - `totals` is one row, kept right by triggers in the transaction of every change, whoever makes it.
    private static let tables = """
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
        """

    private static let objects: Set<String> = [
        "records", "records_by_recency", "records_by_expiry", "payloads", "tags", "tags_by_record", "totals", "records_inserted", "records_deleted",
    ]

    /// Tells what the database is. Reads its header and the names of its tables, indices and triggers.
    static func recognize(_ db: Database) throws -> Recognition {
        let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id")
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let objects = try String?.fetchSet(db, sql: "SELECT name FROM sqlite_schema")
        guard applicationID == Self.applicationID else {
            return applicationID == 0 && version == 0 && objects.isEmpty ? .empty : .foreign
        }
        if version > Self.version { return .newer(version) }
        // No version before 1 was ever released.
        return version == Self.version && objects.isSuperset(of: Self.objects) ? .current : .damaged
    }

    /// Creates the tables. Call in a transaction, on an empty database.
    static func create(_ db: Database) throws {
        try db.execute(sql: tables)
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }
}
