// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

/// Filling the index.
extension DatabaseSession {
    private static let pageSize = 16_384

    /// Enters all records into the index, page by page beside reading and writing. Blocks for O(n).
    ///
    /// The queue of eviction has an entry for each record, in order of its stamp, and new entries come last. So one walk along the queue finds
    /// everything, whatever is written meanwhile. Does nothing if the index is complete. Stops, without effect on anything but speed, when the session is closed.
    func loadIndex() throws {
        if memory.withLock({ $0.index.isComplete }) { return }
        var rowCount = 0
        try forEachPage { page in
            memory.withLock { memory in
                for row in page { memory.enter(row) }
            }
            rowCount += page.count
        }
        memory.withLock { $0.recencyRowCount = max($0.recencyRowCount, rowCount) }
        // Before the index may say that something is not there, it has to agree with the database. A commit may fall in between.
        for attempt in 0..<10 {
            let heldCount = try attempt <= Self.attemptOfDamage ? storedCount() : countedIdentifiers()
            let isComplete = memory.withLock { memory in
                guard memory.index.count >= heldCount else { return false }
                memory.index.isComplete = true
                memory.loadedCount = memory.index.count
                return true
            }
            if isComplete { return try sweepDirectory() }
            if attempt == Self.attemptOfDamage { try enterUnqueued() }
        }
    }

    /// The attempt after which the queue of eviction, or the number of records, counts as damaged.
    private static let attemptOfDamage = 4

    private func storedCount() throws -> Int {
        try readers.withReader { reader in try reader.read { db in try StoredTotals(db)?.totals.count ?? 0 } }
    }

    /// The number of records, without the second row that one may have after damage of the directory. O(n).
    private func countedIdentifiers() throws -> Int {
        try readers.withReader { reader in
            try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(DISTINCT IFNULL(id, place)) FROM records") ?? 0 }
        }
    }

    /// Walks along the queue of eviction as it is, oldest rows first.
    private func forEachPage(_ body: ([RecencyRow]) -> Void) throws {
        var latest = Int64.min
        while true {
            let page = try recencyRows(after: latest, limit: Self.pageSize)
            body(page)
            guard let last = page.last, page.count == Self.pageSize else { return }
            latest = last.stamp
        }
    }

    /// Enters records that the queue of eviction has lost: each as though it were used before all others. O(n); for when the queue is damaged.
    private func enterUnqueued() throws {
        try readers.withReader { reader in
            try reader.read { db in
                let statement = try RawStatement("SELECT IFNULL(id, place), place FROM records", on: db)
                while try statement.step() {
                    let (identifier, place) = (statement.integer(0), statement.integer(1))
                    memory.withLock { memory in
                        guard memory.index.places[identifier] == nil else { return }
                        memory.index.enter(identifier, stamp: .min, place: place)
                        memory.directory.note(identifier)
                    }
                }
            }
        }
    }

    /// Looks at some parts of the directory. If many of its rows there lead to no record, has all such rows removed.
    ///
    /// A process that dies leaves rows of records that it had removed and not yet taken out. O(1), and O(n) if there are many. Call when the index is complete.
    private func sweepDirectory() throws {
        guard memory.withLock({ $0.directory.through > .min }) else { return }
        var (rowCount, leftCount) = (0, 0)
        for _ in 0..<16 {
            let identifiers = try directoryIdentifiers(from: .random(in: .min ... .max), limit: 64)
            rowCount += identifiers.count
            memory.withLock { memory in leftCount += identifiers.count { memory.index.places[$0] == nil } }
        }
        guard leftCount * 4 > rowCount else { return }
        var start = Int64.min
        while true {
            let identifiers = try directoryIdentifiers(from: start, limit: Self.pageSize)
            memory.withLock { memory in
                for identifier in identifiers where memory.index.places[identifier] == nil { memory.directory.noteRemoved(identifier) }
            }
            // Of a damaged page, too, no walk without an end.
            guard let last = identifiers.last, last >= start, last < .max, identifiers.count == Self.pageSize else { return }
            start = last + 1
        }
    }

    private func directoryIdentifiers(from start: Int64, limit: Int) throws -> [Int64] {
        try readers.withReader { reader in
            try reader.read { db in
                try Int64.fetchAll(
                    db.cachedStatement(sql: "SELECT id FROM directory WHERE id >= ? AND id <> \(DirectoryUpdate.rowOfThrough) ORDER BY id LIMIT ?"),
                    arguments: [start, limit]
                )
            }
        }
    }

    /// Whether the index may have many records that are gone: other processes tell of the records that they write, and not of those that they evict.
    var hasOutgrownIndex: Bool { memory.withLock { Self.hasOutgrownIndex($0) } }

    /// Fills the index anew if it has grown too much. O(n). Call in a transaction: nobody else writes meanwhile.
    func renewOutgrownIndex() throws {
        guard hasOutgrownIndex else { return }
        var renewed = RecordIndex()
        try forEachPage { page in
            for row in page { renewed.enter(row.id, stamp: row.stamp, place: row.place) }
        }
        memory.withLock { [renewed] memory in
            memory.index.replaceRecords(with: renewed)
            memory.loadedCount = memory.index.count
        }
    }

    private static let leastOutgrownCount = 8_192

    private static func hasOutgrownIndex(_ memory: borrowing Memory) -> Bool {
        memory.hasForeignWriters && memory.index.isComplete && memory.index.count > max(2 * memory.loadedCount, leastOutgrownCount)
    }
}

extension DatabaseSession.Memory {
    /// Enters what the directory may lack: the end of the queue of eviction. All of it, and then the index is complete, if the store is small. O(n / 8) for n records.
    mutating func enterTail(_ db: Database) throws {
        let through = try Int64.fetchOne(db, sql: DirectoryUpdate.queryOfThrough) ?? .min
        directory = DirectoryUpdate(through: through)
        let rows = try DatabaseSession.recencyRows(db, after: through, limit: .max)
        index.reserve(rows.count)
        directory.noteRows(rows.count)
        for row in rows { enter(row) }
        guard through == .min, let held = try StoredTotals(db)?.totals.count, index.count >= held else { return }
        index.isComplete = true
        loadedCount = index.count
        recencyRowCount = rows.count
    }

    /// Takes in a row of the queue that another process, or an earlier one, has written.
    mutating func enter(_ row: RecencyRow) {
        // Most rows are of uses, and their records have been noted when they came. Those of format 3 are found without the directory.
        if row.place > directory.through, row.place != row.id, index.places[row.id] != row.place { directory.note(row.id) }
        index.enter(row.id, stamp: row.stamp, place: row.place)
    }
}
