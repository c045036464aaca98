// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Counters of a ``TieredCache`` since it was created. Each property's description is its counting rule.
public struct TieredCacheStatistics: Sendable, Hashable, Codable {
    /// Lookups answered from memory with a fresh value.
    public var memoryHits = 0
    /// Lookups answered by a store with a fresh value. Callers that wait for one read are one hit each.
    public var storeHits = 0
    /// Lookups that found only a stale value.
    public var staleHits = 0
    /// Lookups that found nothing; a lookup with a loader that ends up loading is a miss.
    public var misses = 0
    /// Loads that returned a value. Callers that wait for one load are one load.
    public var loads = 0
    /// Loads that threw.
    public var loadFailures = 0
    /// Loaded or promoted values that were not kept, because their key was written or removed meanwhile.
    public var fencedPublications = 0
    /// Operations that a store failed to do.
    public var storeFailures = 0
    /// Records that could not be decoded.
    public var rejectedRecords = 0

    public init() {}
}
