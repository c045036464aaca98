// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting

/// A connection that grants leases at once, and says so when a gate has been opened.
final class LateLeaser: LeasingRecordStore {
    let name = "late"
    let gate = Gate()
    private let base: SharedMemoryStore.Connection

    init(_ base: SharedMemoryStore.Connection) {
        self.base = base
    }

    func lease(forKey key: RecordKey, for duration: Duration) async throws(StoreError) -> RecordLease? {
        let lease = try await base.lease(forKey: key, for: duration)
        await gate.pass()
        return lease
    }

    func renew(_ lease: RecordLease, for duration: Duration) async throws(StoreError) -> Bool { try await base.renew(lease, for: duration) }
    func release(_ lease: RecordLease) async throws(StoreError) { try await base.release(lease) }

    func waitForChange(ofKey key: RecordKey, since position: StorePosition, atMost duration: Duration) async {
        await base.waitForChange(ofKey: key, since: position, atMost: duration)
    }

    var position: StorePosition { base.position }

    func insert(_ record: Record, forKey key: RecordKey, ifUnchangedSince position: StorePosition) async throws(StoreError) -> Bool {
        try await base.insert(record, forKey: key, ifUnchangedSince: position)
    }

    func watch(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch { base.watch(onChange) }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removePartition(_ partition: String) async throws(StoreError) { try await base.removePartition(partition) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
