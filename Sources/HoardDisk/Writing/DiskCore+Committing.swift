// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The writing thread's work.
extension DiskCore {
    /// Commits until nothing is left. Runs on the writing thread.
    func drain() {
        while true {
            let batch = queue.takeBatch()
            if batch.isEmpty { break }
            let results = commit(batch)
            var hasSucceeded = false
            // Before the queue forgets them: no reading may find in between the record that a lost write was to replace.
            for (entry, result) in zip(batch, results) {
                switch result {
                case .success:
                    lostWrites.settle(entry.operation)
                    hasSucceeded = true
                case .failure where entry.completion == nil: noteLost(entry.operation)
                case .failure: break
                }
            }
            queue.finish(batch)
            for (entry, result) in zip(batch, results) { entry.completion?.resume(returning: result) }
            // A fault that keeps everything from being written keeps these from it too.
            if hasSucceeded { retryLostWrites() }
            if case .open(let session) = state.withLock({ $0 }) { session.checkpointer.noteCommit() }
        }
    }

    /// Commits a batch as one transaction; if that fails and the batch may be divided, each operation by itself.
    private func commit(_ batch: [WriteQueue.Entry]) -> [Result<Void, StoreError>] {
        switch attempt(batch) {
        case .success:
            return batch.map { _ in .success(()) }
        case .failure(let error, let isOneOperations) where batch.count == 1 || !(isOneOperations || error.code == .full):
            discardFiles(of: batch)
            return batch.map { _ in .failure(error) }
        case .failure:
            // Some may still fit, and removals make room; and an operation that cannot be done keeps no other from it.
            return batch.map { entry in
                guard case .failure(let error, _) = attempt([entry]) else { return .success(()) }
                discardFiles(of: [entry])
                return .failure(error)
            }
        }
    }

    /// Notes that a write that no caller waits for has failed. The record that it was to replace must not come back.
    private func noteLost(_ operation: WriteOperation) {
        for _ in 0..<lostWrites.add(operation) { configuration.onEvent?(.writeLost) }
    }

    /// Removes the records that lost writes were to replace, once the database takes writes again.
    private func retryLostWrites() {
        guard !counters.withLock({ $0.isDiskFull }) else { return }
        if let operation = lostWrites.takeRetry() { queue.enqueue(operation) { self.drain() } }
    }

    private func discardFiles(of batch: [WriteQueue.Entry]) {
        guard case .open(let session) = state.withLock({ $0 }) else { return }
        for entry in batch {
            entry.operation.forEachPart { part in
                if case .insert(let record) = part { record.file?.discard(from: session.files) }
            }
        }
    }

    private enum Outcome {
        case success
        case failure(StoreError, isOneOperations: Bool)
    }

    /// The reason why one operation cannot be done, though the database may be as well as can be.
    private struct OperationFailure: Error {
        let error: StoreError
    }

    /// Runs a transaction, and once more for each time the database had to be replaced.
    private func attempt(_ batch: [WriteQueue.Entry]) -> Outcome {
        var attempt = 1
        while true {
            do throws(StoreError) {
                let session = try writableSession()
                do {
                    try transact(batch, session)
                    noteWrite(wasRefusedForSpace: false)
                    return .success
                } catch let failure as OperationFailure {
                    if failure.error.code == .full { noteWrite(wasRefusedForSpace: true) }
                    return .failure(failure.error, isOneOperations: true)
                } catch {
                    let isFull = StoreError.database(error).code == .full
                    let isFirst = !counters.withLock { $0.isDiskFull }
                    let isDamage = isFull && isFirst && isDamagedRatherThanFull(session)
                    if isFull, !isDamage { noteWrite(wasRefusedForSpace: true) }
                    let cause: any Error = isDamage ? DatabaseError(resultCode: .SQLITE_CORRUPT) : error
                    try recover(from: cause, on: session, attempt: attempt)
                    attempt += 1
                }
            } catch {
                return .failure(error, isOneOperations: false)
            }
        }
    }

    /// Writes the uses that are in memory, at the end. Call on the writing thread.
    func flushUses(to session: DatabaseSession) { try? transact([], session) }

    /// Removes records until the limits are met, at the start. A failure is left to the first write. Call on the writing thread.
    func enforceLimits(_ session: DatabaseSession) { try? transact([], session) }

    /// Whether SQLite has found no room though the disk has plenty, because the database's own accounts of its pages are damaged. O(n); asked once until a write succeeds.
    private func isDamagedRatherThanFull(_ session: DatabaseSession) -> Bool {
        guard let available = session.directory.availableByteCount, available > 64 << 20 else { return false }
        return (try? session.writer.inDatabase(Self.isSound)) != true
    }

    /// Runs one transaction by itself. Call on the writing thread.
    func runTransaction(on session: DatabaseSession, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
        try transact([WriteQueue.Entry(operation: .perform(body), order: 0, completion: nil)], session)
    }

    private func transact(_ batch: [WriteQueue.Entry], _ session: DatabaseSession) throws {
        let now = configuration.clock.now()
        let limits = limits
        var committed: WriteTransaction?
        var foreign = ChangeList()
        var superseded: [StagedFile] = []
        let generation = session.beginGeneration()
        do {
            try session.writer.writeWithoutTransaction { db in
                let statements = try session.writeStatements(db)
                try db.inTransaction(.immediate) {
                    foreign = try session.catchUp(inTransaction: db)
                    generation.willCommit()
                    let transaction = WriteTransaction(db, session: session, statements: statements, now: now, limits: limits)
                    committed = transaction
                    try transaction.begin()
                    try transaction.flushUses()
                    for entry in batch {
                        try entry.operation.forEachPart { operation in
                            if case .insert(let record) = operation, queue.isSuperseded(record.key, order: entry.order, in: batch) {
                                if let file = record.file { superseded.append(file) }
                                return
                            }
                            do {
                                try operation.run(in: transaction) { (record) throws(StoreError) in
                                    try session.renewed(record, configuration.compression)
                                }
                            } catch let error as StoreError {
                                throw OperationFailure(error: error)
                            }
                        }
                    }
                    try transaction.finish()
                    return .commit
                }
                // Before the connection is free for others, which take the index's word.
                committed?.settle()
            }
        } catch {
            generation.didEnd()
            announce(foreign)
            throw error
        }
        if let committed {
            generation.didEnd()
            count(committed.removals)
            for file in superseded { file.discard(from: session.files) }
            deleteFiles(committed.abandonedFiles, session)
            for tag in committed.sweptTags { queue.enqueue(.sweep(tag: tag)) { self.drain() } }
        }
        announce(foreign)
        if !foreign.isEmpty { renewOutgrownIndex(session) }
    }

    /// Deletes files whose rows are gone, beside the work that follows. A process that dies before leaves orphans,
    /// which are swept when the store is opened next.
    private func deleteFiles(_ names: [PayloadFileName], _ session: DatabaseSession) {
        if names.isEmpty { return }
        let files = session.files
        housekeeping.async { for name in names { try? files.remove(name) } }
    }
}

extension DatabaseSession {
    func beginGeneration() -> Turn { Turn(session: self) }

    /// The generation file's part in one transaction.
    final class Turn {
        private let session: DatabaseSession
        private var odd: UInt64?

        init(session: DatabaseSession) { self.session = session }

        /// Makes the generation odd: from now on, no other process trusts its own index. Call when the database is
        /// locked and everything before is known.
        func willCommit() {
            guard odd == nil, let generation = session.generation else { return }
            let odd = generation.begin()
            self.odd = odd
            session.ownGeneration.store(odd, ordering: .releasing)
        }

        /// The transaction is committed and settled, or rolled back.
        func didEnd() {
            guard let odd, let generation = session.generation else { return }
            // Another process may have begun since the commit, or be done already: then there is something to be learned.
            if generation.advance(from: odd, to: odd &+ 1) { session.knownGeneration.store(odd &+ 1, ordering: .releasing) }
            self.odd = nil
        }
    }

    /// Learns inside a transaction the changes that other processes have written.
    func catchUp(inTransaction db: Database) throws -> ChangeList {
        if isCurrent { return ChangeList() }
        let since = memory.withLock { ($0.latestChange, $0.latestStoredStamp) }
        let news = try ForeignChanges(db, sinceChange: since.0, sinceStamp: since.1, session: self)
        adopt(news)
        return news.changes
    }

    /// A record prepared for this session and its partition's present key, though it may have been prepared for others.
    func renewed(_ record: StoredRecord, _ compression: DiskStore.Compression) throws(StoreError) -> StoredRecord {
        let isEncrypted = ring != nil
        if record.session == number {
            // One that was too large for the store when it was prepared has not been encrypted.
            guard isEncrypted, record.partition != nil || record.cipher == nil else { return record }
            if let cipher = try cipher(forPartition: record.partition, creating: true), let old = record.cipher, cipher.hasKey(of: old) {
                return record
            }
        }
        var header = RecordHeader(record.record, key: record.key, now: record.record.created)
        if record.file != nil {
            guard !isEncrypted else {
                throw StoreError(.unavailable, "The payload's file was encrypted with a key that has been dropped meanwhile.")
            }
            header.payloadByteCount = record.payloadByteCount
            header.root = record.root
        }
        let partition = record.record.partition.map(identify.number(ofPartition:))
        return try prepare(
            record.record,
            header: header,
            compressed: record.file == nil ? compression.compress(record.record.payload, contentType: header.contentType) : nil,
            file: record.file,
            fileByteCount: record.fileByteCount,
            cipher: try cipher(forPartition: partition, creating: true)
        )
    }

    /// The writing statements, prepared at first use. Call on the writing thread, in GRDB's block.
    func writeStatements(_ db: Database) throws -> WriteStatements {
        try statements.withLock { statements in
            if let statements { return statements }
            let prepared = ConnectionBound(value: try WriteStatements(on: db))
            statements = prepared
            return prepared
        }.value
    }
}
