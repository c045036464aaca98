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

    /// How long the log grows before it is copied, in frames of one page: an eighth of what the store may hold, between 4 and 32 MiB. The longer it grows, the
    /// more often a page is written to the log before it is copied once.
    static func frameCount(maximumBytes: Int?) -> Int {
        min(max((maximumBytes ?? .max) / 8 / DatabaseOpening.pageByteCount, 1_000), 8_000)
    }

    private let frameCount: Int
    /// When the copying does not keep up, the writing waits for it once the log is this long.
    private var maximumFrameCount: Int { 4 * frameCount }

    private let gauge = Gauge()
    private let connection: DatabaseQueue
    private let readers: ReaderPool
    private let queue = DispatchQueue(label: "Hoard.DiskStore.checkpoint", qos: .utility)
    private let isRunning = Atomic<Bool>(false)
    /// Whether the copying has caught up but for what was written meanwhile.
    private let isNearlyDone = Atomic<Bool>(false)

    /// - Parameters:
    ///   - connection: A connection of the checkpointer's own, which can write.
    ///   - readers: Whose transactions would be in the way.
    ///   - maximumBytes: What the store may hold.
    init(connection: DatabaseQueue, readers: ReaderPool, maximumBytes: Int?) {
        frameCount = Self.frameCount(maximumBytes: maximumBytes)
        self.connection = connection
        self.readers = readers
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
        let length = gauge.frameCount.load(ordering: .relaxed)
        if length < frameCount { return }
        if isNearlyDone.exchange(false, ordering: .acquiringAndReleasing) || length >= maximumFrameCount {
            // While nothing is written the copying reaches the end of the log, so that the next write begins it anew.
            queue.sync { checkpoint(SQLITE_CHECKPOINT_PASSIVE) }
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
        queue.sync { checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }
    }

    /// Closes the connection after the copying under way. Blocks.
    func close() {
        queue.sync { try? connection.close() }
    }

    private func checkpoint(_ mode: CInt) {
        readers.endTransactions()
        connection.inDatabase { db in _ = sqlite3_wal_checkpoint_v2(db.sqliteConnection, nil, mode, nil, nil) }
    }
}
