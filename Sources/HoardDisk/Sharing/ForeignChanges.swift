// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The changes that other processes have written.
struct ForeignChanges: Sendable {
    var changes = ChangeList()
    var latestChange: Int64
    var latestStamp: Int64
    /// New rows in the queue of eviction.
    var rows: [RecencyRow] = []
    /// The last place up to which the directory is complete.
    var through: Int64
    /// All invalidations, read if changes were missed.
    var allInvalidations: [Int64: Int64]?
    /// All stale marks, read if changes were missed or many of the known ones may mean nothing any more.
    var allStaleMarks: [ScopedStaleMark]?

    /// With more invalidations than these, a process asks which of them still matter.
    private static let keptInvalidationCount = 1_024

    init(_ db: Database, sinceChange: Int64, sinceStamp: Int64, session: DatabaseSession) throws {
        latestChange = sinceChange
        latestStamp = sinceStamp
        through = .min
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT sequence, previous, origin, body FROM changes WHERE sequence > ? ORDER BY sequence"),
            arguments: [sinceChange]
        )
        while let row = try rows.next() {
            let previous = try row.decode(Int64.self, atIndex: 1)
            if previous > latestChange { changes.addEverything() }
            latestChange = try row.decode(atIndex: 0)
            if try row.decode(Int64.self, atIndex: 2) == session.origin { continue }
            changes.formUnion(session.opened(try row.decode(Data.self, atIndex: 3)))
        }
        let newRows = try Row.fetchCursor(db.cachedStatement(sql: RecencyRow.query), arguments: [sinceStamp, Int.max])
        while let row = try newRows.next() {
            self.rows.append(RecencyRow(stamp: try row.decode(atIndex: 0), id: try row.decode(atIndex: 1), stored: try row.decode(atIndex: 2)))
        }
        latestStamp = self.rows.last?.stamp ?? sinceStamp
        through = try Int64.fetchOne(db.cachedStatement(sql: DirectoryUpdate.queryOfThrough)) ?? .min
        // Those that have been swept since go too.
        let (knownCount, markedCount) = session.memory.withLock { ($0.index.invalidations.count, $0.index.staleMarks.count) }
        if changes.isEverything || markedCount > 2 * WriteTransaction.maximumMarkedScopeCount { allStaleMarks = try ScopedStaleMark.all(db) }
        if changes.isEverything || knownCount > Self.keptInvalidationCount { allInvalidations = try Self.invalidations(db) }
    }

    /// All invalidations that are not yet swept.
    static func invalidations(_ db: Database) throws -> [Int64: Int64] {
        var all: [Int64: Int64] = [:]
        let rows = try Row.fetchCursor(db, sql: "SELECT tag, sequence FROM invalidations")
        while let row = try rows.next() { all[try row.decode(atIndex: 0)] = try row.decode(Int64.self, atIndex: 1) }
        return all
    }
}
