// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Segments
internal import Synchronization

/// C and D: segment files with an index in memory, with commits in SQLite or in the segments themselves.
public final class SegmentCandidate: Candidate {
    public let store: SegmentStore

    public init(_ options: CandidateOptions, usesSQLite: Bool) throws {
        try FileManager.default.createDirectory(atPath: options.directory, withIntermediateDirectories: true)
        store = try SegmentStore(
            .init(directory: options.directory, maximumBytes: options.maximumBytes),
            journal: usesSQLite ? SQLiteJournal(directory: options.directory) : nil
        )
    }

    public func commit(_ changes: [Change]) throws { try store.commit(changes) }
    public func read(_ key: [UInt8], into buffer: UnsafeMutableRawBufferPointer) throws -> Int? { try store.read(key, into: buffer) }
    public func waitUntilComplete() { store.waitUntilComplete() }
    public var recordCount: Int { store.recordCount }
    public func close() throws { try store.close() }
}

/// One small transaction for each batch: which segment is valid to which length, the totals, and the changed keys.
public final class SQLiteJournal: CommitJournal {
    private let writer: SQLiteConnection
    private let begin, end, rollback, segment, totals, change, trim, remove: SQLiteStatement
    private let checkpointer: SQLiteCheckpointer
    private let commits = Mutex(0)

    public init(directory: String) throws {
        let path = directory + "/store.sqlite"
        let writer = try SQLiteConnection(path, pragmas: SQLitePragmas.creation + SQLitePragmas.writer)
        try writer.run(
            """
            CREATE TABLE IF NOT EXISTS segments (number INTEGER PRIMARY KEY, valid INTEGER NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS totals (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, sequence INTEGER NOT NULL) STRICT;
            CREATE TABLE IF NOT EXISTS changes (sequence INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
            """
        )
        begin = try SQLiteStatement("BEGIN IMMEDIATE", on: writer)
        end = try SQLiteStatement("COMMIT", on: writer)
        rollback = try SQLiteStatement("ROLLBACK", on: writer)
        segment = try SQLiteStatement("INSERT INTO segments VALUES (?, ?) ON CONFLICT DO UPDATE SET valid = excluded.valid", on: writer)
        totals = try SQLiteStatement("INSERT OR REPLACE INTO totals VALUES (1, ?, ?, ?)", on: writer)
        change = try SQLiteStatement("INSERT OR REPLACE INTO changes VALUES (?, ?)", on: writer)
        trim = try SQLiteStatement("DELETE FROM changes WHERE sequence <= ?", on: writer)
        remove = try SQLiteStatement("DELETE FROM segments WHERE number = ?", on: writer)
        self.writer = writer
        checkpointer = try SQLiteCheckpointer(path)
    }

    public func commit(segment number: UInt64, validByteCount: Int, sequence: UInt64, recordCount: Int, byteCount: Int, hashes: [UInt64]) throws {
        try commits.withLock { commits throws in
            checkpointer.look(after: commits, writer: writer)
            commits += 1
            try begin.run()
            do {
                segment.bind(1, Int64(number))
                segment.bind(2, Int64(validByteCount))
                try segment.run()
                totals.bind(1, Int64(recordCount))
                totals.bind(2, Int64(byteCount))
                totals.bind(3, Int64(sequence))
                try totals.run()
                change.bind(1, Int64(sequence))
                try hashes.withUnsafeBytes { bytes in
                    change.bind(2, bytes)
                    try change.run()
                }
                if commits % 64 == 0 {
                    trim.bind(1, Int64(sequence) - 100_000)
                    try trim.run()
                }
                try end.run()
            } catch {
                try? rollback.run()
                throw error
            }
        }
    }

    public func remove(segment number: UInt64) throws {
        try commits.withLock { _ throws in
            remove.bind(1, Int64(number))
            try remove.run()
        }
    }

    public func latest() throws -> (segment: UInt64, validByteCount: Int)? {
        try commits.withLock { _ throws in
            let query = try SQLiteStatement("SELECT number, valid FROM segments ORDER BY number DESC LIMIT 1", on: writer)
            var latest: (segment: UInt64, validByteCount: Int)?
            try query.rows { latest = (UInt64(query.number(0)), Int(query.number(1))) }
            return latest
        }
    }

    public func close() throws { checkpointer.wait() }
}
