// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds out what lies in a directory and opens it, or creates it, or moves it aside and creates it anew.
struct DatabaseOpening {
    /// An open database.
    struct Opened {
        var connections: Connections
        /// Where a damaged database was moved to.
        var setAsidePath: String?
        /// What was removed to meet limits lower than those of the last time.
        var removals: RecordRemovals
        var latestRecency: Int64
    }

    /// How long a connection waits for another process's transaction.
    private static let busyTimeout: TimeInterval = 5
    private static let readerCount = 4

    let configuration: DiskStore.Configuration
    let directory: DiskDirectory

    init(configuration: DiskStore.Configuration) throws(StoreError) {
        self.configuration = configuration
        directory = try DiskDirectory(path: configuration.directory)
    }

    /// Opens the database. Blocks.
    ///
    /// - Parameters:
    ///   - damaged: A database that was found to be damaged while it was in use. If it is still in place, it is moved aside;
    ///     if another process has replaced it already, the replacement is opened.
    ///   - now: What the configured clock says. Opening does not ask it, because callers may hold a lock.
    func open(replacing damaged: FileIdentity? = nil, at now: Date) throws(StoreError) -> Opened {
        let creating = configuration.createsIfMissing
        try directory.prepare(creating: creating)
        if !creating, try (directory.databaseByteCount() ?? 0) == 0 {
            throw StoreError(.unavailable, "There is no Hoard cache in \(directory.path).")
        }
        return try directory.whileLocked(creating: creating) { () throws(StoreError) -> Opened in
            var setAsidePath: String?
            if creating, let damaged, directory.databaseIdentity == damaged {
                setAsidePath = try directory.setDatabaseAside(at: now)
            }
            do throws(StoreError) {
                return try connect(setAsidePath: setAsidePath, at: now)
            } catch {
                guard creating, error.code == .corrupt else { throw error }
                setAsidePath = try directory.setDatabaseAside(at: now)
                return try connect(setAsidePath: setAsidePath, at: now)
            }
        }
    }

    private func connect(setAsidePath: String?, at now: Date) throws(StoreError) -> Opened {
        if configuration.createsIfMissing {
            try directory.createDatabaseFile()
        }
        let byteCount = try directory.databaseByteCount() ?? 0
        try directory.checkDatabaseAccess()
        do {
            if byteCount > 0 { try probe() }
            if configuration.createsIfMissing { directory.restrictDatabaseFiles() }
            let writer = try openWriter()
            var removals = RecordRemovals()
            var latestRecency: Int64 = 0
            try writer.writeWithoutTransaction { db in
                latestRecency = try RecordTable(db: db).latestRecency() ?? 0
                _ = try RecordTable(db: db).totals()
                guard configuration.createsIfMissing else { return }
                try db.inTransaction(.immediate) {
                    removals = try RecordTable(db: db).enforce(configuration.limits, at: now, sparing: nil)
                    return .commit
                }
            }
            let readers = try (0..<Self.readerCount).map { _ in try openReader() }
            let connections = Connections(writer: writer, readers: readers, file: directory.databaseIdentity)
            return Opened(connections: connections, setAsidePath: setAsidePath, removals: removals, latestRecency: latestRecency)
        } catch {
            throw .database(error)
        }
    }

    /// Refuses what is not this version's database through a connection that cannot write, so that it stays as it is.
    private func probe() throws {
        do {
            let recognition = try openReader().unsafeRead { db in try DiskSchema.recognize(db) }
            try check(recognition)
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY
        {
            // A process died in the middle of a transaction, and only a connection that can write can clean up.
            // The writer recognizes the database again.
        }
    }

    private func check(_ recognition: DiskSchema.Recognition) throws(StoreError) {
        switch recognition {
        case .current:
            return
        case .empty:
            if !configuration.createsIfMissing {
                throw StoreError(.unavailable, "There is no Hoard cache in \(directory.path).")
            }
        case .foreign:
            throw StoreError(.foreign, "The cache cannot use \(directory.databasePath), because another program made that database.")
        case .newer(let version):
            throw StoreError(
                .newerFormat,
                "The cache in \(directory.path) was written by a later version of Hoard: its format is \(version), "
                    + "and this version reads format \(DiskSchema.version)."
            )
        case .damaged:
            throw StoreError(.corrupt, "The cache database \(directory.databasePath) is damaged.")
        }
    }

    private func openWriter() throws -> DatabaseQueue {
        var options = options(label: "Hoard.DiskStore.writer")
        options.prepareDatabase { db in
            // The first two matter to an empty database only. Small pages suit the random order of the keys' hashes: each write touches one page
            // or two in every index, and all of their bytes go to the log.
            try db.execute(
                sql: """
                    PRAGMA page_size = 4096;
                    PRAGMA auto_vacuum = INCREMENTAL;
                    PRAGMA secure_delete = FAST;
                    PRAGMA wal_autocheckpoint = 4000;
                    PRAGMA journal_size_limit = 16777216;
                    """
            )
        }
        let writer = try DatabaseQueue(path: directory.databasePath, configuration: options)
        try writer.writeWithoutTransaction { db in
            let recognition = try DiskSchema.recognize(db)
            try check(recognition)
            if recognition == .empty {
                try db.inTransaction(.exclusive) {
                    try DiskSchema.create(db)
                    return .commit
                }
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw StoreError(.unavailable, "The file system of \(directory.path) does not support SQLite's write-ahead log.")
            }
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        return writer
    }

    private func openReader() throws -> DatabaseQueue {
        var options = options(label: "Hoard.DiskStore.reader")
        options.readonly = true
        return try DatabaseQueue(path: directory.databasePath, configuration: options)
    }

    /// What all connections have in common. They trust nothing that is in the file.
    private func options(label: String) -> GRDB.Configuration {
        var options = GRDB.Configuration()
        options.label = label
        options.foreignKeysEnabled = false
        options.busyMode = .timeout(Self.busyTimeout)
        options.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -4096")
        }
        return options
    }
}
