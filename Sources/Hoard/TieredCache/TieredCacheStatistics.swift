// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The counters of a ``TieredCache`` since it was created. Each property's description is its counting rule. A bulk call counts once for each key.
public struct TieredCacheStatistics: Sendable, Hashable, Codable {
    /// Requests answered from memory with a fresh value.
    public var memoryHits = 0
    /// Requests answered by a store with a fresh value. Callers that wait for one read are one hit each.
    public var storeHits = 0
    /// Requests answered with a stale value, for whatever reason.
    public var staleHits = 0
    /// Requests answered by a negative entry, which knows that there is no value.
    public var negativeHits = 0
    /// Requests that found nothing usable. A request that waits for a load is a miss, unless it gets a stale value after all.
    public var misses = 0
    /// Loads that returned a value, said that the stale one is still right, or said that there is none. Callers that wait for one load are one load.
    public var loads = 0
    /// Loads that said that the stale value is still right. They count among the loads too.
    public var unmodifiedLoads = 0
    /// Loads that threw.
    public var loadFailures = 0
    /// Loads started in the background for a value that was still usable. They count among the loads or their failures too.
    public var backgroundLoads = 0
    /// Requests that a timeout kept from waiting for the end of a load.
    public var loadTimeouts = 0
    /// Loaded or promoted values that were not kept: their key was written or removed meanwhile, or one of their tags was invalidated.
    public var fencedPublications = 0
    /// Loaded or promoted values that a shared store refused, because another process has changed their key or one of their tags, or may have.
    public var refusedPublications = 0
    /// Loads saved because another process held the lease and brought the value. See ``CachePolicy/loadLease``.
    public var loadsByOthers = 0
    /// Operations that a store failed to do, or did not do in time.
    public var storeFailures = 0
    /// Records that could not be decoded.
    public var rejectedRecords = 0

    /// Entries found in memory whose requests are counted here, not by memory.
    var closerLooks = 0

    /// Creates counters that are all zero.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case memoryHits, storeHits, staleHits, negativeHits, misses, loads, unmodifiedLoads, loadFailures, backgroundLoads, loadTimeouts
        case fencedPublications, refusedPublications, loadsByOthers, storeFailures, rejectedRecords
    }
}
