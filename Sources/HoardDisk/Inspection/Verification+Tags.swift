// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

/// A row of `tags`.
struct TagRow: Hashable, Sendable {
    let tag: Int64
    /// The record's place.
    let place: Int64
}

/// The rows of `tags`, which lead from a tag to its records.
extension Verification {
    private static let maximumTagCount = 4096

    /// Looks for rows that lead to no record, or to one without the tag. Returns `false` if the task was cancelled.
    mutating func verifyTags() async throws(StoreError) -> Bool {
        var last = TagRow(tag: .min, place: .min)
        while true {
            if Task.isCancelled { return false }
            let start = last
            let page = try await core.readElsewhere { session in
                try session.readers.withReader { reader in try reader.read { db in try TagRow.page(db, after: start, limit: Self.maximumTagCount) } }
            }
            note(.wrongTag, page.strays.count)
            if isRepairing, !page.strays.isEmpty {
                noteRepair(.wrongTag, try await repair(0) { transaction in try transaction.deleteStrays(page.strays) })
            }
            guard let end = page.last else { return true }
            last = end
        }
    }
}

extension TagRow {
    /// Reads some rows. Those are strays that do not fit their records.
    fileprivate static func page(_ db: Database, after start: TagRow, limit: Int) throws -> (strays: [TagRow], last: TagRow?) {
        let statement = try RawStatement(
            """
            SELECT tags.tag, tags.place, records.tags, records.partition
            FROM tags LEFT JOIN records ON records.place = tags.place
            WHERE (tags.tag, tags.place) > (?, ?) ORDER BY tags.tag, tags.place LIMIT ?
            """,
            on: db
        )
        statement.bind(start.tag, at: 1)
        statement.bind(start.place, at: 2)
        statement.bind(Int64(limit), at: 3)
        defer { statement.reset() }
        var strays: [TagRow] = []
        var last: TagRow?
        while try statement.step() {
            let row = TagRow(tag: statement.integer(0), place: statement.integer(1))
            last = row
            let isOfPartition = !statement.isNull(3) && statement.integer(3) == row.tag
            if !isOfPartition, !statement.bytes(2).tagNumbers.contains(row.tag) { strays.append(row) }
        }
        return (strays, last)
    }
}

extension WriteTransaction {
    /// Writes a row of `tags` that its record lacks.
    func insertMissing(_ row: TagRow) throws {
        guard try hasTag(row) else { return }
        statements.insertTag.bind(row.tag, at: 1)
        statements.insertTag.bind(row.place, at: 2)
        try statements.insertTag.run()
    }

    /// Deletes those rows of `tags` that still fit no record. Returns how many.
    fileprivate func deleteStrays(_ rows: [TagRow]) throws -> Int {
        var count = 0
        for row in rows where try !hasTag(row) {
            statements.deleteTag.bind(row.tag, at: 1)
            statements.deleteTag.bind(row.place, at: 2)
            try statements.deleteTag.run()
            count += 1
        }
        return count
    }

    private func hasTag(_ row: TagRow) throws -> Bool {
        try withRow(at: row.place) { record in
            guard let record else { return false }
            return record.partition == row.tag || record.tags.tagNumbers.contains(row.tag)
        }
    }
}
