// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

/// The one row of `totals`.
struct StoredTotals: Hashable, Sendable {
    var totals: RecordTotals
    /// Orders all writes to the database: that of the last one.
    var sequence: Int64

    var checksum: Int64 {
        withUnsafeBytes(of: (Int64(totals.count), Int64(totals.bytes), sequence)) { Int64(bitPattern: XXH64.hash($0)) }
    }

    func insert(into db: Database) throws {
        try db.execute(
            sql: "INSERT OR REPLACE INTO totals VALUES (1, ?, ?, ?, ?)",
            arguments: [totals.count, totals.bytes, sequence, checksum]
        )
    }

    /// No store has written so often, or holds so many records. Sums beyond could overflow.
    private static let greatestSequence: Int64 = 1 << 62
    private static let greatestCount: Int64 = 1 << 40

    /// Reads the row. `nil` if it is missing or damaged.
    init?(_ db: Database) throws {
        guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT count, bytes, sequence, checksum FROM totals WHERE id = 1")) else {
            return nil
        }
        self.init(
            totals: RecordTotals(count: try row.decode(atIndex: 0), bytes: try row.decode(atIndex: 1)),
            sequence: try row.decode(atIndex: 2)
        )
        guard try row.decode(Int64.self, atIndex: 3) == checksum, totals.count >= 0, totals.bytes >= 0, totals.count <= Self.greatestCount,
            sequence <= Self.greatestSequence
        else { return nil }
    }

    init(totals: RecordTotals, sequence: Int64) {
        self.totals = totals
        self.sequence = sequence
    }

    /// Counts and adds up everything anew. O(n).
    init(recounting db: Database) throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT COUNT(*), IFNULL(SUM(charge), 0), IFNULL(MAX(sequence), 0) FROM records") else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        let changes = try Int64.fetchOne(db, sql: "SELECT MAX(sequence) FROM changes") ?? 0
        let invalidations = try Int64.fetchOne(db, sql: "SELECT MAX(sequence) FROM invalidations") ?? 0
        let staleMarks = try Int64.fetchOne(db, sql: "SELECT MAX(sequence) FROM stale_marks") ?? 0
        self.init(
            totals: RecordTotals(count: try row.decode(atIndex: 0), bytes: try row.decode(atIndex: 1)),
            sequence: min(max(try row.decode(Int64.self, atIndex: 2), changes, invalidations, staleMarks), Self.greatestSequence)
        )
    }
}
