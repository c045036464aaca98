// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import Synchronization

/// The open connections to one database file: one that writes, and a few that read.
final class Connections: Sendable {
    let writer: DatabaseQueue
    /// Which file the connections have open, even if it has been moved since.
    let file: FileIdentity?
    private let readers: [DatabaseQueue]
    /// The readers that nobody is using, the last used on top, where the caches are warm.
    private let idle: Mutex<[Int]>
    private let turn = Atomic<Int>(0)

    init(writer: DatabaseQueue, readers: [DatabaseQueue], file: FileIdentity?) {
        self.writer = writer
        self.readers = readers
        self.file = file
        idle = Mutex(Array(readers.indices))
    }

    /// Reads on the calling thread: no hop, and no transaction, so `body` should run one statement.
    ///
    /// Blocks while all readers are busy. Each is busy only for the time of one such read.
    func read<T>(_ body: (Database) throws -> T) throws -> T {
        guard let index = idle.withLock({ $0.popLast() }) else {
            let turn = turn.wrappingAdd(1, ordering: .relaxed).newValue
            return try readers[Int(UInt(bitPattern: turn) % UInt(readers.count))].unsafeRead(body)
        }
        defer { idle.withLock { $0.append(index) } }
        return try readers[index].unsafeRead(body)
    }

    /// Reads on a reader's own thread, for queries that take long. Suspends.
    func readElsewhere<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async -> Result<T, any Error> {
        let index = idle.withLock { $0.popLast() }
        let result = await withCheckedContinuation { continuation in
            readers[index ?? 0].asyncUnsafeRead { result in
                continuation.resume(returning: result.flatMap { db in Result { try body(db) } })
            }
        }
        if let index { idle.withLock { $0.append(index) } }
        return result
    }

    /// Runs `body` in a transaction on the writer's thread, after the uses in `accesses` have been written. Suspends.
    ///
    /// Cancelling the task neither interrupts the transaction nor keeps it from starting: what becomes of
    /// a write never depends on its caller's patience.
    func write<T: Sendable>(
        flushing accesses: AccessLog,
        _ body: @escaping @Sendable (Database) throws -> T
    ) async -> Result<T, any Error> {
        await withCheckedContinuation { continuation in
            writer.asyncWriteWithoutTransaction { db in
                continuation.resume(returning: Result { try db.transaction(flushing: accesses, body) })
            }
        }
    }

    /// Writes the pending uses without waiting for it. A failure leaves them pending.
    func flushSoon(_ accesses: AccessLog) {
        writer.asyncWriteWithoutTransaction { db in
            try? db.transaction(flushing: accesses) { _ in }
        }
    }

    /// Writes the pending uses and waits for it. Blocks.
    func flush(_ accesses: AccessLog) {
        if accesses.isEmpty { return }
        try? writer.writeWithoutTransaction { db in
            try db.transaction(flushing: accesses) { _ in }
        }
    }

    /// Closes the files once the reads and writes under way are done. Blocks. Later use fails with `SQLITE_MISUSE`.
    func close() {
        // The writer comes last: the last connection to close folds the write-ahead log into the database.
        for connection in readers + [writer] {
            try? connection.close()
        }
    }

    /// ``close()`` on another thread, with a last flush. Suspends.
    func close(flushing accesses: AccessLog) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.flush(accesses)
                self.close()
                continuation.resume()
            }
        }
    }
}

extension Database {
    fileprivate func transaction<T>(flushing accesses: AccessLog, _ body: (Database) throws -> T) throws -> T {
        let uses = accesses.takeAll()
        do {
            var value: T?
            try inTransaction(.immediate) {
                try RecordTable(db: self).update(uses)
                value = try body(self)
                return .commit
            }
            // `inTransaction` either has run its closure to the end or has thrown.
            guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
            return value
        } catch {
            accesses.putBack(uses)
            throw error
        }
    }
}
