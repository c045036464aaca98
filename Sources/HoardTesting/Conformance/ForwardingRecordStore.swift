// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A store that forwards to another one all calls that it does not implement itself.
package protocol ForwardingRecordStore: RecordStore {
    /// The other one.
    var underlyingStore: any RecordStore { get }
}

extension ForwardingRecordStore {
    package var name: String { underlyingStore.name }

    package func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await underlyingStore.record(forKey: key) }
    package func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await underlyingStore.insert(record, forKey: key) }
    package func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await underlyingStore.removeRecord(forKey: key) }
    package func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        try await underlyingStore.records(forKeys: keys)
    }
    package func insert(_ records: [RecordKey: Record]) async throws(StoreError) { try await underlyingStore.insert(records) }
    package func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) { try await underlyingStore.removeRecords(forKeys: keys) }
    package func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await underlyingStore.removeRecords(taggedWith: tags) }
    package func removePartition(_ partition: String) async throws(StoreError) {
        try await underlyingStore.removePartition(partition)
    }
    package func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        try await underlyingStore.markRecordStale(forKey: key, at: date)
    }
    package func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try await underlyingStore.markRecordsStale(taggedWith: tags, at: date)
    }
    package func markAllRecordsStale(at date: Date) async throws(StoreError) { try await underlyingStore.markAllRecordsStale(at: date) }
    package func removeAll() async throws(StoreError) { try await underlyingStore.removeAll() }
    package func statistics() async throws(StoreError) -> StoreStatistics { try await underlyingStore.statistics() }
    package func invalidations() -> AsyncStream<StoreInvalidation>? { underlyingStore.invalidations() }
    package func close() async { await underlyingStore.close() }
}
