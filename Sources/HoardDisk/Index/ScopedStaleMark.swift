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

/// A stale mark on a record, on the records with a tag, or on everything.
struct ScopedStaleMark: Hashable, Sendable {
    /// The scope of a mark on everything.
    static let everything: Int64 = 0

    /// The identifier of a record, the number of a tag, or ``everything``. Identifiers and numbers are keyed hashes, so that they share a space.
    let scope: Int64
    let mark: StaleMarks.Mark

    init(scope: Int64, sequence: Int64, date: Date) {
        self.scope = scope
        mark = StaleMarks.Mark(sequence: sequence, date: date)
    }

    /// All marks that a database has.
    static func all(_ db: Database) throws -> [ScopedStaleMark] {
        var all: [ScopedStaleMark] = []
        let rows = try Row.fetchCursor(db, sql: "SELECT scope, sequence, date FROM stale_marks")
        while let row = try rows.next() {
            let date = Date(timeIntervalSinceReferenceDate: try row.decode(Double.self, atIndex: 2))
            all.append(ScopedStaleMark(scope: try row.decode(atIndex: 0), sequence: try row.decode(atIndex: 1), date: date))
        }
        return all
    }
}

extension RecordIndex {
    /// When a row's record has been said to cease to be fresh; `nil` if nothing has been said of it. O(number of its tags).
    func freshnessEnd(of row: RecordRow) -> Date? {
        if staleMarks.isEmpty { return nil }
        var end = staleMarks[ScopedStaleMark.everything]?.freshnessEnd(forSequence: row.sequence)
        func consider(_ scope: Int64) {
            guard let date = staleMarks[scope]?.freshnessEnd(forSequence: row.sequence) else { return }
            end = end.map { min($0, date) } ?? date
        }
        consider(row.id)
        for offset in stride(from: 0, to: row.tags.count / 8 * 8, by: 8) { consider(row.tags.integer(at: offset, as: Int64.self)) }
        return end
    }

    /// Forgets the marks of which the latest on their scope is not later than `sequence`.
    mutating func dropStaleMarks(upTo sequence: Int64) {
        staleMarks = staleMarks.filter { ($0.value.marks.last?.sequence ?? .min) > sequence }
    }

    /// The same for one scope.
    mutating func dropStaleMarks(on scope: Int64, upTo sequence: Int64) {
        if let last = staleMarks[scope]?.marks.last?.sequence, last > sequence { return }
        staleMarks[scope] = nil
    }

    mutating func add(_ mark: ScopedStaleMark) {
        staleMarks[mark.scope, default: StaleMarks()].add(mark.mark)
    }
}

extension DatabaseSession {
    /// When a row's record has been said to cease to be fresh. For records that were written after the latest mark, no more than a comparison.
    func freshnessEnd(of row: RecordRow) -> Date? {
        guard row.sequence <= latestStaleMark.load(ordering: .acquiring) else { return nil }
        return memory.withLock { $0.index.freshnessEnd(of: row) }
    }

    /// Takes marks in. Call with the memory's lock.
    func adopt(_ marks: [ScopedStaleMark], in memory: inout Memory) {
        for mark in marks { memory.index.add(mark) }
        guard let latest = marks.map(\.mark.sequence).max(), latest > latestStaleMark.load(ordering: .relaxed) else { return }
        latestStaleMark.store(latest, ordering: .releasing)
    }
}
