// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardDisk

extension Workspace {
    /// Closes a store, and turns it back into one of format 2 or 3, with the records that it has.
    func goBack(_ store: DiskStore, to format: Int) async throws {
        await store.close()
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
}
