// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct FaultyStoreEvictingTests {
    private let base = MemoryStore()
    private let store: FaultyStore

    init() { store = FaultyStore(base) }

    /// Calls one operation.
    private func call(_ operation: FaultyStore.Operation, of store: FaultyStore) async throws(StoreError) {
        switch operation {
        case .recordCount: _ = try await store.recordCount(taggedWith: "t")
        case .evict: try await store.removeLeastRecentlyUsedRecords(taggedWith: "t", keeping: 0)
        case .noteUses: try await store.noteUses(ofRecordsForKeys: ["a"])
        default: await store.flush()
        }
    }

    private func code(of operation: FaultyStore.Operation, of store: FaultyStore) async -> StoreError.Code? {
        do throws(StoreError) {
            try await call(operation, of: store)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: RecordStoreConformance.evictionChecks)
    func passesEverythingOn(_ check: RecordStoreConformance.Check) async throws {
        try await check.run { FaultyStore(MemoryStore(clock: $0.clock)) }
    }

    @Test(arguments: FaultyStore.Operation.evicting)
    func operationThatIsToldToFailFailsAndNoOther(_ operation: FaultyStore.Operation) async {
        store.fail(operation, with: .full)
        for other in FaultyStore.Operation.evicting {
            #expect(await code(of: other, of: store) == (other == operation && other != .flush ? .full : nil), "\(other)")
            #expect(store.callCount(other) == 1)
        }
        store.fail()
        for other in FaultyStore.Operation.evicting where other != .flush { #expect(await code(of: other, of: store) == .unavailable) }
        store.heal()
        for other in FaultyStore.Operation.evicting { #expect(await code(of: other, of: store) == nil) }
    }

    @Test(arguments: FaultyStore.Operation.evicting)
    func operationThatIsHeldWaits(_ operation: FaultyStore.Operation) async throws {
        let gate = store.hold(operation)
        let task = Task { [store] in try await call(operation, of: store) }
        await gate.arrivals(1)
        gate.open()
        try await task.value
        #expect(store.callCount(operation) == 1)
    }

    @Test func storeThatWrapsOneThatCannotEvictSaysSo() async {
        let around = FaultyStore(NoStore())
        for operation in [FaultyStore.Operation.recordCount, .evict, .noteUses] {
            #expect(await code(of: operation, of: around) == .invalidConfiguration)
        }
        #expect(await code(of: .flush, of: around) == nil)
    }

    /// A store that is no `EvictingRecordStore`.
    private struct NoStore: RecordStore {
        let name = "none"
        func record(forKey key: RecordKey) async throws(StoreError) -> Record? { nil }
        func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {}
        func removeRecord(forKey key: RecordKey) async throws(StoreError) {}
        func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {}
        func removeAll() async throws(StoreError) {}
        func statistics() async throws(StoreError) -> StoreStatistics { StoreStatistics() }
        func close() async {}
    }
}
