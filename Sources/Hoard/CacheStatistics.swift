// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Counters of a ``Cache`` since it was created. Each property's description is its counting rule.
public struct CacheStatistics: Sendable, Hashable, Codable {
    /// Reads by ``Cache/value(forKey:)``, the subscript or ``Cache/value(forKey:load:)`` that found a usable value.
    /// `peek` and `contains` count nothing.
    public var hits = 0
    /// The same reads that found none. Ten callers that wait for one load are ten misses.
    public var misses = 0
    /// Loads that returned a value. Ten callers that wait for one load are one load.
    public var loads = 0
    /// Loads that threw, cancelled ones among them.
    public var loadFailures = 0
    /// Loads whose value was returned to their callers but not kept, because the key was written or removed meanwhile.
    public var fencedLoads = 0
    /// Values written that were kept, by the user or by a load.
    public var insertions = 0
    /// Values written that were not kept: heavier than the whole limit, or expired from the start.
    public var refusals = 0
    /// Entries removed to make room. Removal by the user, replacement and expiration do not count.
    public var evictions = 0
    /// Entries removed because their time was up. Counted when the removal happens, which may be later.
    public var expirations = 0

    public init() {}

    /// Hits per read, from 0 to 1; 0 before the first read.
    public var hitRatio: Double {
        let reads = hits + misses
        return reads == 0 ? 0 : Double(hits) / Double(reads)
    }
}
