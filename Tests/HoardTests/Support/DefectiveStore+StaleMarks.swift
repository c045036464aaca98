// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// Stale marks.
extension DefectiveStore {
    /// Ends the freshness of records, even if they were written after the mark.
    func applyMarks(to record: inout Record) {
        for mark in marks.value where record.tags.contains(mark.tag) { _ = record.endFreshness(at: mark.date) }
    }

    func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        switch defect {
        case .marksNoRecord: return
        case .markRemovesTheRecord: return try await base.removeRecord(forKey: key)
        case .markMakesARecord where try await base.record(forKey: key) == nil:
            return try await base.insert(Record(payload: Data(), created: date), forKey: key)
        default: break
        }
        guard var record = try await base.record(forKey: key) else { return }
        let retained = record.staleUntil
        _ = record.endFreshness(at: date)
        switch defect {
        case .markExtendsFreshness: record.freshUntil = date
        case .markEndsRetention: record.staleUntil = date
        case .markExtendsRetention: record.staleUntil = retained.map { max($0, date.addingTimeInterval(1_000)) }
        case .markLosesTheValidator: record.validator = nil
        case .markIsAtTheClock where record.freshUntil == date: record.freshUntil = clock.now()
        default: break
        }
        try await base.insert(record, forKey: key)
    }

    func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        switch defect {
        case .marksNoTags: break
        case .marksOneTagOfSeveral: try await base.markRecordsStale(taggedWith: Set(tags.min().map { [$0] } ?? []), at: date)
        case .markByTagMarksAll: try await base.markAllRecordsStale(at: date)
        case .markByTagRemovesAll: try await base.removeAll()
        case .marksConcernLaterRecords: marks.update { $0 += tags.map { ($0, date) } }
        default: try await base.markRecordsStale(taggedWith: tags, at: date)
        }
    }

    func markAllRecordsStale(at date: Date) async throws(StoreError) {
        switch defect {
        case .marksNotEverything: break
        case .marksOnlyTheTagged: try await base.markRecordsStale(taggedWith: ["tag", "marked"], at: date)
        default: try await base.markAllRecordsStale(at: date)
        }
    }
}
