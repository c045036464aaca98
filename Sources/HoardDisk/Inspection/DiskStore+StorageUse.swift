// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
public import Hoard

extension DiskStore {
    /// The disk space that a store takes, by purpose. All lengths are in bytes.
    public struct StorageUse: Sendable, Hashable {
        /// The number of records. Includes expired records, and records removed by tag or partition that are not swept yet.
        public var recordCount = 0
        /// The bytes that all records together are charged against ``Configuration/maximumBytes``.
        public var chargedByteCount = 0
        /// The number of payloads in the database.
        public var inlinePayloadCount = 0
        /// The lengths of the payloads in the database, after compression and encryption.
        public var inlinePayloadByteCount = 0
        /// The number of payloads with files of their own.
        public var filePayloadCount = 0
        /// The lengths of these files, with their checksums.
        public var filePayloadByteCount = 0
        /// The disk space of all payload files, including temporary files and orphans, in whole blocks.
        public var filesAllocatedByteCount = 0
        /// The number of orphans: files that belong to no record. Some may belong to writes under way.
        public var orphanCount = 0
        /// The lengths of the orphans.
        public var orphanByteCount = 0
        /// The length of the database file.
        public var databaseByteCount = 0
        /// The length of the database's write-ahead log.
        public var logByteCount = 0
        /// The length of a page of the database.
        public var pageByteCount = 0
        /// The number of empty pages of the database.
        public var freePageCount = 0
        /// The number of different tags and partitions of the records.
        public var tagCount = 0
        /// The number of removed tags and partitions whose records are not swept yet.
        public var unsweptInvalidationCount = 0
        /// The version of the database's format.
        public var formatVersion = 0
        /// ``EncryptionKey/identifier`` of the key with which the store is encrypted; `nil` if it is not encrypted.
        public var encryptionKeyIdentifier: String?
        /// ``Configuration/maximumCount`` of this instance.
        public var maximumCount: Int?
        /// ``Configuration/maximumBytes`` of this instance.
        public var maximumBytes: Int?

        /// The disk space of the whole store: the database, its log, and the blocks of the files.
        public var totalByteCount: Int { databaseByteCount + logByteCount + filesAllocatedByteCount }

        /// Creates a report of an empty store.
        public init() {}
    }

    /// Measures the disk space that the store takes. Suspends. O(n): it walks over the rows, without long payloads, and over all files.
    ///
    /// Waits for the writes that were accepted before. The parts are of different moments if others write meanwhile.
    ///
    /// - Throws: ``StoreError/Code/closed``, or why the database or the file system did not answer.
    public func storageUse() async throws(StoreError) -> StorageUse {
        let core = core
        await core.queue.waitUntilIdle()
        await core.elsewhere { core.finishHousekeeping() }
        let limits = core.limits
        return try await core.readElsewhere { session in
            var use = StorageUse()
            use.maximumCount = limits.maximumCount
            use.maximumBytes = limits.maximumBytes
            try session.readers.withReader { reader in try reader.read { db in try use.readDatabase(db) } }
            // The rows of the files are found by the index.
            try core.catchUp(session)
            try use.measureFiles(session)
            return use
        }
    }
}

extension DiskStore.StorageUse {
    fileprivate mutating func readDatabase(_ db: Database) throws {
        // The length of a payload is known without its pages.
        let sums = try Row.fetchOne(
            db,
            sql: """
                SELECT COUNT(*), IFNULL(SUM(charge), 0), COUNT(*) - COUNT(file), IFNULL(SUM(iif(file IS NULL, length(payload), 0)), 0), COUNT(file)
                FROM records
                """
        )
        guard let sums else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        recordCount = try sums.decode(atIndex: 0)
        chargedByteCount = try sums.decode(atIndex: 1)
        inlinePayloadCount = try sums.decode(atIndex: 2)
        inlinePayloadByteCount = try sums.decode(atIndex: 3)
        filePayloadCount = try sums.decode(atIndex: 4)
        tagCount = try Int.fetchOne(db, sql: "SELECT COUNT(DISTINCT tag) FROM tags") ?? 0
        unsweptInvalidationCount = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM invalidations") ?? 0
        pageByteCount = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        freePageCount = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
        formatVersion = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        encryptionKeyIdentifier = try StoreIdentity(db).keyIdentifier
    }

    fileprivate mutating func measureFiles(_ session: DatabaseSession) throws {
        measureDatabase(session)
        let files = session.files
        for folder in UInt8.min...UInt8.max {
            let contents = try files.contents(ofFolder: folder)
            for stranger in contents.strangers { addOrphan(FileSize(path: "\(files.path(ofFolder: folder))/\(stranger)")) }
            if contents.names.isEmpty { continue }
            let known = try session.readers.withReader { reader in
                try contents.names.map { name in try session.withRow(of: name.id, on: reader) { $0?.file == name.nonce } }
            }
            for (name, isKnown) in zip(contents.names, known) {
                let size = FileSize(path: files.path(of: name))
                if !isKnown { addOrphan(size) } else if let size { add(size) }
            }
        }
        for name in (try? FileSystem.names(inDirectory: files.temporaryFolder)) ?? [] {
            filesAllocatedByteCount += FileSize(path: "\(files.temporaryFolder)/\(name)")?.allocatedByteCount ?? 0
        }
    }

    fileprivate mutating func measureDatabase(_ session: DatabaseSession) {
        databaseByteCount = FileSize(path: session.directory.databasePath)?.byteCount ?? 0
        logByteCount = FileSize(path: session.directory.databasePath + "-wal")?.byteCount ?? 0
    }

    private mutating func add(_ size: FileSize) {
        filePayloadByteCount += size.byteCount
        filesAllocatedByteCount += size.allocatedByteCount
    }

    /// - Parameter size: `nil` if the file has gone meanwhile.
    private mutating func addOrphan(_ size: FileSize?) {
        guard let size else { return }
        orphanCount += 1
        orphanByteCount += size.byteCount
        filesAllocatedByteCount += size.allocatedByteCount
    }
}
