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
                memory.index.isComplete = memory.index.stamps.count >= heldCount
                return memory.index.isComplete
            }
            if isComplete { return }
        }
    }
}
