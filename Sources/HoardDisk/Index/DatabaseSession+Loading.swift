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
        let (isLoaded, emptyingCount) = memory.withLock { ($0.index.isComplete, $0.emptyingCount) }
        if isLoaded { return }
        var latest = Int64.min
        var rowCount = 0
        while true {
            let page = try readers.withReader { reader in
                try reader.read { db -> [(stamp: Int64, identifier: Int64)] in
                    let rows = try Row.fetchCursor(
                        db.cachedStatement(sql: "SELECT stamp, id FROM recency WHERE stamp > ? ORDER BY stamp LIMIT ?"),
                        arguments: [latest, Self.pageSize]
                    )
                    var page: [(stamp: Int64, identifier: Int64)] = []
                    while let row = try rows.next() { page.append((try row.decode(atIndex: 0), try row.decode(atIndex: 1))) }
                    return page
                }
            }
            memory.withLock { memory in
                for entry in page { memory.index.enter(entry.identifier, stamp: entry.stamp) }
            }
            rowCount += page.count
            guard let last = page.last, page.count == Self.pageSize else { break }
            latest = last.stamp
        }
        memory.withLock { $0.recencyRowCount = max($0.recencyRowCount, rowCount) }
        // Before the index may say that something is not there, it has to agree with the database. A commit may fall in between.
        for _ in 0..<10 {
            let heldCount = try readers.withReader { reader in
                try reader.read { db in try Int.fetchOne(db, sql: "SELECT count FROM totals WHERE id = 1") ?? 0 }
            }
            let isComplete = memory.withLock { memory in
                guard memory.emptyingCount == emptyingCount, memory.index.stamps.count >= heldCount else { return false }
                memory.index.isComplete = true
                memory.loadedCount = memory.index.stamps.count
                return true
            }
            if isComplete { return }
        }
    }

    /// Whether the index may have many records that are gone: other processes tell of the records that they write, and not of those that they evict.
    var hasOutgrownIndex: Bool { memory.withLock { Self.hasOutgrownIndex($0) } }

    /// Empties the index if it has grown too much, and returns whether it is to be filled again. Call on the writing thread, as eviction relies on
    /// the index.
    func emptyOutgrownIndex() -> Bool {
        memory.withLock { memory in
            guard Self.hasOutgrownIndex(memory) else { return false }
            memory.index.forgetRecords()
            memory.emptyingCount += 1
            return true
        }
    }

    private static let leastOutgrownCount = 8_192

    private static func hasOutgrownIndex(_ memory: borrowing Memory) -> Bool {
        memory.hasForeignWriters && memory.index.isComplete && memory.index.stamps.count > max(2 * memory.loadedCount, leastOutgrownCount)
    }
}
