// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Limits for the records with a tag.
extension DiskStore: EvictingRecordStore {
    /// Returns the number of records that have the tag and that a read would find now. O(k) for k records with the tag.
    ///
    /// Works on the calling thread, as a reading does, unless writes are under way: then it suspends until those before it are committed.
    public func recordCount(taggedWith tag: String) async throws(StoreError) -> Int {
        let core = core
        guard core.queue.isQuiet else {
            let found = RecordCount()
            try await core.commit(
                .perform { transaction in
                    let identifiers = try transaction.session.identifiers(taggedWith: tag, transaction.db, at: transaction.now)
                    found.value.store(identifiers.count, ordering: .releasing)
                }
            )
            return found.value.load(ordering: .acquiring)
        }
        let now = core.configuration.clock.now()
        return try core.read { session in
            if !session.isCurrent { try core.catchUp(session) }
            return try session.readers.withReader { reader in
                try reader.read { db in try session.identifiers(taggedWith: tag, db, at: now).count }
            }
        }
    }

    /// Removes the least recently used records that have the tag until no more than `count` are left. Suspends.
    ///
    /// One transaction; none if there are no more than that. O(k log n) for k records with the tag.
    @discardableResult
    public func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int {
        let core = core
        guard try await recordCount(taggedWith: tag) > max(0, count) else { return 0 }
        let evicted = RecordCount()
        try await core.commit(
            .perform { transaction in
                evicted.value.store(try transaction.evict(taggedWith: tag, keeping: max(0, count)), ordering: .releasing)
            }
        )
        return evicted.value.load(ordering: .acquiring)
    }

    /// Notes a use of each record. Does not suspend: uses are collected in memory, like those of reads. O(1) for each key.
    public func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError) {
        let core = core
        for key in keys { try core.checkLength(of: key) }
        let session = try core.session()
        let now = core.configuration.clock.now()
        let mustFlush = session.memory.withLock { memory in
            var mustFlush = false
            for key in keys {
                let identifier = session.identify.identifier(of: key)
                guard memory.index.mayHold(identifier) else { continue }
                if memory.index.noteUse(of: identifier, at: now).mustFlush { mustFlush = true }
            }
            return mustFlush
        }
        if mustFlush { core.queue.enqueue(.flushUses) { core.drain() } }
    }

    private final class RecordCount: Sendable {
        let value = Atomic<Int>(0)
    }
}

extension DatabaseSession {
    /// The records with a tag that a reading would find now, in no order. O(k).
    fileprivate func identifiers(taggedWith tag: String, _ db: Database, at now: Date) throws -> [Int64] {
        let columns = RecordRow.columns.replacing("header, payload", with: "x'', x''")
        let statement = try RawStatement("SELECT \(columns) FROM tags JOIN records USING (place) WHERE tag = ?", on: db)
        statement.bind(identify.number(ofTag: tag), at: 1)
        let microseconds = StoredRecord.microseconds(now)
        var identifiers: [Int64] = []
        while try statement.step() {
            let row = RecordRow(statement)
            if let expires = row.expires, expires <= microseconds { continue }
            if memory.withLock({ $0.index.isInvalidated(row) }) { continue }
            identifiers.append(row.id)
        }
        return identifiers
    }
}

extension WriteTransaction {
    /// Removes the least recently used of the valid records with a tag, down to `count`. Returns how many.
    fileprivate func evict(taggedWith tag: String, keeping count: Int) throws -> Int {
        var stamped = try session.identifiers(taggedWith: tag, db, at: now).map { (stamp: currentStamp(of: $0), identifier: $0) }
        guard stamped.count > count else { return 0 }
        if stamped.contains(where: { $0.stamp == nil }) { try findStamps(&stamped, taggedWith: session.identify.number(ofTag: tag)) }
        stamped.sort { ($0.stamp ?? .min, $0.identifier) < ($1.stamp ?? .min, $1.identifier) }
        var removed = 0
        for (_, identifier) in stamped.dropLast(count) {
            if try remove(identifier) { removed += 1 }
        }
        removals.evictions += removed
        return removed
    }

    /// Looks for stamps that are not known in memory, because the index is still being loaded. O(n).
    private func findStamps(_ stamped: inout [(stamp: Int64?, identifier: Int64)], taggedWith tag: Int64) throws {
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT id, MAX(stamp) FROM recency WHERE \(RecencyRow.place) IN (SELECT place FROM tags WHERE tag = ?) GROUP BY id",
            arguments: [tag]
        )
        var stamps: [Int64: Int64] = [:]
        for row in rows { stamps[try row.decode(atIndex: 0)] = try row.decode(Int64.self, atIndex: 1) }
        for index in stamped.indices where stamped[index].stamp == nil { stamped[index].stamp = stamps[stamped[index].identifier] }
    }
}
