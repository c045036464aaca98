// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// What the cache takes up, and what has left it. All of it is cheap to read.
extension HTTPCache {
    /// The bytes that memory is charged for what it holds: contents, fields and a fixed part for each entry. O(1).
    public var memoryByteCount: Int { entries.memoryWeight }

    /// The limit on ``memoryByteCount``.
    public var maximumMemoryByteCount: Int { memoryBytes }

    /// The entries in memory, those among them whose time is up but whose room has not been given back. A response that varies has one more. O(1).
    public var memoryEntryCount: Int { entries.memoryCount }

    /// The counters of memory: why entries have left it, among other things.
    public var memoryStatistics: CacheStatistics { entries.memoryStatistics }

    /// What each store holds and has done, nearest first; `nil` for one that does not answer. Suspends. O(1) in Hoard's stores.
    public func storeStatistics() async -> [StoreStatistics?] {
        await entries.storeStatistics()
    }

    /// How the stores are doing, nearest first.
    public var storeHealth: [StoreHealth] { entries.storeHealth }

    /// Which of the stores, nearest first, other processes change too (`SharedRecordStore`).
    package var sharedStores: [Bool] { entries.sharedStores }
}
