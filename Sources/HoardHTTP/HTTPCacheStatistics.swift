// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The counters of an ``HTTPCache`` since it was created. Each property's description is its counting rule.
///
/// Each request that gets an answer, or fails, counts in exactly one of ``hits``, ``staleHits``, ``validatedHits``, ``collapsedHits``, ``misses``,
/// ``generated``, ``failures`` and ``abandoned``; in none if its URI is none of HTTP's.
public struct HTTPCacheStatistics: Sendable, Hashable, Codable {
    /// Requests answered with a fresh stored response, without asking the origin.
    public var hits = 0
    /// Requests answered with a stale stored response, whatever rule allowed it.
    public var staleHits = 0
    /// Requests answered with a stored response that the origin has confirmed for them.
    public var validatedHits = 0
    /// Requests answered with a response that another request was fetching.
    public var collapsedHits = 0
    /// Requests answered with a response that the origin sent for them, whatever the reason for asking it.
    public var misses = 0
    /// Requests answered with a response that the cache made up, such as the 504 for `only-if-cached`.
    public var generated = 0
    /// Requests without any answer.
    public var failures = 0
    /// Requests whose tasks were cancelled before there was an answer, for example because the client left.
    public var abandoned = 0

    /// Requests sent to the origin: for clients, again after an answer of no use, and for background revalidations.
    public var originRequests = 0
    /// Background revalidations that were started. They count in none of the outcomes above.
    public var refreshes = 0
    /// Responses that were stored, new or updated, whole or in part. A response counts again each time.
    public var storedResponses = 0
    /// Bytes of content received from the origin for responses that were to be stored.
    public var storableBytes = 0

    /// Creates counters that are all zero.
    public init() {}
}

extension HTTPCache {
    /// The outcome of a request, as ``HTTPCacheStatistics`` counts it.
    enum Outcome: Sendable {
        case hits, staleHits, validatedHits, collapsedHits, misses, generated, failures, abandoned
    }
}

extension HTTPCacheStatistics {
    mutating func count(_ outcome: HTTPCache.Outcome) {
        switch outcome {
        case .hits: hits += 1
        case .staleHits: staleHits += 1
        case .validatedHits: validatedHits += 1
        case .collapsedHits: collapsedHits += 1
        case .misses: misses += 1
        case .generated: generated += 1
        case .failures: failures += 1
        case .abandoned: abandoned += 1
        }
    }
}
