// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store that can count and evict the records with one tag.
///
/// Several caches may share a store, each under a tag of its own. The store's limits hold for all of them together; with this, one of them
/// can have a limit of its own. ``MemoryStore`` and `DiskStore` are such stores. `RecordStoreConformance.evictionChecks` (module `HoardTesting`)
/// tries them.
public protocol EvictingRecordStore: RecordStore {
    /// Returns the number of records that have the tag and that a read would find now. Does not count as a use. May suspend.
    ///
    /// - Complexity: O(*k*) for *k* records with the tag; O(*n*) in a ``MemoryStore``.
    func recordCount(taggedWith tag: String) async throws(StoreError) -> Int

    /// Removes the least recently used records that have the tag, until no more than `count` of them are left. Removes no other record.
    ///
    /// Reads, writes and ``noteUses(ofRecordsForKeys:)`` are uses. The records removed count as evicted. May suspend.
    /// - Returns: The number of records removed.
    /// - Complexity: O(*k* log *n*) for *k* records with the tag; O(*n*) in a ``MemoryStore``.
    @discardableResult
    func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int

    /// Notes a use of each record, in this order, as a read would. Keys without a record have no effect. May suspend.
    ///
    /// For caches that answer from memory, so that the store does not first evict the records they use most. A store that writes behind may forget
    /// uses of records that it has not written yet. By default the records are read.
    func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError)

    /// Waits until every write that was accepted before is done or has failed. By default there is nothing to wait for. May suspend.
    func flush() async
}

extension EvictingRecordStore {
    public func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError) {
        for key in keys { _ = try await record(forKey: key) }
    }

    public func flush() async {}
}
