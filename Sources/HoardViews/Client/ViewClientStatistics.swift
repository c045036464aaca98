// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The counters of a ``ViewClient``.
public struct ViewClientStatistics: Hashable, Sendable {
    /// Calls of `fetch`, in any form.
    public var fetches = 0
    /// Fetches that found a valid screen, decoded already.
    public var memoryHits = 0
    /// Fetches that found a valid screen as bytes.
    public var cacheHits = 0
    /// Fetches that got the screen of a prefetch.
    public var prefetchedUses = 0
    /// Fetches whose screen the server has sent.
    public var misses = 0
    /// Fetches whose screen the server has confirmed.
    public var renewals = 0
    /// Fetches that got a stale screen because the server was away. They count as one of the above too.
    public var standIns = 0
    /// Fetches that have failed, those that were cancelled not included.
    public var failures = 0
    /// Fetches that were cancelled.
    public var cancellations = 0
    /// Fetches and prefetches that waited for a load that another had started.
    public var joins = 0
    /// Requests given to the caching client. It may have answered some by itself.
    public var requests = 0
    /// Screens that were decoded.
    public var decodings = 0
    /// Results that were not kept, because their screen or partition was removed meanwhile.
    public var fencedResults = 0
    /// Calls of `prefetch`, in any form.
    public var prefetches = 0
    /// Prefetches that a limit has prevented.
    public var skippedPrefetches = 0
    /// Screens that were prefetched and that no fetch has asked for in time.
    public var unusedPrefetches = 0
    /// Loads under way or waiting for their turn, at this moment.
    public var currentLoads = 0
    /// Callers waiting for a load, at this moment.
    public var currentWaiters = 0
    /// Screens kept for fetches that are expected, at this moment.
    public var keptPrefetches = 0
    /// Bytes of screens kept for fetches that are expected, at this moment.
    public var keptPrefetchBytes = 0

    /// Creates counters that are all zero.
    public init() {}
}
