// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// The cache's use of memory and stores, and counters of the entries that left them. All of it is cheap to read.
extension HTTPCache {
    /// The bytes that the entries in memory are charged: contents, fields and a fixed part for each entry. O(1).
    public var memoryByteCount: Int { entries.memoryWeight }

    /// The limit on ``memoryByteCount``.
    public var maximumMemoryBytes: Int { memoryBytes }

    /// Changes ``maximumMemoryBytes`` while the cache is in use.
    ///
    /// More room loses nothing; for less room the responses leave that would have left next. The limit on the length of
    /// a single response, which was derived from ``Configuration/maximumMemoryBytes`` when the cache was created,
    /// stays.
    ///
    /// - Parameter bytes: The new limit. Negative values count as 0.
    /// - Complexity: O(*k*) for *k* responses that leave.
    public func setMaximumMemoryBytes(_ bytes: Int) {
        setMemoryBytes(max(0, bytes))
    }

    /// Changes the limit of the nearest store that has one to change. Suspends until it holds.
    ///
    /// - Returns: Whether there is such a store.
    package func setMaximumStoreBytes(_ bytes: Int) async throws(StoreError) -> Bool {
        guard let store = entries.resizableStore else { return false }
        try await store.setMaximumBytes(bytes)
        return true
    }

    /// The number of entries in memory. Includes expired entries whose room has not been freed yet. A response that varies has one more. O(1).
    public var memoryEntryCount: Int { entries.memoryCount }

    /// The counters of memory: why entries have left it, among other things.
    public var memoryStatistics: CacheStatistics { entries.memoryStatistics }

    /// The contents and the counters of each store, nearest first; `nil` for one that does not answer. Suspends. O(1) in Hoard's stores.
    public func storeStatistics() async -> [StoreStatistics?] {
        await entries.storeStatistics()
    }

    /// The health of the stores, nearest first.
    public var storeHealth: [StoreHealth] { entries.storeHealth }

    /// Whether other processes change each store too, nearest first (`SharedRecordStore`).
    package var sharedStores: [Bool] { entries.sharedStores }
}
