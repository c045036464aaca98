// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The statements that writing uses, prepared once on the writing connection.
final class WriteStatements {
    let row, rowSummary, insertRecord, deleteRecord, insertRecency, deleteRecency, oldestRecency, latestStamp, expired: RawStatement
    let insertTag, deleteTag, tagged, insertInvalidation, writeTotals, insertChange, trimChanges: RawStatement

    init(on db: Database) throws {
        row = try RawStatement(RecordRow.query, on: db)
        rowSummary = try RawStatement("SELECT charge, file, tags, partition FROM records WHERE id = ?", on: db)
        insertRecord = try RawStatement("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", on: db)
        deleteRecord = try RawStatement("DELETE FROM records WHERE id = ? RETURNING charge, file, tags, partition", on: db)
        insertRecency = try RawStatement("INSERT INTO recency VALUES (?, ?)", on: db)
        deleteRecency = try RawStatement("DELETE FROM recency WHERE stamp = ?", on: db)
        oldestRecency = try RawStatement("SELECT stamp, id FROM recency WHERE stamp > ? ORDER BY stamp LIMIT ?", on: db)
        latestStamp = try RawStatement("SELECT MAX(stamp) FROM recency", on: db)
        expired = try RawStatement("SELECT id FROM records WHERE expires <= ? ORDER BY expires LIMIT ?", on: db)
        insertTag = try RawStatement("INSERT OR IGNORE INTO tags VALUES (?, ?)", on: db)
        deleteTag = try RawStatement("DELETE FROM tags WHERE tag = ? AND id = ?", on: db)
        tagged = try RawStatement("SELECT id FROM tags JOIN records USING (id) WHERE tag = ? AND sequence <= ? LIMIT ?", on: db)
        insertInvalidation = try RawStatement("INSERT OR REPLACE INTO invalidations VALUES (?, ?)", on: db)
        writeTotals = try RawStatement("INSERT OR REPLACE INTO totals VALUES (1, ?, ?, ?, ?)", on: db)
        insertChange = try RawStatement("INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)", on: db)
        trimChanges = try RawStatement(
            "DELETE FROM changes WHERE sequence <= (SELECT sequence FROM changes ORDER BY sequence DESC LIMIT 1 OFFSET \(ChangeList.keptCount))",
            on: db
        )
    }
}
