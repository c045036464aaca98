// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How much the database holds.
struct RecordTotals: Sendable, Hashable {
    var count: Int
    var bytes: Int
}

/// Records that were removed without anybody asking for it, by cause.
struct RecordRemovals: Sendable, Hashable {
    var expirations = 0
    var evictions = 0
    var corruptions = 0
}

extension RecordTable {
    /// How many records eviction fetches at a time.
    private static let batchSize = 64

    /// What the database holds, expired records included. O(1).
    func totals() throws -> RecordTotals {
        let statement = try db.cachedStatement(sql: "SELECT count, bytes FROM totals WHERE id = 1")
        guard let row = try Row.fetchOne(statement) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        return RecordTotals(count: try row.decode(atIndex: 0), bytes: try row.decode(atIndex: 1))
    }

    /// Counts the records anew. O(n); for when the running totals may be wrong.
    func recomputeTotals() throws {
        try db.execute(sql: "REPLACE INTO totals SELECT 1, COUNT(*), IFNULL(SUM(charged_bytes), 0) FROM records")
    }

    /// Removes records until the totals are within the limits: expired ones first, then the least recently used.
    ///
    /// - Parameter spared: The record that has just been written, which stays. It has been admitted: alone, it is within the limits.
    /// - Complexity: O(log n) for each record removed, O(1) if there is nothing to remove.
    func enforce(_ limits: RecordLimits, at now: Date, sparing spared: Int64?) throws -> RecordRemovals {
        var removals = RecordRemovals()
        var totals = try totals()
        if totals.count < 0 || totals.bytes < 0 {
            // Damaged: a record that was charged other than it is discharged.
            try recomputeTotals()
            totals = try self.totals()
        }
        while !limits.allow(totals) {
            let expired = try candidates(
                sql: "SELECT id, charged_bytes FROM records WHERE stale_until <= ? AND id IS NOT ? ORDER BY stale_until LIMIT ?",
                arguments: [now.timeIntervalSinceReferenceDate, spared, Self.batchSize]
            )
            if expired.isEmpty { break }
            for candidate in expired {
                try remove(candidate, from: &totals)
                removals.expirations += 1
            }
        }
        while !limits.allow(totals) {
            let leastRecentlyUsed = try candidates(
                sql: "SELECT id, charged_bytes FROM records WHERE id IS NOT ? ORDER BY recency LIMIT ?",
                arguments: [spared, Self.batchSize]
            )
            if leastRecentlyUsed.isEmpty { break }
            for candidate in leastRecentlyUsed where !limits.allow(totals) {
                try remove(candidate, from: &totals)
                removals.evictions += 1
            }
        }
        if !limits.allow(totals) {
            // Nothing is left to remove, so the totals themselves were wrong.
            try recomputeTotals()
        }
        return removals
    }

    /// Shrinks the file if more than a quarter of it is unused. A smaller rest is left for the next records.
    func giveSpaceBack() throws {
        let unused = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        let all = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        if unused > all / 4 {
            try db.execute(sql: "PRAGMA incremental_vacuum")
        }
    }

    private struct Candidate {
        var id: Int64
        var chargedByteCount: Int
    }

    private func candidates(sql: String, arguments: StatementArguments) throws -> [Candidate] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var candidates: [Candidate] = []
        while let row = try rows.next() {
            candidates.append(Candidate(id: try row.decode(atIndex: 0), chargedByteCount: try row.decode(atIndex: 1)))
        }
        return candidates
    }

    private func remove(_ candidate: Candidate, from totals: inout RecordTotals) throws {
        try db.cachedStatement(sql: "DELETE FROM records WHERE id = ?").execute(arguments: [candidate.id])
        totals.count -= 1
        let (bytes, overflowed) = totals.bytes.subtractingReportingOverflow(candidate.chargedByteCount)
        totals.bytes = overflowed ? 0 : bytes
    }
}
