// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One opened database, and all that is known of it. A damaged database that is replaced gets a new session.
final class DatabaseSession: Sendable {
    /// The state that readers and the writer share.
    struct Memory: Sendable {
        var index = RecordIndex()
        /// Records that were evicted lately without having been read.
        var ghosts = GhostTable()
        var evictionProgress = EvictionProgress()
        /// The part of the directory that is yet to be written.
        var directory = DirectoryUpdate()
        /// The sequence of the latest list of changes that this process knows.
        var latestChange: Int64 = 0
        /// The number of lists of changes that were written, from a random start: processes that write few lists trim them now and then, too.
        var changeListCount = Int.random(in: 0..<64)
        /// The greatest stamp in the queue of eviction that this process knows.
        var latestStoredStamp: Int64 = 0
        /// The number of rows in the queue of eviction, roughly.
        var recencyRowCount = 0
        /// The number of records in the index when it was last filled.
        var loadedCount = 0
        /// The bytes charged for the rows that were removed since the writer last looked for space to give back.
        var removedByteCount = 0
        /// Where the removal of meaningless rows from the queue goes on.
        var cleaningStamp = Int64.min
        /// Ciphers of partitions, by their numbers.
        var ciphers: [Int64: RecordCipher] = [:]
        /// Whether another process has written since the session began, so that a record may be gone without this one knowing.
        var hasForeignWriters = false
        /// Grows when a partition is dropped.
        var partitionEpoch = 0
    }

    /// Distinguishes the sessions of a process.
    let number: Int
    /// Distinguishes this session's changes from others'.
    let origin = Int64.random(in: .min ... .max)
    /// The identity of the database's file; `nil` if it could not be told.
    let file: FileIdentity?
    let directory: DiskDirectory
    let files: PayloadFiles
    let identify: RecordIdentifier
    let ring: KeyRing?
    let partitionKeys: PartitionKeys?
    let writer: DatabaseQueue
    let readers: ReaderPool
    let generation: GenerationFile?
    let memory: Mutex<Memory>
    /// The writing thread's statements.
    let statements: Mutex<ConnectionBound<WriteStatements>?>
    let checkpointer: Checkpointer

    /// When the structure of the database was last checked.
    let lastCheck = Mutex<Date?>(nil)

    /// The sequence of the latest stale mark that is known. No record that was written later is concerned by any.
    let latestStaleMark: Atomic<Int64>
    /// The generation up to which everything is known, and the odd one of this session's transaction.
    let knownGeneration: Atomic<UInt64>
    let ownGeneration = Atomic<UInt64>(GenerationFile.none)
    private let catchingUp = Mutex(())
    /// Another process's odd generation, and when it was first met.
    private let unfinished = Mutex<(generation: UInt64, since: Date)?>(nil)
    private let readCount = Atomic<Int>(0)
    private let isDetached = Atomic<Bool>(false)
    private static let readsBetweenLooks = 256

    private static let count = Atomic<Int>(0)

    init(
        directory: DiskDirectory,
        identity: StoreIdentity,
        ring: KeyRing?,
        writer: DatabaseQueue,
        readers: ReaderPool,
        checkpointer: Checkpointer,
        generation: GenerationFile?,
        knownGeneration: UInt64,
        memory: Memory,
        identifierOverride: RecordIdentifier? = nil
    ) {
        number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        file = directory.databaseIdentity
        self.directory = directory
        files = PayloadFiles(directory: directory.path)
        identify = identifierOverride ?? RecordIdentifier(key: ring?.hashKey ?? identity.hashKey)
        self.ring = ring
        partitionKeys = ring.map { PartitionKeys(storeDirectory: directory.path, ring: $0) }
        self.writer = writer
        self.readers = readers
        self.checkpointer = checkpointer
        self.generation = generation
        self.knownGeneration = Atomic(knownGeneration)
        latestStaleMark = Atomic(memory.index.staleMarks.values.compactMap { $0.marks.last?.sequence }.max() ?? .min)
        self.memory = Mutex(memory)
        statements = Mutex(nil)
    }

    /// Whether the database is still where it was opened: the directory has not been deleted, and the database has not been moved aside.
    var isInPlace: Bool {
        directory.databaseIdentity == file && generation?.isGone != true
    }

    /// Closes the files once the readings under way are done. Call on the writing thread, or when it is idle. Blocks.
    func close() {
        readers.close()
        checkpointer.close()
        statements.withLock { $0 = nil }
        // The writer comes last: the last connection to close folds the write-ahead log into the database.
        try? writer.close()
    }
}

extension DatabaseSession {
    /// Whether no other process has written since this one last looked. One system call.
    var isCurrent: Bool { readGeneration().isCurrent }

    /// Reads the generation. One system call.
    ///
    /// - Returns: Whether everything up to it is known, and the generation itself if it is known and no process is committing.
    func readGeneration() -> (isCurrent: Bool, current: UInt64?) {
        guard let generation, let now = generation.read(), now != GenerationFile.none else { return (false, nil) }
        // A file that has been deleted tells nothing of processes that have made another one since.
        if readCount.wrappingAdd(1, ordering: .relaxed).newValue % Self.readsBetweenLooks == 0, generation.isGone {
            isDetached.store(true, ordering: .relaxed)
        }
        if isDetached.load(ordering: .relaxed) { return (false, nil) }
        if now == knownGeneration.load(ordering: .acquiring) { return (true, now & 1 == 0 ? now : nil) }
        return (now == ownGeneration.load(ordering: .acquiring), nil)
    }

    /// Learns of the writes of other processes, if there are any. Returns the changes.
    func catchUp() throws -> ChangeList {
        if isCurrent { return ChangeList() }
        return try catchingUp.withLock { _ in
            if isCurrent { return ChangeList() }
            let generation = generation?.read()
            let since = memory.withLock { ($0.latestChange, $0.latestStoredStamp) }
            let news = try readers.withReader { reader in
                try reader.read { db in try ForeignChanges(db, sinceChange: since.0, sinceStamp: since.1, session: self) }
            }
            adopt(news)
            if let generation, generation & 1 == 0 { knownGeneration.store(generation, ordering: .releasing) }
            return news.changes
        }
    }

    /// Whether another process has been committing for a second. Either it has died, or it takes long. `true` at most once a second.
    ///
    /// As long as the generation is odd, each reading asks the database.
    func hasUnfinishedCommit(at now: Date) -> Bool {
        guard let odd = generation?.read(), odd & 1 == 1, odd != ownGeneration.load(ordering: .acquiring) else { return false }
        return unfinished.withLock { unfinished in
            guard let (generation, since) = unfinished, generation == odd else {
                unfinished = (odd, now)
                return false
            }
            guard abs(now.timeIntervalSince(since)) >= 1 else { return false }
            unfinished = nil
            return true
        }
    }

    /// Takes in the writes of another process.
    func adopt(_ news: ForeignChanges) {
        memory.withLock { memory in
            memory.hasForeignWriters = true
            memory.latestChange = max(memory.latestChange, news.latestChange)
            memory.latestStoredStamp = max(memory.latestStoredStamp, news.latestStamp)
            memory.recencyRowCount += news.rows.count
            memory.directory.noteRows(news.rows.count)
            for row in news.rows { memory.enter(row) }
            memory.directory.adopt(through: news.through, memory.index.places)
            memory.adoptInvalidations(news.changes.invalidations)
            // The news lacks the invalidations that this process has committed since reading it.
            if let all = news.allInvalidations {
                memory.index.invalidations = all.merging(memory.index.invalidations.filter { $0.value > news.latestChange }, uniquingKeysWith: max)
            }
            if news.allStaleMarks != nil { memory.index.dropStaleMarks(upTo: news.latestChange) }
            adopt(news.allStaleMarks ?? news.changes.staleMarks, in: &memory)
            guard news.changes.isEverything else { return }
            // The partitions dropped meanwhile are not known, so no cipher may be used without looking for its key again.
            memory.ciphers = [:]
            memory.partitionEpoch += 1
        }
    }
}

extension DatabaseSession.Memory {
    /// Whether a record must be in the database, unless it has been lost.
    func isSure(of identifier: Int64) -> Bool {
        index.isComplete && !hasForeignWriters && index.places[identifier] != nil
    }

    mutating func adoptInvalidations(_ invalidations: [Int64: Int64]) {
        for (tag, sequence) in invalidations {
            index.invalidations[tag] = max(sequence, index.invalidations[tag] ?? .min)
            if ciphers.removeValue(forKey: tag) != nil { partitionEpoch += 1 }
        }
    }
}
