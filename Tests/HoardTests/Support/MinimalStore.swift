// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting

/// A store that implements only the required operations, and has the protocol's implementations of everything else.
final class MinimalStore: RecordStore {
    private let base: MemoryStore

    init(configuration: RecordStoreConformance.Configuration) {
        base = MemoryStore(maximumCount: configuration.maximumCount, maximumBytes: configuration.maximumBytes, clock: configuration.clock)
    }

    var name: String { "minimal" }
    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
