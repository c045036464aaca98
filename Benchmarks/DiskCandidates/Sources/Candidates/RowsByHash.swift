// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Segments
internal import Synchronization

/// A: today's shape, without the other parts that a store needs. A row for each record, by the hash of its key; a
/// queue of eviction; totals; changes for other processes.
public final class RowsByHash: Candidate {
    private struct Statements {
        let begin, commit, rollback, insert, delete, insertRecency, deleteRecency, oldest, totals, change, trim: SQLiteStatement
    }

    private struct State {
        var stamp: Int64 = 0
        var bytes: Int64 = 0
        var commits = 0
    }

    private let writer: SQLiteConnection
    private let statements: Statements
    private let checkpointer: SQLiteCheckpointer
    private let reader: Mutex<SQLiteStatement>
    private let hash = SipHash(key: (1, 2))
    /// The stamps of all records, by their hashes.
    private let stamps = Mutex<[Int64: Int64]>([:])
    private let state = Mutex(State())
    private let maximumBytes: Int64?

    public init(_ options: CandidateOptions) throws {
        maximumBytes = options.maximumBytes.map(Int64.init)
        let path = options.directory + "/rows.sqlite"
        let writer = try SQLiteConnection(path, pragmas: SQLitePragmas.creation + SQLitePragmas.writer)
        try writer.run(
            """
            CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, charge INTEGER NOT NULL, checksum INTEGER NOT NULL,
                header BLOB NOT NULL, payload BLOB NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS recency (stamp INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS changes (sequence INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS totals (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
            """
        )
        statements = Statements(
            begin: try SQLiteStatement("BEGIN IMMEDIATE", on: writer),
            commit: try SQLiteStatement("COMMIT", on: writer),
            rollback: try SQLiteStatement("ROLLBACK", on: writer),
            insert: try SQLiteStatement("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?)", on: writer),
            delete: try SQLiteStatement("DELETE FROM records WHERE id = ? RETURNING charge", on: writer),
            insertRecency: try SQLiteStatement("INSERT INTO recency VALUES (?, ?)", on: writer),
            deleteRecency: try SQLiteStatement("DELETE FROM recency WHERE stamp = ?", on: writer),
            oldest: try SQLiteStatement("SELECT stamp, id FROM recency ORDER BY stamp LIMIT ?", on: writer),
            totals: try SQLiteStatement("INSERT OR REPLACE INTO totals VALUES (1, ?, ?)", on: writer),
            change: try SQLiteStatement("INSERT INTO changes VALUES (?, ?)", on: writer),
            trim: try SQLiteStatement("DELETE FROM changes WHERE sequence <= ?", on: writer)
        )
        self.writer = writer
        checkpointer = try SQLiteCheckpointer(path)
        let connection = try SQLiteConnection(path, pragmas: SQLitePragmas.reader)
        reader = Mutex(try SQLiteStatement("SELECT checksum, header, payload FROM records WHERE id = ?", on: connection))
        try load(connection)
    }

    private func load(_ connection: SQLiteConnection) throws {
        let rows = try SQLiteStatement("SELECT stamp, id FROM recency", on: connection)
        var loaded: [Int64: Int64] = [:]
        var latest: Int64 = 0
        try rows.rows {
            latest = rows.number(0)
            loaded[rows.number(1)] = latest
        }
        let totals = try SQLiteStatement("SELECT bytes FROM totals", on: connection)
        var bytes: Int64 = 0
        try totals.rows { bytes = totals.number(0) }
        stamps.withLock { [loaded] in $0 = loaded }
        state.withLock { [latest, bytes] in
            $0.stamp = latest
            $0.bytes = bytes
        }
    }

    public func commit(_ changes: [Change]) throws {
        try state.withLock { state throws in
            checkpointer.look(after: state.commits, writer: writer)
            try statements.begin.run()
            do {
                for change in changes { try make(change, &state) }
                try evict(&state)
                let hashes = changes.map { $0.key.withUnsafeBytes(hash.hash) }
                statements.totals.bind(1, Int64(recordCount))
                statements.totals.bind(2, state.bytes)
                try statements.totals.run()
                statements.change.bind(1, state.stamp)
                try hashes.withUnsafeBytes { bytes in
                    statements.change.bind(2, bytes)
                    try statements.change.run()
                }
                if state.commits % 64 == 0 {
                    statements.trim.bind(1, state.stamp - 100_000)
                    try statements.trim.run()
                }
                try statements.commit.run()
                state.commits += 1
            } catch {
                try? statements.rollback.run()
                throw error
            }
        }
    }

    private func make(_ change: Change, _ state: inout State) throws {
        let id = Int64(bitPattern: change.key.withUnsafeBytes(hash.hash))
        if let former = stamps.withLock({ $0.removeValue(forKey: id) }) { try delete(id, former, &state) }
        guard let payload = change.payload else { return }
        state.stamp += 1
        let charge = Int64(change.key.count + payload.count + 64)
        statements.insert.bind(1, id)
        statements.insert.bind(2, state.stamp)
        statements.insert.bind(3, charge)
        try change.key.withUnsafeBytes { key in
            try payload.withUnsafeBytes { payload in
                statements.insert.bind(4, Int64(bitPattern: XXH64.hash(payload, seed: XXH64.hash(key))))
                statements.insert.bind(5, key)
                statements.insert.bind(6, payload)
                try statements.insert.run()
            }
        }
        statements.insertRecency.bind(1, state.stamp)
        statements.insertRecency.bind(2, id)
        try statements.insertRecency.run()
        state.bytes += charge
        stamps.withLock { [stamp = state.stamp] in $0[id] = stamp }
    }

    private func delete(_ id: Int64, _ stamp: Int64, _ state: inout State) throws {
        statements.delete.bind(1, id)
        var charge: Int64 = 0
        try statements.delete.rows { charge = statements.delete.number(0) }
        state.bytes -= charge
        statements.deleteRecency.bind(1, stamp)
        try statements.deleteRecency.run()
    }

    private func evict(_ state: inout State) throws {
        guard let maximumBytes else { return }
        while state.bytes > maximumBytes {
            var oldest: [(stamp: Int64, id: Int64)] = []
            statements.oldest.bind(1, 64)
            try statements.oldest.rows { oldest.append((statements.oldest.number(0), statements.oldest.number(1))) }
            for row in oldest where state.bytes > maximumBytes {
                stamps.withLock { _ = $0.removeValue(forKey: row.id) }
                try delete(row.id, row.stamp, &state)
            }
        }
    }

    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        let id = Int64(bitPattern: key.withUnsafeBytes(hash.hash))
        guard stamps.withLock({ $0[id] != nil }) else { return nil }
        return try key.withUnsafeBytes { try read($0, id, into: buffer) }
    }

    private func read(_ key: UnsafeRawBufferPointer, _ id: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        // The closures of locks take only sendable values: the owners of these pointers wait here.
        nonisolated(unsafe) let (key, buffer) = (key, buffer)
        return try reader.withLock { row throws in
            row.bind(1, id)
            var count: Int?
            try row.rows {
                let payload = row.bytes(2)
                guard row.bytes(1).elementsEqual(key), payload.count <= buffer.count,
                    row.number(0) == Int64(bitPattern: XXH64.hash(payload, seed: XXH64.hash(key)))
                else { return }
                buffer.copyMemory(from: payload)
                count = payload.count
            }
            return count
        }
    }

    public var recordCount: Int { stamps.withLock { $0.count } }

    public func close() throws { checkpointer.wait() }
}
