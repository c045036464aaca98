// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard

/// Reads single records by callback, and as a cache does, in the other way where that says so.
struct CallbackReader: RecordStore {
    let base: any CallbackRecordStore

    var name: String { base.name }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        let reading = await withCheckedContinuation { continuation in base.beginReading(key) { continuation.resume(returning: $0) } }
        return switch try reading.result() {
        case .record(let record): record
        case .absent: nil
        case .unavailable: try await base.record(forKey: key)
        }
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] { try await base.records(forKeys: keys) }
    func insert(_ records: [RecordKey: Record]) async throws(StoreError) { try await base.insert(records) }
    func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) { try await base.removeRecords(forKeys: keys) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeRecords(inPartition partition: String) async throws(StoreError) { try await base.removeRecords(inPartition: partition) }
    func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) { try await base.markRecordStale(forKey: key, at: date) }
    func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try await base.markRecordsStale(taggedWith: tags, at: date)
    }
    func markAllRecordsStale(at date: Date) async throws(StoreError) { try await base.markAllRecordsStale(at: date) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func invalidations() -> AsyncStream<StoreInvalidation>? { base.invalidations() }
    func close() async { await base.close() }
}
