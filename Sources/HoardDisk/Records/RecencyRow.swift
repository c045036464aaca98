// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A row of `recency`, the queue of eviction.
struct RecencyRow: Sendable {
    static let query = "SELECT stamp, id, IFNULL(place, id) FROM recency WHERE stamp > ? ORDER BY stamp LIMIT ?"

    let stamp: Int64
    let id: Int64
    /// Where the record is, or was.
    let place: Int64

    /// Reads rows, those with the smallest stamps first. ``query`` is the statement.
    ///
    /// Throws `SQLITE_CORRUPT` if they are not in order, as in a damaged page: SQLite does not check the order when it steps from row to row.
    static func page(_ statement: RawStatement, after stamp: Int64, limit: Int) throws -> [RecencyRow] {
        statement.bind(stamp, at: 1)
        statement.bind(Int64(limit), at: 2)
        defer { statement.reset() }
        var rows: [RecencyRow] = []
        var latest = stamp
        while try statement.step() {
            let row = RecencyRow(stamp: statement.integer(0), id: statement.integer(1), place: statement.integer(2))
            guard row.stamp > latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The queue of eviction is out of order.") }
            latest = row.stamp
            rows.append(row)
        }
        return rows
    }
}
