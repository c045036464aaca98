// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The most frequent of many URLs, counted with few counters.
///
/// Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, ICDT 2005. A new URL takes the counter with
/// the least count and inherits that count as its possible error, so that an element that makes up more than one
/// request in ``capacity`` is among the counters.
struct SpaceSaving: Sendable {
    struct Counter: Sendable {
        var uri: String
        /// Never too low.
        var requests: Int
        /// How much of ``requests`` may be those of URLs that had the counter before.
        var error: Int
        /// Bytes of content sent since the URL has the counter.
        var bytes: Int

        /// Requests that were counted for certain.
        var certainRequests: Int { requests - error }
    }

    let capacity: Int
    /// Of the URLs, in the order of ``counters``.
    private(set) var hashes: [UInt64] = []
    private(set) var counters: [Counter] = []

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Counts requests for a URL. O(``capacity``).
    ///
    /// - Parameter uri: Writes the URL; called only if it has no counter yet.
    mutating func add(_ hash: UInt64, requests: Int, bytes: Int, uri: () -> String) {
        if let place = hashes.firstIndex(of: hash) {
            counters[place].requests += requests
            counters[place].bytes += bytes
        } else if counters.count < capacity {
            hashes.append(hash)
            counters.append(Counter(uri: uri(), requests: requests, error: 0, bytes: bytes))
        } else if let least = counters.indices.min(by: { counters[$0].requests < counters[$1].requests }) {
            let error = counters[least].requests
            hashes[least] = hash
            counters[least] = Counter(uri: uri(), requests: error + requests, error: error, bytes: bytes)
        }
    }
}
