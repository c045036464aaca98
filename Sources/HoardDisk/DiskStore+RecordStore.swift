// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskStore {
    /// Reads a record and counts as a use of it.
    ///
    /// Works on the calling thread, which it blocks for one query. It suspends only to remove a record that has expired or is damaged,
    /// which is a miss. The record's ``Record/lastAccess`` is the use before this one.
    ///
    /// - Complexity: O(log n) for n records held, O(m) for m bytes of record.
    /// - Throws: ``StoreError/Code/keyTooLong``, ``StoreError/Code/closed``, or why the database did not answer.
    public func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        let id = try checkedIdentifier(of: key)
        let now = configuration.clock.now()
        switch try read({ db in try RecordTable(db: db).lookUp(id: id, key: key, at: now) }) {
        case .found(var record):
            if let previous = noteUse(of: id, at: now) {
                record.lastAccess = previous.lastAccess
            }
            counters.withLock { $0.hits += 1 }
            return record
        case .absent:
            counters.withLock { $0.misses += 1 }
            return nil
        case .expired, .damaged:
            counters.withLock { $0.misses += 1 }
            // The miss stands, whether or not the record can be removed now.
            if let removals = try? await write({ db in try RecordTable(db: db).deleteUnusable(id: id, key: key, at: now) }) {
                count(removals)
            }
            return nil
        }
    }

    /// Writes a record as the most recently used one, and removes others until the limits are met. Suspends.
    ///
    /// - Complexity: O(log n) for n records held, and again for each tag and each record removed; O(m) for m bytes of record.
    /// - Throws: ``StoreError/Code/recordTooLarge`` if the record alone exceeds a limit, or has more than 512 MiB of payload or of metadata;
    ///   the older record of the key is gone then, and nothing else. ``StoreError/Code/keyTooLong``, ``StoreError/Code/full``,
    ///   ``StoreError/Code/closed``, or why the database did not answer.
    public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        let id = try checkedIdentifier(of: key)
        let now = configuration.clock.now()
        let limits = configuration.limits
        let stored = StoredRecord(record, key: key, id: id, now: now)
        guard limits.admit(stored) else {
            try await write { db in try RecordTable(db: db).delete(id: id, key: key) }
            counters.withLock { $0.refusals += 1 }
            throw StoreError(
                .recordTooLarge,
                "The record is charged \(stored.chargedByteCount) bytes, which is more than the \(name) store may hold."
            )
        }
        let accesses = accesses
        let removals = try await write { db in
            let table = RecordTable(db: db)
            // The recency is taken inside the transaction, after that of every use written before.
            try table.insert(stored, recency: accesses.nextRecency(at: now))
            return try table.enforce(limits, at: now, sparing: id)
        }
        counters.withLock { $0.insertions += 1 }
        count(removals)
    }

    /// Removes a record if there is one. Suspends. O(log n).
    public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        let id = try checkedIdentifier(of: key)
        try await write { db in try RecordTable(db: db).delete(id: id, key: key) }
    }

    /// Removes every record that has the tag. Suspends. O(k log n) for k of n records.
    ///
    /// Tags are compared byte for byte, as keys are.
    public func removeRecords(taggedWith tag: String) async throws(StoreError) {
        try await write { db in try RecordTable(db: db).delete(taggedWith: tag) }
    }

    /// Removes every record, and gives the space back to the file system. Suspends. O(n).
    public func removeAll() async throws(StoreError) {
        try await write { db in try RecordTable(db: db).deleteAll() }
    }

    /// What the database holds, whoever wrote it, and what this instance has done since it was opened. O(1).
    ///
    /// A record that is removed because it expired counts as an expiration, whether a read or the limits removed it.
    /// Removals that somebody asked for and replacements count as nothing.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let totals = try read { db in try RecordTable(db: db).totals() }
        let limits = configuration.limits
        return counters.withLock { counters in
            var statistics = StoreStatistics()
            statistics.count = totals.count
            statistics.bytes = totals.bytes
            statistics.maximumCount = limits.maximumCount
            statistics.maximumBytes = limits.maximumBytes
            statistics.hits = counters.hits
            statistics.misses = counters.misses
            statistics.insertions = counters.insertions
            statistics.evictions = counters.removals.evictions
            statistics.expirations = counters.removals.expirations
            statistics.refusals = counters.refusals
            statistics.corruptions = counters.removals.corruptions
            return statistics
        }
    }

    /// Writes the uses that are still in memory and closes the files, after the operations under way. Suspends.
    ///
    /// A store that is released without being closed does the same, and blocks the thread that released it.
    public func close() async {
        await markClosed()?.close(flushing: accesses)
    }
}

extension DiskStore {
    func checkedIdentifier(of key: RecordKey) throws(StoreError) -> Int64 {
        guard key.bytes.count <= RecordKey.maximumByteCount else { throw .keyTooLong(key) }
        return identify(key)
    }

    /// Notes a use, sees to it that the notes are written when there are many, and returns the use before.
    private func noteUse(of id: Int64, at now: Date) -> AccessLog.Use? {
        let noted = accesses.noteUse(of: id, at: now)
        if noted.mustFlush, let connections = try? connections() {
            connections.flushSoon(accesses)
        }
        return noted.previous
    }
}
