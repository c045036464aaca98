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
    static let version: Int32 = 5

    /// The kinds of databases that this version of Hoard tells apart.
    enum Recognition: Hashable {
        case empty, current, older(Int32), newer(Int32), foreign, damaged

        /// Whether the database has the table `identity`.
        var hasIdentity: Bool {
            switch self {
            case .current: true
            case .older(let version): version > 1
            case .empty, .newer, .foreign, .damaged: false
            }
        }
    }

    /// - `records.place` is the stamp (``RecordIndex``) with which the record was first written, so records lie in the order in which they came, and a new one
    ///   goes to the end. One that replaces another takes its place. `id` is a keyed hash of the key; the whole key is in `header` (``RecordHeader``). It is NULL in a record that a Hoard of format 3 wrote:
    ///   such a record has its identifier for a place. `sequence` orders all writes. `expires` is in microseconds since 2001-01-01 00:00 UTC, rounded up. `file` is the nonce of the payload's file, NULL if the payload is in the row; `tags` has the hashes of the
    ///   record's tags, 8 bytes each; `partition` is the hash of its partition's name. `checksum` is over all of it. The payload comes last, so that the rest is read without it;
    ///   in a table that was upgraded, `id` comes behind it.
    /// - `recency` is the queue of eviction, and leads from a record's identifier to its place. It is appended to, so that a write touches one page of it; which
    ///   stamp and place a record has now is known in memory (``RecordIndex``). A row whose record has a later stamp, or is gone, means nothing. A `place` of
    ///   0 is the stamp, and one of NULL, which a Hoard of format 3 wrote, the identifier.
    /// - `directory` has the places by identifier, for the time in which the index is being filled. It lags behind (``DirectoryUpdate``).
    /// - `invalidations`: records with the tag whose sequence is not greater are gone, whether they have been swept yet or not.
    /// - `stale_marks`: records whose sequence is not greater ceased to be fresh at the date, seconds since 2001-01-01 00:00 UTC, or before. `scope` is a record's
    ///   `id`, a tag, or 0 for all records.
    /// - `changes` tells other processes of changes: ``ChangeList``.
    /// - `totals` is one row, written once by each transaction; `identity` is one that never changes.
    private static let tables = """
        CREATE TABLE records (
            place INTEGER PRIMARY KEY,
            id INTEGER,
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
        CREATE TABLE recency (stamp INTEGER PRIMARY KEY, id INTEGER NOT NULL, place INTEGER) STRICT;
        \(directory)
        CREATE TABLE tags (tag INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (tag, place)) STRICT, WITHOUT ROWID;
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

    private static let directory = "CREATE TABLE directory (id INTEGER PRIMARY KEY, place INTEGER NOT NULL) STRICT;"

    private static let objectsOfVersion2: Set<String> = [
        "records", "records_by_expiry", "recency", "tags", "invalidations", "changes", "totals", "identity",
    ]
    private static let objectsOfVersion3 = objectsOfVersion2.union(["stale_marks"])
    private static let objects = objectsOfVersion3.union(["directory"])

    /// Recognizes the kind and version of the database. Reads its header and the names of its tables and indices.
    static func recognize(_ db: Database) throws -> Recognition {
        let applicationID = try Int32.fetchOne(db, sql: "PRAGMA application_id")
        let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let objects = try String?.fetchSet(db, sql: "SELECT name FROM sqlite_schema")
        guard applicationID == Self.applicationID else {
            return applicationID == 0 && version == 0 && objects.isEmpty ? .empty : .foreign
        }
        if version > Self.version { return .newer(version) }
        let expected: Set<String>
        switch version {
        case 1: return .older(version)
        case 2: expected = objectsOfVersion2
        case 3: expected = objectsOfVersion3
        case 4, Self.version: expected = Self.objects
        default: return .damaged
        }
        guard objects.isSuperset(of: expected) else { return .damaged }
        return version == Self.version ? .current : .older(version)
    }

    /// Adds the tables and columns that version 2 or 3 did not have. Version 4 had all of them, and other headers and rows of `recency`, which are still read.
    /// Call in a transaction.
    ///
    /// O(1): no record is written. Records stay as they are until they are replaced or removed; those of version 2 or 3 in the order of their identifiers.
    static func upgrade(_ db: Database, from former: Int32) throws {
        if former == 2 { try db.execute(sql: staleMarks) }
        if former < 4 {
            try db.execute(
                sql: """
                    ALTER TABLE records RENAME COLUMN id TO place;
                    ALTER TABLE records ADD COLUMN id INTEGER;
                    ALTER TABLE tags RENAME COLUMN id TO place;
                    ALTER TABLE recency ADD COLUMN place INTEGER;
                    \(directory)
                    INSERT INTO directory SELECT 0, IFNULL(MAX(stamp), 0) FROM recency;
                    """
            )
        }
        try db.execute(sql: "PRAGMA user_version = \(version)")
    }

    /// Creates the tables. Call in a transaction, on an empty database.
    static func create(_ db: Database) throws {
        try db.execute(sql: tables)
        try StoredTotals(totals: RecordTotals(count: 0, bytes: 0), sequence: 0).insert(into: db)
        try db.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }
}
