// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Segments
internal import Synchronization

/// B: rows in the order in which they were written, and an index in memory from hashes to their numbers. The lowest numbers are evicted.
public final class RowsInOrder: Candidate {
    private struct Statements {
        let begin, commit, rollback, insert, insertPlace, delete, deletePlace, oldest, change, trim: SQLiteStatement
    }

    private struct State {
        var row: Int64 = 0
        var bytes: Int64 = 0
        var commits = 0
    }

    private let writer: SQLiteConnection
    private let statements: Statements
    private let checkpointer: SQLiteCheckpointer
    private let reader: Mutex<SQLiteStatement>
    private let hash = SipHash(key: (1, 2))
    private let rows = Mutex<[Int64: Int64]>([:])
    private let state = Mutex(State())
    private let maximumBytes: Int64?

    public init(_ options: CandidateOptions) throws {
        maximumBytes = options.maximumBytes.map(Int64.init)
        let path = options.directory + "/rows.sqlite"
        let writer = try SQLiteConnection(path, pragmas: SQLitePragmas.creation + SQLitePragmas.writer)
        try writer.run(
            """
            CREATE TABLE IF NOT EXISTS records (row INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, header BLOB NOT NULL, payload BLOB NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS places (row INTEGER PRIMARY KEY, id INTEGER NOT NULL, charge INTEGER NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS changes (sequence INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
            """
        )
        statements = Statements(
            begin: try SQLiteStatement("BEGIN IMMEDIATE", on: writer),
            commit: try SQLiteStatement("COMMIT", on: writer),
            rollback: try SQLiteStatement("ROLLBACK", on: writer),
            insert: try SQLiteStatement("INSERT INTO records VALUES (?, ?, ?, ?)", on: writer),
            insertPlace: try SQLiteStatement("INSERT INTO places VALUES (?, ?, ?)", on: writer),
            delete: try SQLiteStatement("DELETE FROM records WHERE row = ?", on: writer),
            deletePlace: try SQLiteStatement("DELETE FROM places WHERE row = ? RETURNING charge", on: writer),
            oldest: try SQLiteStatement("SELECT row, id FROM places ORDER BY row LIMIT ?", on: writer),
            change: try SQLiteStatement("INSERT INTO changes VALUES (?, ?)", on: writer),
            trim: try SQLiteStatement("DELETE FROM changes WHERE sequence <= ?", on: writer)
        )
        self.writer = writer
        checkpointer = try SQLiteCheckpointer(path)
        let connection = try SQLiteConnection(path, pragmas: SQLitePragmas.reader)
        reader = Mutex(try SQLiteStatement("SELECT checksum, header, payload FROM records WHERE row = ?", on: connection))
        try load(connection)
    }

    private func load(_ connection: SQLiteConnection) throws {
        let places = try SQLiteStatement("SELECT row, id, charge FROM places", on: connection)
        var loaded: [Int64: Int64] = [:]
        var latest: Int64 = 0
        var bytes: Int64 = 0
        try places.rows {
            latest = places.number(0)
            loaded[places.number(1)] = latest
            bytes += places.number(2)
        }
        rows.withLock { [loaded] in $0 = loaded }
        state.withLock { [latest, bytes] in
            $0.row = latest
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
                statements.change.bind(1, state.row)
                try hashes.withUnsafeBytes { bytes in
                    statements.change.bind(2, bytes)
                    try statements.change.run()
                }
                if state.commits % 64 == 0 {
                    statements.trim.bind(1, state.row - 100_000)
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
        if let former = rows.withLock({ $0.removeValue(forKey: id) }) { try delete(former, &state) }
        guard let payload = change.payload else { return }
        state.row += 1
        let charge = Int64(change.key.count + payload.count + 64)
        statements.insert.bind(1, state.row)
        try change.key.withUnsafeBytes { key in
            try payload.withUnsafeBytes { payload in
                statements.insert.bind(2, Int64(bitPattern: XXH64.hash(payload, seed: XXH64.hash(key))))
                statements.insert.bind(3, key)
                statements.insert.bind(4, payload)
                try statements.insert.run()
            }
        }
        statements.insertPlace.bind(1, state.row)
        statements.insertPlace.bind(2, id)
        statements.insertPlace.bind(3, charge)
        try statements.insertPlace.run()
        state.bytes += charge
        rows.withLock { [row = state.row] in $0[id] = row }
    }

    private func delete(_ row: Int64, _ state: inout State) throws {
        statements.delete.bind(1, row)
        try statements.delete.run()
        statements.deletePlace.bind(1, row)
        var charge: Int64 = 0
        try statements.deletePlace.rows { charge = statements.deletePlace.number(0) }
        state.bytes -= charge
    }

    private func evict(_ state: inout State) throws {
        guard let maximumBytes else { return }
        while state.bytes > maximumBytes {
            var oldest: [(row: Int64, id: Int64)] = []
            statements.oldest.bind(1, 64)
            try statements.oldest.rows { oldest.append((statements.oldest.number(0), statements.oldest.number(1))) }
            for place in oldest where state.bytes > maximumBytes {
                rows.withLock { if $0[place.id] == place.row { $0[place.id] = nil } }
                try delete(place.row, &state)
            }
        }
    }

    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        let id = Int64(bitPattern: key.withUnsafeBytes(hash.hash))
        guard let row = rows.withLock({ $0[id] }) else { return nil }
        return try key.withUnsafeBytes { try read($0, row, into: buffer) }
    }

    private func read(_ key: UnsafeRawBufferPointer, _ number: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int? {
        // The closures of locks take only sendable values: the owners of these pointers wait here.
        nonisolated(unsafe) let (key, buffer) = (key, buffer)
        return try reader.withLock { row throws in
            row.bind(1, number)
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

    public var recordCount: Int { rows.withLock { $0.count } }

    public func close() throws { checkpointer.wait() }
}
