// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Foundation
internal import Synchronization

struct SQLiteError: Error, CustomStringConvertible {
    let description: String
}

/// A connection, used by one thread at a time. `@unchecked Sendable` because its owners see to that.
final class SQLiteConnection: @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    init(_ path: String, pragmas: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK, let opened else {
            throw SQLiteError(description: "\(path) cannot be opened")
        }
        handle = opened
        sqlite3_busy_timeout(handle, 10_000)
        try run(pragmas)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    func error(_ sql: String) -> SQLiteError { SQLiteError(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)") }

    /// Copies the part of the log that no connection reads.
    func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
}

/// A statement that is kept. Used by one thread at a time.
final class SQLiteStatement: @unchecked Sendable {
    private let statement: OpaquePointer
    private let connection: SQLiteConnection
    private let sql: String

    init(_ sql: String, on connection: SQLiteConnection) throws {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil) == SQLITE_OK, let prepared else {
            throw connection.error(sql)
        }
        statement = prepared
        self.connection = connection
        self.sql = sql
    }

    deinit { sqlite3_finalize(statement) }

    func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(statement, index, number) }

    /// Binds bytes that stay where they are until the statement has been run.
    func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) { sqlite3_bind_blob(statement, index, bytes.baseAddress, Int32(bytes.count), nil) }

    /// Runs a statement without rows.
    func run() throws {
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw connection.error(sql) }
    }

    /// Calls `body` for each row.
    func rows(_ body: () throws -> Void) throws {
        defer { sqlite3_reset(statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body()
            case SQLITE_DONE: return
            default: throw connection.error(sql)
            }
        }
    }

    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: Int(sqlite3_column_bytes(statement, column)))
    }
}

/// Copies the write-ahead log beside the writing, as decision 12 has it.
final class SQLiteCheckpointer: Sendable {
    private let connection: SQLiteConnection
    private let queue = DispatchQueue(label: "checkpoint")
    private let path: String
    private let hasRest = Mutex(false)
    private static let byteCount = 32 << 20

    init(_ path: String) throws {
        self.path = path
        connection = try SQLiteConnection(path, pragmas: SQLitePragmas.writer)
    }

    /// Looks after the log. Call this before a transaction; `commits` is the number of transactions so far.
    /// SQLite cannot begin the log anew while a connection writes, so the writer copies the short rest itself.
    func look(after commits: Int, writer: SQLiteConnection) {
        let hasRest = hasRest.withLock { hasRest in
            defer { hasRest = false }
            return hasRest
        }
        if hasRest { writer.checkpoint() }
        guard commits % 64 == 0 else { return }
        queue.async { [self] in
            let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
            guard let byteCount = log?[.size] as? Int, byteCount > Self.byteCount else { return }
            connection.checkpoint()
            self.hasRest.withLock { $0 = true }
        }
    }

    func wait() { queue.sync {} }
}

enum SQLitePragmas {
    static let creation = "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;"
    static let writer = """
        PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 50331648; PRAGMA cache_size = -16384;
        """
    static let reader = "PRAGMA cache_size = -4096;"
}
