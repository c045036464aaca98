// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

/// The checks of eviction find the defects that they are meant to find: each of these stores breaks one rule.
@Suite(.timeLimit(.minutes(5))) struct RecordStoreEvictionConformanceTests {
    enum Defect: CaseIterable {
        case countsEverything, countsOneTooFew, countingIsAUse, evictsOthers, evictsTheMostRecentlyUsed, evictsOneTooMany, evictsNothing
        case countsVictimsWrong, refusesNegativeCounts, ignoresNotedUses, notesUsesBackwards, notingMakesARecord, staysOpen
    }

    /// A correct store with a defect around it.
    private final class DefectiveStore: EvictingRecordStore {
        let defect: Defect
        let base: MemoryStore
        let clock: any WallClock

        init(_ defect: Defect, _ clock: any WallClock) {
            self.defect = defect
            self.clock = clock
            base = MemoryStore(clock: clock)
        }

        var name: String { base.name }
        func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }

        func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
            var record = record
            if defect == .evictsOthers { record.tags.insert("all") }
            try await base.insert(record, forKey: key)
        }

        func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
        func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
        func removePartition(_ partition: String) async throws(StoreError) { try await base.removePartition(partition) }
        func removeAll() async throws(StoreError) { try await base.removeAll() }
        func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
        func close() async { if defect != .staysOpen { await base.close() } }

        func recordCount(taggedWith tag: String) async throws(StoreError) -> Int {
            let count = try await base.recordCount(taggedWith: tag)
            switch defect {
            case .countsEverything: return try await base.statistics().count
            case .countsOneTooFew: return max(0, count - 1)
            case .countingIsAUse: try await base.noteUses(ofRecordsForKeys: ["b", "1", "2", "3"])
            default: break
            }
            return count
        }

        func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int {
            switch defect {
            case .evictsOthers:
                let excess = try await base.recordCount(taggedWith: tag) - max(0, count)
                let all = try await base.recordCount(taggedWith: "all")
                return excess > 0 ? try await base.removeLeastRecentlyUsedRecords(taggedWith: "all", keeping: all - excess) : 0
            case .evictsTheMostRecentlyUsed:
                // The record that was used last becomes the one that was used first.
                for key in ["a", "b", "c"].map({ RecordKey($0) }) + (0..<16).map({ RecordKey("\($0)") }) {
                    try await base.noteUses(ofRecordsForKeys: [key])
                }
            case .evictsOneTooMany: return try await base.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count - 1)
            case .evictsNothing: return 0
            case .countsVictimsWrong: return try await base.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count) + 1
            case .refusesNegativeCounts: if count < 0 { return 0 }
            default: break
            }
            return try await base.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count)
        }

        func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError) {
            switch defect {
            case .ignoresNotedUses: _ = try await base.statistics()
            case .notesUsesBackwards: try await base.noteUses(ofRecordsForKeys: keys.reversed())
            case .notingMakesARecord:
                for key in keys where try await base.record(forKey: key) == nil {
                    try await base.insert(Record(payload: Data(), created: clock.now(), staleUntil: .forever), forKey: key)
                }
            default: try await base.noteUses(ofRecordsForKeys: keys)
            }
        }
    }

    private func failures(seed: UInt64, _ make: @escaping @Sendable (any WallClock) -> any RecordStore) async -> [RecordStoreConformanceFailure] {
        var failures: [RecordStoreConformanceFailure] = []
        for check in RecordStoreConformance.evictionChecks(seed: seed) {
            do {
                try await check.run { make($0.clock) }
            } catch {
                if let failure = error as? RecordStoreConformanceFailure { failures.append(failure) }
            }
        }
        return failures
    }

    @Test(arguments: Defect.allCases)
    func defectIsNoticed(_ defect: Defect) async {
        let failures = await failures(seed: 1) { DefectiveStore(defect, $0) }
        #expect(!failures.isEmpty, "\(defect) went unnoticed")
        #expect(failures.allSatisfy { $0.message.hasSuffix(".") })
    }

    @Test(arguments: [Defect.countsOneTooFew, .evictsOthers, .evictsOneTooMany, .evictsNothing, .ignoresNotedUses])
    func modelNoticesTooAndStatesItsSeed(_ defect: Defect) async {
        var noticed: [UInt64] = []
        for seed in 0..<20 as Range<UInt64> {
            let failures = await failures(seed: seed) { DefectiveStore(defect, $0) }
            if failures.contains(where: { $0.check.hasPrefix("random") && $0.message.contains("seed \(seed),") }) { noticed.append(seed) }
        }
        #expect(noticed.count > 10, "only with \(noticed)")
    }

    @Test func storeThatCannotEvictFailsEveryCheck() async {
        struct Wrapped: RecordStore {
            let base = MemoryStore()
            var name: String { base.name }
            func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
            func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
            func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
            func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
            func removeAll() async throws(StoreError) { try await base.removeAll() }
            func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
            func close() async { await base.close() }
        }
        #expect(await failures(seed: 1) { _ in Wrapped() }.count == RecordStoreConformance.evictionChecks.count)
    }
}
