// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The statements that writing uses, prepared once on the writing connection.
final class WriteStatements {
    let row, rowSummary, insertRecord, replaceRecord, deleteRecord, insertRecency, deleteRecency, oldestRecency, expired: RawStatement
    let insertTag, deleteTag, tagged, lookUp, enter, leave, insertInvalidation, writeTotals, insertChange, trimChanges: RawStatement

    init(on db: Database) throws {
        row = try RawStatement(RecordRow.query, on: db)
        rowSummary = try RawStatement("SELECT \(RecordRow.summary) FROM records WHERE place = ?", on: db)
        insertRecord = try RawStatement(RecordRow.insertion, on: db)
        replaceRecord = try RawStatement(RecordRow.insertion.replacing("INSERT", with: "REPLACE"), on: db)
        deleteRecord = try RawStatement("DELETE FROM records WHERE place = ?", on: db)
        insertRecency = try RawStatement("INSERT INTO recency VALUES (?, ?, ?)", on: db)
        deleteRecency = try RawStatement("DELETE FROM recency WHERE stamp BETWEEN ? AND ?", on: db)
        oldestRecency = try RawStatement(RecencyRow.query, on: db)
        expired = try RawStatement("SELECT place FROM records WHERE expires <= ? ORDER BY expires LIMIT ?", on: db)
        insertTag = try RawStatement("INSERT OR IGNORE INTO tags VALUES (?, ?)", on: db)
        deleteTag = try RawStatement("DELETE FROM tags WHERE tag = ? AND place = ?", on: db)
        tagged = try RawStatement("SELECT place FROM tags JOIN records USING (place) WHERE tag = ? AND sequence <= ? LIMIT ?", on: db)
        lookUp = try RawStatement(DirectoryUpdate.query, on: db)
        enter = try RawStatement("INSERT OR REPLACE INTO directory VALUES (?, ?)", on: db)
        leave = try RawStatement("DELETE FROM directory WHERE id = ?", on: db)
        insertInvalidation = try RawStatement("INSERT OR REPLACE INTO invalidations VALUES (?, ?)", on: db)
        writeTotals = try RawStatement("INSERT OR REPLACE INTO totals VALUES (1, ?, ?, ?, ?)", on: db)
        insertChange = try RawStatement("INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?)", on: db)
        trimChanges = try RawStatement(
            "DELETE FROM changes WHERE sequence <= (SELECT sequence FROM changes ORDER BY sequence DESC LIMIT 1 OFFSET \(ChangeList.keptCount))",
            on: db
        )
    }
}
