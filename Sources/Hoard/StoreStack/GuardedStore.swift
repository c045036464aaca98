// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One store as a ``TieredCache`` uses it, for caches with an order of their own above it.
///
/// Nothing here throws, and nothing waits longer than the deadline of ``StoreStack/Configuration``. A store that fails too often is left alone for a while.
/// Removals and writes that it has missed are remembered, the records that they concern are not read, and they are made
/// good when it works again.
package final class GuardedStore: Sendable {
    private let store: any EvictingRecordStore
    private let tier: StoreTier

    /// - Parameters:
    ///   - onEvent: Receives events worth logging. Called outside all locks.
    ///   - onRefusal: Called when a record was refused because it alone is larger than the store's limit.
    package init(
        _ store: any EvictingRecordStore,
        configuration: StoreStack.Configuration,
        ticker: any Ticker,
        onEvent: @escaping @Sendable (TieredCacheEvent) -> Void,
        onRefusal: @escaping @Sendable () -> Void
    ) {
        self.store = store
        tier = StoreTier(store: store, configuration: configuration, ticker: ticker, observer: RefusalObserver(onRefusal: onRefusal), report: onEvent)
    }

    /// How the store is doing.
    package var health: StoreHealth { tier.health }

    /// Reads a record. `nil`: there is none, or the store did not answer.
    package func record(forKey key: RecordKey) async -> Record? {
        if case .record(let record) = await tier.record(forKey: key) { record } else { nil }
    }

    /// Whether the store may have a record under a key: unless it has answered that it has none.
    package func mayHaveRecord(forKey key: RecordKey) async -> Bool {
        if case .nothing = await tier.record(forKey: key) { false } else { true }
    }

    /// Writes a record. If the store fails to, it is not read under this key until its record there is removed.
    package func insert(_ record: Record, forKey key: RecordKey) async {
        await tier.insert([.init(key: key, record: record) { .wanted }])
    }

    package func removeRecord(forKey key: RecordKey) async {
        await tier.remove([.init(key: key) { .wanted }])
    }

    package func removeRecords(taggedWith tag: String) async {
        await tier.removeRecords(taggedWith: [tag]) {}
    }

    package func removePartition(_ partition: String) async {
        await tier.removePartition(partition) {}
    }
}

/// Calls that are made only of a store that is sound. Nothing depends on whether they are made.
extension GuardedStore {
    /// The number of records with a tag; `nil` if the store did not answer.
    package func recordCount(taggedWith tag: String) async -> Int? {
        await ask(.read) { store async throws(StoreError) in try await store.recordCount(taggedWith: tag) }
    }

    /// Evicts records with a tag, as ``EvictingRecordStore/removeLeastRecentlyUsedRecords(taggedWith:keeping:)`` does; `nil` if the store did not answer.
    @discardableResult
    package func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async -> Int? {
        await ask(.remove) { store async throws(StoreError) in
            try await store.removeLeastRecentlyUsedRecords(taggedWith: tag, keeping: count)
        }
    }

    package func noteUses(ofRecordsForKeys keys: [RecordKey]) async {
        await ask(.read) { store async throws(StoreError) in try await store.noteUses(ofRecordsForKeys: keys) }
    }

    package func flush() async {
        await ask(.write) { store async throws(StoreError) in await store.flush() }
    }

    @discardableResult
    private func ask<Success: Sendable>(
        _ operation: CacheStoreCall.Operation,
        _ body: @escaping @Sendable (any EvictingRecordStore) async throws(StoreError) -> Success
    ) async -> Success? {
        let health = tier.health
        // One that still owes an answer would let this wait as well.
        guard health.circuit == .closed, health.overdueCalls == 0 else { return nil }
        let call = CacheStoreCall(store: store.name, operation: operation)
        let answer = await tier.performInTime(call) { [store] () async throws(StoreError) in try await body(store) }
        if case .success(let success) = answer { return success }
        return nil
    }
}

/// Hears of refusals, which are no failures.
private struct RefusalObserver: CacheObserver {
    let onRefusal: @Sendable () -> Void

    func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {
        if error?.code == .recordTooLarge { onRefusal() }
    }
}
