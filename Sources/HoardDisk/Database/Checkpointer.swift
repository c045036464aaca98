// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

/// Copies the write-ahead log into the database beside the writing, so that no commit waits for the disk to do it.
///
/// SQLite by itself would do it inside every so many-th commit, and synchronize the files there.
final class Checkpointer: Sendable {
    /// The length of the write-ahead log, which SQLite tells after every commit.
    private final class Gauge: Sendable {
        let frameCount = Atomic<Int>(0)
    }

    /// The length at which the log is copied, in frames of one page: an eighth of the store's limit, and no more than
    /// half of its present length, between 4 and 32 MiB. The longer the log grows, the more often a page is written to
    /// it before it is copied once, and the longer it takes to open the store after its process was killed, as SQLite
    /// reads the log then.
    static func frameCount(maximumBytes: Int?, pageCount: Int) -> Int {
        min(max(min((maximumBytes ?? .max) / 8 / DatabaseOpening.pageByteCount, pageCount / 2), 1_000), 8_000)
    }

    private let maximumBytes: Int?
    private let frameCount: Atomic<Int>
    /// When the copying does not keep up, the writing waits for it once the log is so many times as long.
    private static let maximumExcess = 4

    private let gauge = Gauge()
    private let connection: DatabaseQueue
    private let readers: ReaderPool
    private let queue = DispatchQueue(label: "Hoard.DiskStore.checkpoint", qos: .utility)
    private let isRunning = Atomic<Bool>(false)
    /// Whether the copying has caught up but for pages that were written meanwhile.
    private let isNearlyDone = Atomic<Bool>(false)
    private let pauses: WritingPauses

    /// The length from which emptying the log is worth the synchronization of the disk, in frames: 1 MiB.
    private static let shortFrameCount = 256
    /// The time for which nothing is written before the log is emptied.
    private static let pause = DispatchTimeInterval.seconds(1)
    /// The time for which ``empty()`` waits for other processes, in milliseconds.
    private static let patience: CInt = 5_000

    /// - Parameters:
    ///   - connection: A connection of the checkpointer's own, which can write.
    ///   - readers: Whose transactions would be in the way.
    ///   - maximumBytes: The most bytes in the store.
    init(connection: DatabaseQueue, readers: ReaderPool, maximumBytes: Int?) {
        self.maximumBytes = maximumBytes
        frameCount = Atomic(Self.frameCount(maximumBytes: maximumBytes, pageCount: 0))
        self.connection = connection
        self.readers = readers
        pauses = WritingPauses { [queue] action in queue.asyncAfter(deadline: .now() + Self.pause, execute: action) }
    }

    /// Has the writing connection tell of the log, and keeps SQLite from copying it by itself.
    func observe(_ db: Database) {
        // The gauge lives as long as the session, which closes the writing connection before it goes.
        let context = Unmanaged.passUnretained(gauge).toOpaque()
        sqlite3_wal_hook(
            db.sqliteConnection,
            { context, _, _, frameCount in
                if let context { Unmanaged<Gauge>.fromOpaque(context).takeUnretainedValue().frameCount.store(Int(frameCount), ordering: .relaxed) }
                return SQLITE_OK
            },
            context
        )
    }

    /// Starts copying if there is enough. Call on the writing thread after a commit.
    func noteCommit() {
        pauses.noteCommit()
        let length = gauge.frameCount.load(ordering: .relaxed)
        if length < Self.shortFrameCount { return }
        pauses.wait { [weak self] in self?.emptyInPause() }
        let frameCount = frameCount.load(ordering: .relaxed)
        if length < frameCount { return }
        if isNearlyDone.exchange(false, ordering: .acquiringAndReleasing) || length >= Self.maximumExcess * frameCount {
            // While nothing is written the copying reaches the end of the log, so that the next write begins it anew.
            queue.sync { _ = checkpoint(SQLITE_CHECKPOINT_PASSIVE) }
            return
        }
        guard isRunning.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else { return }
        queue.async {
            self.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            self.isNearlyDone.store(true, ordering: .releasing)
            self.isRunning.store(false, ordering: .releasing)
        }
    }

    /// Copies the whole log and empties it, if no other process is reading. Blocks.
    func empty() {
        queue.sync { _ = checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
    }

    /// Copies the log and empties it, unless another process reads or writes just then: all writers would have to wait with this one. Call on the queue.
    ///
    /// A process that starts after this one was killed has to read the whole log again. When another process is in the way, later pauses are tried, up to the
    /// number of `attempts`.
    ///
    /// - Returns: Whether the log is empty.
    @discardableResult func emptyInPause(attempts: Int = 10) -> Bool {
        // Without the lock for writing, while there is much to copy.
        checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        guard checkpoint(SQLITE_CHECKPOINT_TRUNCATE, isPatient: false) == SQLITE_BUSY else { return true }
        if attempts > 1 { pauses.wait { [weak self] in self?.emptyInPause(attempts: attempts - 1) } }
        return false
    }

    /// Closes the connection after the copying under way. Blocks.
    func close() {
        queue.sync { try? connection.close() }
    }

    @discardableResult private func checkpoint(_ mode: CInt, isPatient: Bool = true) -> CInt {
        readers.endTransactions()
        return connection.inDatabase { db in
            // An action that was to be done later finds the connection closed.
            guard let handle = db.sqliteConnection else { return SQLITE_OK }
            sqlite3_busy_timeout(handle, isPatient ? Self.patience : 0)
            let result = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
            if let pageCount = try? Int.fetchOne(db, sql: "PRAGMA page_count") {
                frameCount.store(Self.frameCount(maximumBytes: maximumBytes, pageCount: pageCount), ordering: .relaxed)
            }
            return result
        }
    }
}
