// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// Operations on several records.
extension DefectiveStore {
    func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        var keys = keys
        switch defect {
        case .readOfManyStopsAtAMiss:
            var records: [RecordKey: Record] = [:]
            for key in keys {
                guard let record = try await record(forKey: key) else { break }
                records[key] = record
            }
            return records
        case .readOfManyLosesTheLast: keys = keys.dropLast()
        case .readOfManyCountsDuplicates:
            for key in keys where key == "a" { _ = try await record(forKey: key) }
        default: break
        }
        var records: [RecordKey: Record] = [:]
        for key in keys where records[key] == nil {
            if let record = try await record(forKey: key) { records[key] = record }
        }
        return records
    }

    func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        switch defect {
        case .writeOfManyThrowsAtARefusal:
            for (key, record) in records { try await insert(record, forKey: key) }
        case .writeOfManyKeepsOldAtRefusal: try await base.insert(records.filter { $0.value.payload.count < 100_000 })
        case .writeOfManyKeepsOld:
            var new: [RecordKey: Record] = [:]
            for (key, record) in records where try await base.record(forKey: key) == nil { new[key] = record }
            try await base.insert(new)
        case .writeOfManyTruncatesKeys:
            for (key, record) in records { try await base.insert(record, forKey: RecordKey(bytes: key.bytes.prefix(RecordKey.maximumByteCount))) }
        default:
            for (key, record) in records {
                do throws(StoreError) {
                    try await insert(record, forKey: key)
                } catch {
                    guard error.code == .recordTooLarge else { throw error }
                }
            }
        }
    }

    func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        switch defect {
        case .removalOfManyStopsAtAMiss:
            for key in keys {
                guard try await base.record(forKey: key) != nil else { return }
                try await base.removeRecord(forKey: key)
            }
        case .removalOfNoneRemovesAll where keys.isEmpty: try await base.removeAll()
        default:
            for key in keys { try await removeRecord(forKey: key) }
        }
    }
}
