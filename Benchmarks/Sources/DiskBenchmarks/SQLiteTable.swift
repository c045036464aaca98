// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Foundation
internal import Hoard

/// A table of keys and values behind SQLite's C interface, with everything kept that can be: the least a store on top of SQLite costs.
///
/// WAL, `synchronous=NORMAL`, pages of 8 KiB, 256 MiB mapped, prepared statements.
final class SQLiteTable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let database: OpaquePointer
    private let select: OpaquePointer
    private let replace: OpaquePointer
    private let begin: OpaquePointer
    private let commit: OpaquePointer

    /// Opens the table, and creates it if it is not there.
    init(path: String) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let database = opened else {
            sqlite3_close_v2(opened)
            throw Failure(description: "SQLite cannot open \(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.database = database
        try Self.execute(
            """
            PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA mmap_size=268435456;
            CREATE TABLE IF NOT EXISTS kv(id INTEGER PRIMARY KEY, key BLOB, value BLOB);
            """,
            on: database
        )
        select = try Self.prepare("SELECT key, value FROM kv WHERE id=?1", on: database)
        replace = try Self.prepare("INSERT OR REPLACE INTO kv(id, key, value) VALUES(?1, ?2, ?3)", on: database)
        begin = try Self.prepare("BEGIN", on: database)
        commit = try Self.prepare("COMMIT", on: database)
    }

    deinit {
        for statement in [select, replace, begin, commit] { sqlite3_finalize(statement) }
        sqlite3_close_v2(database)
    }

    /// The value in a buffer of its own, which the caller frees; `nil` if there is none. The row's key
    /// must be the same byte for byte.
    @inline(never)
    func value(forKey key: RecordKey) -> UnsafeMutableRawBufferPointer? {
        key.bytes.withUnsafeBytes { bytes in
            sqlite3_bind_int64(select, 1, identifier(of: bytes))
            defer { sqlite3_reset(select) }
            guard sqlite3_step(select) == SQLITE_ROW, Int(sqlite3_column_bytes(select, 0)) == bytes.count,
                let key = sqlite3_column_blob(select, 0), let wanted = bytes.baseAddress, memcmp(key, wanted, bytes.count) == 0,
                let value = sqlite3_column_blob(select, 1)
            else { return nil }
            let count = Int(sqlite3_column_bytes(select, 1))
            guard let copy = malloc(count) else { return nil }
            memcpy(copy, value, count)
            return UnsafeMutableRawBufferPointer(start: copy, count: count)
        }
    }

    func setValue(_ value: Data, forKey key: RecordKey) throws {
        let code = key.bytes.withUnsafeBytes { key in
            value.withUnsafeBytes { value in
                sqlite3_bind_int64(replace, 1, identifier(of: key))
                // The bytes stay where they are until the statement is reset: no destructor.
                sqlite3_bind_blob(replace, 2, key.baseAddress, Int32(key.count), nil)
                sqlite3_bind_blob(replace, 3, value.baseAddress, Int32(value.count), nil)
                defer { sqlite3_reset(replace) }
                return sqlite3_step(replace)
            }
        }
        guard code == SQLITE_DONE else { throw Self.failure(of: database) }
    }

    func transaction(_ body: () throws -> Void) throws {
        try run(begin)
        try body()
        try run(commit)
    }

    /// Moves everything from the write-ahead log into the database.
    func checkpoint() throws {
        try Self.execute("PRAGMA wal_checkpoint(TRUNCATE)", on: database)
    }

    private func run(_ statement: OpaquePointer) throws {
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else { throw Self.failure(of: database) }
    }

    private static func execute(_ sql: String, on database: OpaquePointer) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(of: database) }
    }

    private static func prepare(_ sql: String, on database: OpaquePointer) throws -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK, let statement else {
            throw failure(of: database)
        }
        return statement
    }

    private static func failure(of database: OpaquePointer) -> Failure {
        Failure(description: "SQLite: \(String(cString: sqlite3_errmsg(database)))")
    }
}

/// A primary key: eight bytes at a time, multiplied and folded. Cheap, and good enough for keys
/// that no attacker has chosen.
@inline(__always)
private func identifier(of key: UnsafeRawBufferPointer) -> Int64 {
    var hash = UInt64(key.count) &* 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset + 8 <= key.count {
        hash = folded(hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
    }
    if key.count >= 8, offset < key.count {
        hash = folded(hash ^ key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self))
    } else {
        while offset < key.count {
            hash = folded(hash ^ UInt64(key[offset]))
            offset += 1
        }
    }
    return Int64(bitPattern: hash)
}

@inline(__always)
private func folded(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xBF58_476D_1CE4_E5B9)
    return product.high ^ product.low
}
