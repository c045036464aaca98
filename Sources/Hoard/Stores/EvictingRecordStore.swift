// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store that can count and evict the records with a tag by themselves.
///
/// Several caches may share a store, each under a tag of its own. The store's limits hold for all of them together; with this, one of them
/// can have a limit of its own. ``MemoryStore`` and `DiskStore` are such stores. `RecordStoreConformance.evictionChecks` (module `HoardTesting`)
/// tries them.
public protocol EvictingRecordStore: RecordStore {
    /// The number of records that have the tag and that a read would find now. No use of any. May suspend.
    ///
    /// - Complexity: O(*k*) for *k* records with the tag; O(*n*) in a ``MemoryStore``.
    func recordCount(taggedWith tag: String) async throws(StoreError) -> Int

    /// Removes the least recently used records that have the tag, until no more than `count` of them are left. Nothing else is removed.
    ///
    /// Reads, writes and ``noteUses(ofRecordsForKeys:)`` are uses. The records removed count as evicted. May suspend.
    /// - Returns: The number of records removed.
    /// - Complexity: O(*k* log *n*) for *k* records with the tag; O(*n*) in a ``MemoryStore``.
    @discardableResult
    func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int

    /// Counts as a use of each record, in this order, as reading it would. Keys without a record do nothing. May suspend.
    ///
    /// For caches that answer from memory, so that what they use most is not what the store evicts first. A store that writes
    /// behind may forget uses of records that it has not written yet. By default the records are read.
    func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError)

    /// Waits until everything that was accepted before is written or has failed. By default there is nothing to wait for. May suspend.
    func flush() async
}

extension EvictingRecordStore {
    public func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError) {
        for key in keys { _ = try await record(forKey: key) }
    }

    public func flush() async {}
}
