// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Listings of stores in memory, directly and behind a store that fails.
@Suite(.timeLimit(.minutes(5))) struct MemoryStoreListingTests {
    @Test(arguments: RecordStoreConformance.listingChecks)
    func conforms(to check: RecordStoreConformance.Check) async throws {
        try await check.run { MemoryStore(maximumCount: $0.maximumCount, clock: $0.clock) }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func conformsToTheModel(seed: UInt64) async throws {
        for check in RecordStoreConformance.listingChecks(seed: seed) where check.name.hasPrefix("random") {
            try await check.run { MemoryStore(clock: $0.clock) }
        }
    }

    @Test(arguments: RecordStoreConformance.listingChecks)
    func faultyStorePassesEverythingOn(_ check: RecordStoreConformance.Check) async throws {
        try await check.run { FaultyStore(MemoryStore(maximumCount: $0.maximumCount, clock: $0.clock)) }
    }

    @Test func faultyStoreFailsAsItIsTold() async throws {
        let store = FaultyStore(MemoryStore())
        store.fail(.recordPage, with: .full)
        await #expect(throws: StoreError.self) { try await store.recordPage(after: nil, limit: 1) }
        #expect(try await store.peekRecord(forKey: "a") == nil)
        store.fail()
        await #expect(throws: StoreError.self) { try await store.peekRecord(forKey: "a") }
        #expect(store.callCount(.recordPage) == 1 && store.callCount(.peekRecord) == 2)
    }

    @Test func faultyStoreAroundOneThatCannotListSaysSo() async {
        struct Plain: RecordStore {
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
        do throws(StoreError) {
            _ = try await FaultyStore(Plain()).recordPage(after: nil, limit: 1)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .invalidConfiguration)
        }
        for check in RecordStoreConformance.listingChecks {
            await #expect(throws: RecordStoreConformanceFailure.self) { try await check.run { _ in Plain() } }
        }
    }

    /// A removal by a caller counts once, whichever operation removes the record. Nothing else counts.
    @Test func removalsAreCounted() async throws {
        let time = ManualTicker()
        let store = MemoryStore(maximumCount: 4, clock: time)
        for number in 0..<6 {
            let record = Record(
                payload: Data(),
                created: time.now(),
                freshUntil: number == 5 ? time.now() + 5 : nil,
                tags: number == 4 ? ["tag"] : []
            )
            try await store.insert(record, forKey: RecordKey("\(number)"))
        }
        try await store.insert(Record(payload: Data(), created: time.now()), forKey: "2")
        #expect(try await store.statistics().removals == 0, "two evictions and a replacement")
        try await store.removeRecord(forKey: "3")
        try await store.removeRecord(forKey: "absent")
        #expect(try await store.statistics().removals == 1)
        try await store.removeRecords(taggedWith: "tag")
        #expect(try await store.record(forKey: "4") == nil)
        #expect(try await store.statistics().removals == 2)
        time.advance(by: .seconds(5))
        #expect(try await store.record(forKey: "5") == nil)
        try await store.removeAll()
        #expect(try await store.statistics().removals == 3)
        #expect(try await store.statistics().expirations == 1)
        #expect(try await store.statistics().evictions == 2)
    }
}
