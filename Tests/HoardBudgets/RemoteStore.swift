// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

/// A store in memory that the cache asks like a store across a network, and that answers at once.
struct RemoteStore: CallbackRecordStore {
    let name = "remote"
    let callsBack = true
    private let base = MemoryStore()

    func beginReading(_ key: RecordKey, answered: @escaping @Sendable (CallbackReading) -> Void) {
        answered(CallbackReading { () throws(StoreError) in try base.immediateRecord(forKey: key) })
    }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
