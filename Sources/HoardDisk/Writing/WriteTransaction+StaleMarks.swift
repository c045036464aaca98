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

/// Stale marks, which end the freshness of records without touching them.
extension WriteTransaction {
    /// With marks on more records and tags, the oldest are dropped, and the records that they concern are removed
    /// instead.
    static let maximumMarkedScopeCount = 10_000

    /// Ends the freshness of the record of a key, if there is one. O(log n).
    func markStale(_ key: RecordKey, at date: Date) throws {
        let identifier = session.identify.identifier(of: key)
        changes.add(key)
        let judgement = try withRow(identifier) { row in try row.map { try session.judge($0, key: key, at: now) } }
        switch judgement {
        case .found?, .inFile?: try addMark(on: identifier, at: date)
        case .otherKey?, .expired?, .invalidated?, .damaged?, nil: break
        }
    }

    /// Ends the freshness of all records with a tag. O(log n), however many there are.
    func markStale(taggedWith tag: String, at date: Date) throws {
        changes.add(tag: tag)
        for number in session.identify.numbers(ofTag: tag) {
            let isInUse = try Int64.fetchOne(db.cachedStatement(sql: "SELECT place FROM tags WHERE tag = ? LIMIT 1"), arguments: [number]) != nil
            if isInUse { try addMark(on: number, at: date) }
        }
    }

    /// Ends the freshness of all records. O(1).
    func markAllStale(at date: Date) throws {
        changes.addAny()
        if totals.count > 0 { try addMark(on: ScopedStaleMark.everything, at: date) }
    }

    private func addMark(on scope: Int64, at date: Date) throws {
        sequence += 1
        let added = ScopedStaleMark(scope: scope, sequence: sequence, date: date)
        addedMarks.append(added)
        changes.add(added)
        // Earlier marks of which this one says more go.
        try db.cachedStatement(sql: "DELETE FROM stale_marks WHERE scope = ? AND date >= ?")
            .execute(arguments: [scope, added.mark.date.timeIntervalSinceReferenceDate])
        try insert(added)
        let (known, scopeCount) = session.memory.withLock { ($0.index.staleMarks[scope]?.marks.count ?? 0, $0.index.staleMarks.count) }
        if known + addedMarks.count > StaleMarks.maximumCount { try mergeMarks(on: scope) }
        // Those that have gone in this transaction are known in memory until it is committed.
        let keptCount = hasRemovedAll ? 0 : scopeCount - settledScopes.count
        if keptCount + addedMarks.count > Self.maximumMarkedScopeCount { try dropOldestMarks() }
    }

    private func insert(_ mark: ScopedStaleMark) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO stale_marks VALUES (?, ?, ?)")
            .execute(arguments: [mark.scope, mark.mark.sequence, mark.mark.date.timeIntervalSinceReferenceDate])
    }

    private func deleteMarks(on scope: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM stale_marks WHERE scope = ?").execute(arguments: [scope])
    }

    /// Keeps no more marks on a scope than are kept in memory.
    private func mergeMarks(on scope: Int64) throws {
        var marks = StaleMarks()
        let rows = try Row.fetchAll(db, sql: "SELECT sequence, date FROM stale_marks WHERE scope = ? ORDER BY sequence", arguments: [scope])
        for row in rows {
            marks.add(.init(sequence: try row.decode(atIndex: 0), date: Date(timeIntervalSinceReferenceDate: try row.decode(atIndex: 1))))
        }
        guard marks.marks.count < rows.count else { return }
        try deleteMarks(on: scope)
        for mark in marks.marks { try insert(ScopedStaleMark(scope: scope, sequence: mark.sequence, date: mark.date)) }
    }

    /// Makes room for marks: removes the records that the oldest ones concern. Some are concerned by none any more, so this costs little.
    private func dropOldestMarks() throws {
        let oldest = try Row.fetchAll(
            db,
            sql: "SELECT scope, MAX(sequence) FROM stale_marks WHERE scope != ? GROUP BY scope ORDER BY MAX(sequence) LIMIT ?",
            arguments: [ScopedStaleMark.everything, Self.maximumMarkedScopeCount / 8]
        )
        var dropped: Set<Int64> = []
        for row in oldest {
            let (scope, limit): (Int64, Int64) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
            try deleteMarks(on: scope)
            dropped.insert(scope)
            if try withRow(scope, { ($0?.sequence ?? .max) <= limit }) { try remove(scope) }
            if try isInUse(tag: scope, upTo: limit) { try invalidate(scope, upTo: limit) }
        }
        settledScopes += dropped
        addedMarks.removeAll { dropped.contains($0.scope) }
    }

    private func isInUse(tag: Int64, upTo limit: Int64) throws -> Bool {
        statements.tagged.bind(tag, at: 1)
        statements.tagged.bind(limit, at: 2)
        statements.tagged.bind(1, at: 3)
        defer { statements.tagged.reset() }
        return try statements.tagged.step()
    }

    /// Deletes the marks that concern no record any more. O(n). Processes that know them go on knowing them, which does
    /// no harm.
    func deleteMeaninglessMarks() throws {
        let oldest = try Int64.fetchOne(db, sql: "SELECT MIN(sequence) FROM records") ?? .max
        for row in try Row.fetchAll(db, sql: "SELECT scope, sequence FROM stale_marks") {
            let (scope, sequence): (Int64, Int64) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
            let concernsAny =
                try oldest <= sequence
                && (scope == ScopedStaleMark.everything || withRow(scope) { ($0?.sequence ?? .max) <= sequence }
                    || isInUse(tag: scope, upTo: sequence))
            if concernsAny { continue }
            try db.cachedStatement(sql: "DELETE FROM stale_marks WHERE scope = ? AND sequence = ?").execute(arguments: [scope, sequence])
        }
    }

    /// Forgets the marks on a record or a tag whose records are gone or replaced.
    func settleMarks(on scope: Int64) throws {
        guard session.latestStaleMark.load(ordering: .relaxed) > .min, session.memory.withLock({ $0.index.staleMarks[scope] != nil }) else { return }
        try deleteMarks(on: scope)
        settledScopes.append(scope)
    }
}
