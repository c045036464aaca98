// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import GRDBSQLite

/// A prepared statement of SQLite's C interface, on a connection that GRDB has opened.
///
/// For the few statements that run once for each read or write: preparing arguments and decoding rows through GRDB costs more there than SQLite's own work.
/// An instance belongs to its connection, and only the connection's holder uses it. It must go before the connection is closed.
final class RawStatement {
    private let pointer: OpaquePointer

    /// Compiles one statement. Throws GRDB's error.
    init(_ sql: String, on db: Database) throws {
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(db.sqliteConnection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage, sql: sql)
        }
        self.pointer = pointer
    }

    deinit { sqlite3_finalize(pointer) }

    /// Binds a number to the parameter at `index`, counted from 1.
    func bind(_ value: Int64, at index: CInt) { sqlite3_bind_int64(pointer, index, value) }

    /// Binds a number or NULL.
    func bind(_ value: Int64?, at index: CInt) {
        if let value { bind(value, at: index) } else { sqlite3_bind_null(pointer, index) }
    }

    /// Binds bytes without copying them: they must stay where they are until ``reset()``. No bytes are an empty blob, not NULL.
    func bind(_ bytes: UnsafeRawBufferPointer, at index: CInt) {
        if bytes.count > 0 {
            sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), nil)
        } else {
            sqlite3_bind_zeroblob(pointer, index, 0)
        }
    }

    /// Goes to the next row. `false`: there is none.
    func step() throws -> Bool {
        switch sqlite3_step(pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let connection = sqlite3_db_handle(pointer)
            let message = sqlite3_errmsg(connection).map { String(cString: $0) }
            let extended = sqlite3_extended_errcode(connection)
            reset()
            throw DatabaseError(resultCode: ResultCode(rawValue: extended == SQLITE_OK ? code : extended), message: message)
        }
    }

    /// Runs a statement that returns no row, and makes it ready for the next time.
    func run() throws {
        _ = try step()
        reset()
    }

    /// Runs an insertion. `false`: there is a row with its number, and nothing has changed.
    func runUnlessTaken() throws -> Bool {
        do {
            try run()
            return true
        } catch let error as DatabaseError
            where error.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY || error.extendedResultCode == .SQLITE_CONSTRAINT_ROWID
        {
            return false
        }
    }

    /// Ends the statement's transaction if it had begun one, and makes it ready for the next time.
    func reset() { sqlite3_reset(pointer) }

    func isNull(_ column: CInt) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

    func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(pointer, column) }

    /// The bytes of a column, in SQLite's memory: good until the next step or reset.
    func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(pointer, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }
}
