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
    static let version: Int32 = 3

    /// The kinds of databases that this version of Hoard tells apart.
    enum Recognition: Hashable {
        case empty, current, older(Int32), newer(Int32), foreign, damaged

        /// Whether the database has the table `identity`.
        var hasIdentity: Bool { self == .current || self == .older(2) }
    }

    /// - `records.id` is a keyed hash of the key; the whole key is in `header` (``RecordHeader``). `sequence` orders all writes. `expires` is in microseconds
    ///   since 2001-01-01 00:00 UTC, rounded up. `file` is the nonce of the payload's file, NULL if the payload is in the row; `tags` has the hashes of the
    ///   record's tags, 8 bytes each; `partition` is the hash of its partition's name. `checksum` is over all of it. The payload comes last, so that the rest is read without it.
    /// - `recency` is the queue of eviction. It is appended to, so that a write touches one page of it; which stamp a record has now is known in memory (``RecordIndex``).
    ///   A row whose record has a later stamp, or is gone, means nothing.
    /// - `invalidations`: records with the tag whose sequence is not greater are gone, whether they have been swept yet or not.
    /// - `stale_marks`: records whose sequence is not greater ceased to be fresh at the date, seconds since 2001-01-01 00:00 UTC, or before. `scope` is a record's
    ///   `id`, a tag, or 0 for all records.
    /// - `changes` tells other processes of changes: ``ChangeList``.
    /// - `totals` is one row, written once by each transaction; `identity` is one that never changes.
    private static let tables = """
        CREATE TABLE records (
            id INTEGER PRIMARY KEY,
            sequence INTEGER NOT NULL,
            expires INTEGER,
            charge INTEGER NOT NULL,
            file INTEGER,
            tags BLOB,
            partition INTEGER,
            checksum INTEGER NOT NULL,
            header BLOB NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE INDEX records_by_expiry ON records (expires) WHERE expires IS NOT NULL;
        CREATE TABLE recency (stamp INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT;
        CREATE TABLE tags (tag INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (tag, id)) STRICT, WITHOUT ROWID;
        CREATE TABLE invalidations (tag INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
        \(staleMarks)
        CREATE TABLE changes (
            sequence INTEGER PRIMARY KEY, previous INTEGER NOT NULL, origin INTEGER NOT NULL, body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL, sequence INTEGER NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1), salt BLOB NOT NULL, key_identifier TEXT, key_check BLOB, checksum INTEGER NOT NULL
        ) STRICT;
        """

    private static let staleMarks = """
        CREATE TABLE stale_marks (
            scope INTEGER NOT NULL, sequence INTEGER NOT NULL, date REAL NOT NULL, PRIMARY KEY (scope, sequence)
        ) STRICT, WITHOUT ROWID;
        """

    private static let objectsOfVersion2: Set<String> = [
        "records", "records_by_expiry", "recency", "tags", "invalidations", "changes", "totals", "identity",
    ]
    private static let objects = objectsOfVersion2.union(["stale_marks"])

    /// Recognizes the kind and version of the database. Reads its header and the names of its tables and indices.
    static func recognize(_ db: Database) throws -> Recognition {
        let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id")
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let objects = try String?.fetchSet(db, sql: "SELECT name FROM sqlite_schema")
        guard applicationID == Self.applicationID else {
            return applicationID == 0 && version == 0 && objects.isEmpty ? .empty : .foreign
        }
        if version > Self.version { return .newer(version) }
        if version == 1 { return .older(version) }
        if version == 2 { return objects.isSuperset(of: objectsOfVersion2) ? .older(version) : .damaged }
        return version == Self.version && objects.isSuperset(of: Self.objects) ? .current : .damaged
    }

    /// Adds the table that the second version did not have. All its other tables stay as they were. Call in a
    /// transaction.
    static func upgradeFromVersion2(_ db: Database) throws {
        try db.execute(sql: staleMarks)
        try db.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// Creates the tables. Call in a transaction, on an empty database.
    static func create(_ db: Database) throws {
        try db.execute(sql: tables)
        try StoredTotals(totals: RecordTotals(count: 0, bytes: 0), sequence: 0).insert(into: db)
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }
}
