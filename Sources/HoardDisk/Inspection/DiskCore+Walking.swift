// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Walks over all rows, a batch at a time, beside reading and writing. No batch sees the moment of another.
extension DiskCore {
    private static let batchSize = 1024

    /// Runs something long on another thread. Suspends.
    func elsewhere<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }

    /// Calls `body` with each row that has a record, in the order of their places. The rows have no payload, so their checksums cannot be verified. O(n).
    ///
    /// Rows are left out whose header does not decode or is not of their identifier, and records that have gone with a tag or a partition. A record that is
    /// written meanwhile moves to the end, and may come twice.
    func walkHeaders(_ body: @escaping @Sendable (DatabaseSession, RecordRow, RecordHeader) throws -> Void) async throws(StoreError) {
        var next: Int64? = .min
        while let start = next {
            try checkCancellation()
            next = try await readElsewhere { session in
                try session.readRows(from: start, limit: Self.batchSize, withPayloads: false) { row in
                    if case .sound(let header) = session.header(of: row) { try body(session, row, header) }
                    return true
                }
            }
        }
    }

    func checkCancellation() throws(StoreError) {
        if Task.isCancelled { throw StoreError(.unavailable, "The task was cancelled before it had seen all records.") }
    }

    /// The latest stamp of each record, in the queue of eviction or of a use that is still in memory. O(n).
    func recencyStamps() async throws(StoreError) -> IdentifierMap {
        var (stamps, _) = try await storedStamps()
        let uses = try await readElsewhere { session in session.memory.withLock { $0.index.pendingUses().map { ($0.identifier, $0.stamp) } } }
        for (id, stamp) in uses where stamp > stamps[id] ?? .min { stamps.updateValue(stamp, forIdentifier: id) }
        return stamps
    }

    /// The latest stamp that each record has in the queue of eviction, even if it is that of a writing, and the greatest of all.
    ///
    /// New rows come last in the queue, so one walk along it finds everything, whatever is written meanwhile.
    func storedStamps() async throws(StoreError) -> (stamps: IdentifierMap, latest: Int64) {
        var stamps = IdentifierMap()
        var latest = Int64.min
        while true {
            try checkCancellation()
            let start = latest
            let rows = try await readElsewhere { session in try session.recencyRows(after: start, limit: 8 * Self.batchSize) }
            // An odd stamp that is a place is no reading.
            for row in rows { stamps.updateValue(row.stamp == row.place ? row.stamp & ~1 : row.stamp, forIdentifier: row.id) }
            guard let last = rows.last else { return (stamps, latest) }
            latest = last.stamp
        }
    }
}

extension DatabaseSession {
    /// Reads rows in the order of their places, until `body` returns `false`. Returns the place to go on from; `nil` after the last row.
    ///
    /// While `body` runs, other queries on the same reader see the same moment.
    ///
    /// - Parameter lastSequence: Rows that were written later are passed over.
    func readRows(
        from start: Int64,
        limit: Int,
        upTo lastSequence: Int64 = .max,
        withPayloads: Bool,
        _ body: (RecordRow) throws -> Bool
    ) throws -> Int64? {
        try readers.withReader { reader in
            try reader.read { db in try Self.readRows(db, from: start, limit: limit, upTo: lastSequence, withPayloads: withPayloads, body) }
        }
    }

    static func readRows(
        _ db: Database,
        from start: Int64,
        limit: Int,
        upTo lastSequence: Int64 = .max,
        withPayloads: Bool,
        _ body: (RecordRow) throws -> Bool
    ) throws -> Int64? {
        let columns = withPayloads ? RecordRow.columns : RecordRow.columns.replacing("payload", with: "x''")
        let statement = try RawStatement("SELECT \(columns) FROM records WHERE place >= ? AND sequence <= ? ORDER BY place LIMIT ?", on: db)
        statement.bind(start, at: 1)
        statement.bind(lastSequence, at: 2)
        statement.bind(Int64(limit), at: 3)
        defer { statement.reset() }
        var count = 0
        var next: Int64?
        while try statement.step() {
            let row = RecordRow(statement)
            // In a damaged page, SQLite steps from row to row in any order, and the walk would begin again and again.
            guard row.place >= next ?? start else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The records are out of order.") }
            count += 1
            next = row.place == .max ? nil : row.place + 1
            if try !body(row) { return next }
        }
        return count < limit ? nil : next
    }

    func recencyRows(after stamp: Int64, limit: Int) throws -> [RecencyRow] {
        try readers.withReader { reader in try reader.read { db in try Self.recencyRows(db, after: stamp, limit: limit) } }
    }

    static func recencyRows(_ db: Database, after stamp: Int64, limit: Int) throws -> [RecencyRow] {
        try RecencyRow.page(RawStatement(RecencyRow.query, on: db), after: stamp, limit: limit)
    }
}
