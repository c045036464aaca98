// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
public import Hoard

extension DiskStore {
    /// The result of ``DiskStore/compact()``.
    public struct CompactionReport: Sendable, Hashable {
        /// The disk space that the store took before: ``DiskStore/StorageUse/totalByteCount``.
        public let byteCountBefore: Int
        /// The disk space that it takes now.
        public let byteCountAfter: Int
    }

    /// Gives unused space back to the file system. Suspends.
    ///
    /// It sweeps records removed by tag, stale marks without records and meaningless rows of the queue of eviction. It deletes files of no record,
    /// and moves the database's pages together. It empties the write-ahead log unless another process is reading. Works in steps, so that others can
    /// write in between. No record is removed that could still be read. O(n log n). Cancelling the task stops it between two steps.
    ///
    /// - Throws: ``StoreError/Code/full`` if the disk has no room for the log of a step, ``StoreError/Code/closed``, ``StoreError/Code/unavailable`` if the task was
    ///   cancelled, or why the database did not answer.
    public func compact() async throws(StoreError) -> CompactionReport {
        let before = try await storageUse().totalByteCount
        let core = core
        try await core.readElsewhere { session in try core.catchUp(session) }
        try await core.sweepInvalidations()
        try await core.commit(.perform { transaction in try transaction.deleteMeaninglessMarks() })
        try await core.cleanQueueOfEviction()
        try await core.readElsewhere { session in core.sweepFiles(session) }
        await core.queue.waitUntilIdle()
        try await core.vacuum()
        try await core.readElsewhere { session in session.checkpointer.empty() }
        return CompactionReport(byteCountBefore: before, byteCountAfter: try await storageUse().totalByteCount)
    }
}

extension DiskCore {
    /// Deletes all records that have gone with tags and partitions.
    fileprivate func sweepInvalidations() async throws(StoreError) {
        let tags = try await readElsewhere { session in
            try session.readers.withReader { reader in try reader.read { db in try Int64.fetchAll(db, sql: "SELECT tag FROM invalidations") } }
        }
        for tag in tags {
            try checkCancellation()
            // One that has more records than fit a transaction has the next one queued by it.
            try await commit(.sweep(tag: tag))
        }
        await queue.waitUntilIdle()
    }

    private static let cleanedRowCount = 4096

    /// Removes the rows from the queue of eviction after which the queue has another row of the same record, or whose record is gone.
    fileprivate func cleanQueueOfEviction() async throws(StoreError) {
        let (stamps, greatest) = try await storedStamps()
        var start = Int64.min
        while true {
            try checkCancellation()
            let after = start
            let rows = try await readElsewhere { session in try session.recencyRows(after: after, limit: Self.cleanedRowCount) }
            guard let last = rows.last else { return }
            // The greatest stamp stays, whatever its row says: others go on from it.
            let old = rows.filter { $0.stamp < greatest }
            try await commit(.perform { transaction in try transaction.deleteMeaningless(old, latest: stamps) })
            start = last.stamp
            if start >= greatest { return }
        }
    }

    private static let vacuumedPageCount = 2000

    /// Moves the database's pages together and cuts its end off, 8 MB at a time.
    fileprivate func vacuum() async throws(StoreError) {
        var left = Int.max
        while true {
            try checkCancellation()
            let now = try await readElsewhere { session in
                try session.readers.withReader { reader in try reader.read { db in try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0 } }
            }
            // Other writers may free pages as fast. Pages that they free at the end are their business.
            guard now > 0, now < left else { return }
            left = now
            try await commit(.perform { transaction in try transaction.db.execute(sql: "PRAGMA incremental_vacuum(\(Self.vacuumedPageCount))") })
        }
    }
}

extension WriteTransaction {
    /// - Parameter latest: The latest stamp that each record had. A later row may have come since, and then makes the earlier ones meaningless as well.
    fileprivate func deleteMeaningless(_ rows: [RecencyRow], latest: IdentifierMap) throws {
        for row in rows {
            let isSuperseded = (latest[row.id] ?? .min) > row.stamp
            guard try isSuperseded || !withRow(at: row.place, { $0?.id == row.id }) else { continue }
            try deleteRecencyRows(row.stamp...row.stamp)
        }
    }
}
