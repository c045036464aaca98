// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The counters of a ``Cache`` since it was created. Each property's description is its counting rule.
public struct CacheStatistics: Sendable, Hashable, Codable {
    /// Reads by ``Cache/value(forKey:)``, the subscript or ``Cache/value(forKey:load:)`` that found a usable value.
    /// `peek` and `contains` count nothing.
    public var hits = 0
    /// The same reads, if they found no usable value. Ten callers that wait for one load are ten misses.
    public var misses = 0
    /// The same reads, if they found a negative entry. They count neither as a hit nor as a miss.
    public var negativeHits = 0
    /// Loads that returned a value or said that there is none. Ten callers that wait for one load are one load; a bulk load is one load for each key.
    public var loads = 0
    /// Loads that were started in the background because a value had reached ``Cache/Configuration/refreshAfterWrite``. They count among the loads too.
    public var refreshes = 0
    /// Loads that threw, cancelled ones among them.
    public var loadFailures = 0
    /// Loads whose value was returned to their callers but not kept, because the key was written or removed meanwhile.
    public var fencedLoads = 0
    /// Values that the user or a load wrote, and that were kept.
    public var insertions = 0
    /// Values written that were not kept: heavier than the whole limit, or expired from the start.
    public var refusals = 0
    /// Entries removed to make room. Removal by the user, replacement and expiration do not count.
    public var evictions = 0
    /// Entries removed because they had expired. Counted when the removal happens, which may be later.
    public var expirations = 0
    /// Entries removed because a caller asked for it: by their key, by a tag or with all others.
    public var removals = 0
    /// Entries whose value was replaced by a newer one, which was kept or refused.
    public var replacements = 0

    /// Creates counters that are all zero.
    @inlinable public init() {}

    /// The share of the reads that the cache answered, including negative hits: from 0 to 1; 0 before the first read.
    public var hitRatio: Double {
        let reads = hits + negativeHits + misses
        return reads == 0 ? 0 : Double(hits + negativeHits) / Double(reads)
    }

    /// Adds another part's counters to these.
    mutating func add(_ other: CacheStatistics) {
        hits += other.hits
        negativeHits += other.negativeHits
        misses += other.misses
        loads += other.loads
        loadFailures += other.loadFailures
        fencedLoads += other.fencedLoads
        refreshes += other.refreshes
        insertions += other.insertions
        refusals += other.refusals
        evictions += other.evictions
        expirations += other.expirations
        removals += other.removals
        replacements += other.replacements
    }
}
