// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Inspects a directory, and opens its database, creates it, or moves it aside and creates it anew.
struct DatabaseOpening {
    /// An open database.
    struct Opened {
        var session: DatabaseSession
        /// Where a damaged database was moved to.
        var setAsidePath: String?
        /// Told outside the caller's locks.
        var protectionFailure: DiskStore.Event?
        /// Whether records of an older format are to be brought to the present one.
        var isOlder: Bool
        /// Whether the database is so long that its structure has not been checked yet.
        var isUnchecked: Bool
    }

    static let pageByteCount = 4096
    /// As many connections as there can be readings at once; each is opened when it is first needed.
    ///
    /// From the system: `ProcessInfo` would read the limits of control groups from files first, which takes longer than to open a connection.
    private static var readerCount: Int { min(max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 4), 16) }

    let configuration: DiskStore.Configuration
    let directory: DiskDirectory
    let identifierOverride: RecordIdentifier?

    init(configuration: DiskStore.Configuration, identifierOverride: RecordIdentifier? = nil) throws(StoreError) {
        self.configuration = configuration
        self.identifierOverride = identifierOverride
        directory = try DiskDirectory(path: configuration.directory)
    }

    /// Opens the database. Blocks.
    ///
    /// - Parameters:
    ///   - damaged: A database that was found to be damaged while it was in use. If it is still in place, it is moved aside;
    ///     if another process has replaced it already, the replacement is opened.
    ///   - now: The time of the configured clock. Opening does not ask it, because callers may hold a lock.
    func open(replacing damaged: FileIdentity? = nil, at now: Date) throws(StoreError) -> Opened {
        let creating = configuration.createsIfMissing
        try directory.prepare(creating: creating)
        // Before there are files in it, which take over its protection.
        let protectionFailure = creating ? directory.protect(configuration) : nil
        if !creating, try (directory.databaseByteCount() ?? 0) == 0 {
            throw StoreError(.unavailable, "There is no Hoard cache in \(directory.path).")
        }
        var opened = try directory.whileLocked(creating: creating) { () throws(StoreError) -> Opened in
            var setAsidePath: String?
            if creating, let damaged, directory.databaseIdentity == damaged, !isOfLaterFormat {
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
        opened.protectionFailure = protectionFailure
        return opened
    }

    /// Whether a later Hoard in another process has upgraded the database. To this one, it looks damaged while it is in use.
    private var isOfLaterFormat: Bool {
        if case .newer? = try? openReader().unsafeRead(DiskSchema.recognize) { true } else { false }
    }

    private func connect(setAsidePath: String?, at now: Date) throws(StoreError) -> Opened {
        if configuration.createsIfMissing {
            try directory.createDatabaseFile()
        }
        let byteCount = try directory.databaseByteCount() ?? 0
        try directory.checkDatabaseAccess()
        do {
            var probing: DatabaseQueue?
            if byteCount > 0 {
                probing = try probe()
            }
            if configuration.createsIfMissing { directory.restrictDatabaseFiles() }
            let writer = try openWriter(isNew: byteCount == 0)
            // A check leaves the pages of the whole database in its connection, so that one is closed. It is closed no earlier, because the first connection
            // to a database reads the whole log, and the next one would have to do that again.
            let isChecked = configuration.createsIfMissing && byteCount <= DiskCore.byteCountCheckedAtOnce
            let spare = Mutex(isChecked ? nil : probing)
            let readers = ReaderPool(count: Self.readerCount) { [self] in try spare.withLock { $0.take() } ?? openReader() }
            let checkpointer = Checkpointer(
                connection: try DatabaseQueue(path: directory.databasePath, configuration: options(label: "Hoard.DiskStore.checkpoint")),
                readers: readers,
                maximumBytes: configuration.maximumBytes
            )
            let generation = try GenerationFile(path: directory.path(of: GenerationFile.name), creating: configuration.createsIfMissing)
            // Read before the database is: changes that are written in between are learned again, which does no harm.
            let knownGeneration = generation?.read() ?? GenerationFile.none
            if isChecked, try !(probing ?? openReader()).unsafeRead(DiskCore.isSound) {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            probing = nil
            let (identity, memory, isOlder) = try writer.writeWithoutTransaction { db in
                checkpointer.observe(db)
                return (try StoreIdentity(db), try startingMemory(db), try FormatVersion1.isPresent(db))
            }
            let ring = try keyRing(for: identity)
            let session = DatabaseSession(
                directory: directory,
                identity: identity,
                ring: ring,
                writer: writer,
                readers: readers,
                checkpointer: checkpointer,
                generation: generation,
                knownGeneration: knownGeneration & 1 == 0 ? knownGeneration : GenerationFile.none,
                memory: memory,
                identifierOverride: identifierOverride
            )
            if configuration.createsIfMissing { try session.files.prepare() }
            return Opened(session: session, setAsidePath: setAsidePath, isOlder: isOlder, isUnchecked: !isChecked)
        } catch {
            throw .database(error)
        }
    }

    /// Returns the memory of a new session, read from the database.
    private func startingMemory(_ db: Database) throws -> DatabaseSession.Memory {
        var memory = DatabaseSession.Memory()
        memory.latestChange = try Int64.fetchOne(db, sql: "SELECT MAX(sequence) FROM changes") ?? 0
        if configuration.createsIfMissing, let sequence = try StoredTotals(db)?.sequence, memory.latestChange > sequence {
            // Nobody would be told of what changes before that number is reached.
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The list of changes is ahead of the store.")
        }
        memory.latestStoredStamp = try Int64.fetchOne(db, sql: "SELECT MAX(stamp) FROM recency") ?? 0
        memory.index.advance(past: memory.latestStoredStamp)
        do {
            try memory.enterTail(db)
        } catch  where !configuration.createsIfMissing && StoreError.isDamage(error) {
            // A tool opens the store all the same: the directory leads to the records that it has, and the others can be listed.
        }
        memory.index.invalidations = try ForeignChanges.invalidations(db)
        for mark in try ScopedStaleMark.all(db) { memory.index.add(mark) }
        return memory
    }

    /// The keys of an encrypted store, if the configured one is right.
    private func keyRing(for identity: StoreIdentity) throws(StoreError) -> KeyRing? {
        guard let key = configuration.encryptionKey else {
            guard identity.keyCheck == nil else {
                throw StoreError(
                    .wrongKey,
                    "The cache in \(directory.path) is encrypted with the key \"\(identity.keyIdentifier ?? "")\", and no key was given."
                )
            }
            return nil
        }
        guard let check = identity.keyCheck else {
            throw StoreError(
                .wrongKey,
                "The cache in \(directory.path) is not encrypted, but a key was given. Use another directory, or remove this one."
            )
        }
        let ring = KeyRing(key: key, salt: identity.salt)
        guard ring.matches(check: check) else {
            throw StoreError(
                .wrongKey,
                "The cache in \(directory.path) is encrypted with another key: with \"\(identity.keyIdentifier ?? "")\", "
                    + "while the one given is \"\(key.identifier)\"."
            )
        }
        return ring
    }

    /// Refuses a database that is not of this version, or has another key, through a connection that cannot write, so
    /// that it stays as it is.
    ///
    /// - Returns: The connection.
    private func probe() throws -> DatabaseQueue? {
        do {
            let reader = try openReader()
            let (recognition, identity) = try reader.unsafeRead { db in
                guard DatabaseHeader.isPlausible(db) else {
                    throw StoreError(.corrupt, "The cache database \(directory.databasePath) is damaged.")
                }
                let recognition = try DiskSchema.recognize(db)
                return (recognition, recognition.hasIdentity ? try StoreIdentity(db) : nil)
            }
            try check(recognition)
            if let identity { _ = try keyRing(for: identity) }
            return reader
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY
        {
            // A process died in the middle of a transaction, and only a connection that can write can clean up.
            // The writer recognizes the database again.
            return nil
        }
    }

    private func check(_ recognition: DiskSchema.Recognition) throws(StoreError) {
        switch recognition {
        case .current, .older:
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

    private func openWriter(isNew: Bool) throws -> DatabaseQueue {
        var options = options(label: "Hoard.DiskStore.writer")
        // The log grows while it is being copied. The limit lets it keep that size for the next time.
        let logByteCount = Checkpointer.frameCount(maximumBytes: configuration.maximumBytes, pageCount: .max) * Self.pageByteCount * 3 / 2
        let pageCacheKibibytes = max(configuration.pageCacheByteCount, 256 << 10) >> 10
        options.prepareDatabase { db in
            if isNew {
                // Small pages: all bytes of a page that a write touches go to the log.
                try db.execute(sql: "PRAGMA page_size = \(Self.pageByteCount); PRAGMA auto_vacuum = INCREMENTAL")
            }
            try db.execute(
                sql: """
                    PRAGMA secure_delete = FAST;
                    PRAGMA journal_size_limit = \(logByteCount);
                    PRAGMA cache_size = -\(pageCacheKibibytes);
                    """
            )
        }
        let writer = try DatabaseQueue(path: directory.databasePath, configuration: options)
        try writer.writeWithoutTransaction { db in
            let recognition = try DiskSchema.recognize(db)
            try check(recognition)
            switch recognition {
            case .empty, .older(1):
                try db.inTransaction(.exclusive) {
                    if recognition != .empty { try FormatVersion1.setAside(db) }
                    try DiskSchema.create(db)
                    try StoreIdentity(key: configuration.encryptionKey).write(to: db)
                    return .commit
                }
            case .older:
                try db.inTransaction(.exclusive) {
                    // Another process may have been faster.
                    if case .older(let version) = try DiskSchema.recognize(db) { try DiskSchema.upgrade(db, from: version) }
                    return .commit
                }
            case .current, .newer, .foreign, .damaged:
                break
            }
            guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw StoreError(.unavailable, "The file system of \(directory.path) does not support SQLite's write-ahead log.")
            }
            // NORMAL: a killed process loses nothing that was committed; a power cut may lose the latest transactions, not the database.
            try db.execute(sql: "PRAGMA synchronous = \(configuration.synchronizesCommits ? "FULL" : "NORMAL")")
        }
        return writer
    }

    /// The number of times that a connection waits for other processes' transactions before it gives up: five seconds or so.
    private static let maximumWaitCount = 600

    /// Waits a little, at random, so that several waiting processes do not wake up together: up to 0.1 milliseconds at first, up to 16 later.
    private static func waitForOthers(_ count: Int) -> Bool {
        guard count < maximumWaitCount else { return false }
        usleep(UInt32.random(in: 50...100 << UInt32(min(count / 8, 7))))
        return true
    }

    private func openReader() throws -> DatabaseQueue {
        var options = options(label: "Hoard.DiskStore.reader")
        options.readonly = true
        return try DatabaseQueue(path: directory.databasePath, configuration: options)
    }

    /// The options that all connections share. The connections trust nothing that is in the file.
    private func options(label: String) -> GRDB.Configuration {
        var options = GRDB.Configuration()
        options.label = label
        options.foreignKeysEnabled = false
        options.busyMode = .callback(Self.waitForOthers)
        options.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -4096")
        }
        return options
    }
}
