// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

/// Several records in one call.
extension DiskStore {
    /// How many records go into one transaction at most.
    private static let recordsPerTransaction = 1_024

    /// Reads several records, and counts as a use of each.
    ///
    /// Works on the calling thread, as ``record(forKey:)`` does, one query after the other. It suspends once at most,
    /// to remove records that have expired or are damaged. A key that is named twice is read once.
    ///
    /// - Complexity: As ``record(forKey:)``, for each key.
    /// - Throws: The errors of ``record(forKey:)``.
    public func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        let core = core
        for key in keys { try core.checkLength(of: key) }
        // Says if the store has been closed, though there may be nothing to read.
        _ = try core.session()
        let now = core.configuration.clock.now()
        var records: [RecordKey: Record] = [:]
        var missing: Set<RecordKey> = []
        var unusable: [WriteOperation] = []
        for key in keys where records[key] == nil && !missing.contains(key) {
            switch try core.find(key, at: now, isUse: true) {
            case .found(let record):
                records[key] = record
                continue
            case .unusable(let nonce): unusable.append(.removeUnusable(key, damagedFile: nonce))
            case .absent, .opened: break
            }
            missing.insert(key)
        }
        core.counters.hits.wrappingAdd(records.count, ordering: .relaxed)
        core.counters.misses.wrappingAdd(missing.count, ordering: .relaxed)
        if !unusable.isEmpty { try? await core.commit(together: unusable) }
        return records
    }

    /// Writes several records as the most recently used ones, and removes others until the limits are met. Suspends; see ``Configuration/writeMode``.
    ///
    /// Up to some thousand records, and some megabytes, go into one transaction: all or none of them are there after a failure. A record that can never fit removes
    /// the older one of its key, counts as refused, and keeps no other from being written.
    ///
    /// - Complexity: As ``insert(_:forKey:)``, for each record.
    /// - Throws: The errors of ``insert(_:forKey:)``, but for ``StoreError/Code/recordTooLarge``.
    public func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        for key in records.keys { try core.checkLength(of: key) }
        _ = try core.session()
        var refused: [WriteOperation] = []
        var pending: [WriteOperation] = []
        var byteCount = 0
        for (key, record) in records {
            guard RecordHeader.admits(record) else {
                refused.append(.remove(key))
                continue
            }
            // A payload's file goes with its record if that is never written.
            let stored = try core.stored(record, key, core.session())
            guard core.limits.admit(charge: stored.charge) else {
                refused.append(.remove(key))
                continue
            }
            pending.append(.insert(stored))
            byteCount += stored.stagedByteCount
            if pending.count == Self.recordsPerTransaction || byteCount > WriteQueue.maximumBatchByteCount {
                try await core.insert(exchange(&pending, with: []))
                byteCount = 0
            }
        }
        try await core.insert(pending)
        if refused.isEmpty { return }
        try await core.commit(together: refused)
        core.counters.withLock { $0.refusals += refused.count }
    }

    /// Removes several records, up to some thousand in one transaction. Returns when the removal is committed. Suspends. O(log n) for each.
    public func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        for key in keys { try core.checkLength(of: key) }
        var rest = keys[...]
        repeat {
            try await core.commit(together: rest.prefix(Self.recordsPerTransaction).map { .remove($0) })
            rest = rest.dropFirst(Self.recordsPerTransaction)
        } while !rest.isEmpty
    }
}

extension DiskCore {
    /// Writes records that are prepared, in one transaction.
    fileprivate func insert(_ insertions: [WriteOperation]) async throws(StoreError) {
        if insertions.isEmpty { return }
        if configuration.writeMode == .behind {
            guard await queue.stage(.together(insertions), run: { self.drain() }) else { throw .closed(configuration.name) }
        } else {
            try await commit(together: insertions)
        }
        counters.insertions.wrappingAdd(insertions.count, ordering: .relaxed)
    }
}
