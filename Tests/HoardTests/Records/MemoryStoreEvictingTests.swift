// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Limits for the records with a tag.
@Suite(.timeLimit(.minutes(5))) struct MemoryStoreEvictingTests {
    @Test(arguments: RecordStoreConformance.evictionChecks)
    func conforms(to check: RecordStoreConformance.Check) async throws {
        try await check.run { MemoryStore(clock: $0.clock) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func conformsToTheModel(seed: UInt64) async throws {
        for check in RecordStoreConformance.evictionChecks(seed: seed) where check.name.hasPrefix("random") {
            try await check.run { MemoryStore(clock: $0.clock) }
        }
    }

    @Test func evictedRecordsAreDischarged() async throws {
        let time = ManualTicker()
        let store = MemoryStore(clock: time)
        for number in 0..<5 {
            let record = Record(payload: Data(repeating: 1, count: 100), created: time.now(), staleUntil: .forever, tags: ["tag"])
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        let before = try await store.statistics().bytes
        #expect(try await store.removeLeastRecentlyUsedRecords(taggedWith: "tag", keeping: 2) == 3)
        let statistics = try await store.statistics()
        #expect(statistics.bytes == before / 5 * 2)
        #expect(statistics.count == 2)
        #expect(statistics.evictions == 3)
        #expect(statistics.hits == 0)
    }

    @Test func noteOfAKeyThatIsTooLongIsAnError() async throws {
        let key = RecordKey(String(repeating: "x", count: RecordKey.maximumByteCount + 1))
        await #expect(throws: StoreError.self) { try await MemoryStore().noteUses(ofRecordsForKeys: ["a", key]) }
    }

    @Test func engineListsKeysInTheOrderOfTheirUses() {
        var engine = LRUEngine<Int, Int>(maximumCount: nil, maximumWeight: nil)
        for key in 1...5 { _ = engine.insert(.init(value: key * 10, weight: key == 3 ? 0 : 1, deadline: .max), forKey: key) }
        _ = engine.value(forKey: 2, now: 0)
        #expect(engine.leastRecentlyUsedKeys { _ in true } == [1, 4, 5, 2])
        #expect(engine.leastRecentlyUsedKeys { $0 > 10 && $0 < 50 } == [4, 2])
        #expect(LRUEngine<Int, Int>(maximumCount: nil, maximumWeight: nil).leastRecentlyUsedKeys { _ in true }.isEmpty)
    }

    /// A store that has only the operations that the protocol requires.
    private final class PlainStore: EvictingRecordStore {
        let base: MemoryStore
        init(_ clock: any WallClock) { base = MemoryStore(clock: clock) }

        var name: String { base.name }
        func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
        func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
        func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
        func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
        func removePartition(_ partition: String) async throws(StoreError) { try await base.removePartition(partition) }
        func removeAll() async throws(StoreError) { try await base.removeAll() }
        func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
        func close() async { await base.close() }
        func recordCount(taggedWith tag: String) async throws(StoreError) -> Int { try await base.recordCount(taggedWith: tag) }
        func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int {
            try await base.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count)
        }
    }

    @Test(arguments: RecordStoreConformance.evictionChecks)
    func storeThatReadsToNoteAUsePasses(_ check: RecordStoreConformance.Check) async throws {
        try await check.run { PlainStore($0.clock) }
    }
}
