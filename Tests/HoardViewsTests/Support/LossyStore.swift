// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard

/// A store that has lost each record that holds the last piece of a long response.
struct LossyStore: RecordStore {
    let base: MemoryStore
    var name: String { "lossy" }

    init(_ base: MemoryStore) {
        self.base = base
    }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        key.description.hasSuffix("/2") ? nil : try await base.record(forKey: key)
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
