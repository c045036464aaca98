// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A row of `recency`, the queue of eviction.
struct RecencyRow: Sendable {
    static let query = "SELECT stamp, id, place FROM recency WHERE stamp > ? ORDER BY stamp LIMIT ?"
    /// The place in SQL.
    static let place = "CASE place WHEN \(placeAtStamp) THEN stamp ELSE IFNULL(place, id) END"
    /// Stands for a place that is the stamp, as that of each new record is. No record is in this place itself, and a row of no record has it beside the
    /// identifier 0.
    static let placeAtStamp: Int64 = 0

    let stamp: Int64
    let id: Int64
    /// Where the record is, or was.
    let place: Int64

    /// - Parameter stored: The column `place`.
    init(stamp: Int64, id: Int64, stored: Int64?) {
        self.stamp = stamp
        self.id = id
        place = stored == Self.placeAtStamp && id != 0 ? stamp : stored ?? id
    }

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
            let row = RecencyRow(stamp: statement.integer(0), id: statement.integer(1), stored: statement.isNull(2) ? nil : statement.integer(2))
            guard row.stamp > latest else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The queue of eviction is out of order.") }
            latest = row.stamp
            rows.append(row)
        }
        return rows
    }
}
