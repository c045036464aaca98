// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How a policy did on an access trace at a capacity.
public struct SimulationResult: Hashable, Sendable {
    /// The name of the access trace.
    public let trace: String
    /// The number of keys, or of bytes, that the cache could hold.
    public let capacity: Int
    /// Whether ``capacity`` is a number of bytes.
    public let countsBytes: Bool
    /// The policy that was replayed.
    public let policy: SimulationPolicy
    /// The number of requests that were replayed. All count, also those to the empty cache in the beginning.
    public let requests: Int
    /// How many of them found their key in the cache.
    public let hits: Int

    /// Whether the access trace has sizes.
    public internal(set) var hasSizes = false
    /// The bytes of the objects that were asked for; each counts as 1 byte if its size is not known.
    public internal(set) var requestedBytes: Int
    /// The bytes of the objects that were hit.
    public internal(set) var hitBytes: Int
    /// The sum of the costs of all requests; `nil` if the access trace has no costs.
    public internal(set) var requestedTime: Duration?
    /// The sum of the costs of all hits: the time that loads would have taken without the cache. `nil` if the access trace has no costs.
    public internal(set) var savedTime: Duration?
    /// How many of the hits were not in memory but on disk; `nil` if there is no disk level.
    public internal(set) var diskHits: Int?
    /// The bytes of those.
    public internal(set) var diskHitBytes: Int?
    /// The rest of a fleet's result; `nil` if there is none. The ``capacity`` is that of each near cache, and the hits
    /// are those of all tiers.
    public internal(set) var fleet: FleetResult?
    /// How many requests found an object that had expired. They are misses. `nil` if the access trace has no lifetimes.
    public internal(set) var expired: Int?
    /// How many of the hits were with an object that had expired, and was loaded anew meanwhile; `nil` if such objects were no hits.
    public internal(set) var staleHits: Int?

    /// Creates a result of an access trace without sizes, times and costs.
    public init(trace: String, capacity: Int, countsBytes: Bool = false, policy: SimulationPolicy, requests: Int, hits: Int) {
        self.trace = trace
        self.capacity = capacity
        self.countsBytes = countsBytes
        self.policy = policy
        self.requests = requests
        self.hits = hits
        requestedBytes = requests
        hitBytes = hits
    }

    /// Hits per request, from 0 to 1.
    public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    /// Hits on disk per request, from 0 to 1; `nil` if there is no disk level.
    public var diskHitRatio: Double? { diskHits.map { requests == 0 ? 0 : Double($0) / Double(requests) } }
    /// Hits in the shared tier of a fleet per request, from 0 to 1; `nil` if there is none.
    public var sharedHitRatio: Double? { fleet?.sharedHits.map { requests == 0 ? 0 : Double($0) / Double(requests) } }
    /// Misses per request, from 0 to 1.
    public var missRatio: Double { 1 - hitRatio }
    /// Bytes of hits per requested byte, from 0 to 1.
    public var byteHitRatio: Double { requestedBytes == 0 ? 0 : Double(hitBytes) / Double(requestedBytes) }
    /// The share of all costs that hits saved, from 0 to 1; `nil` if the access trace has no costs.
    public var savedTimeRatio: Double? {
        guard let savedTime, let requestedTime else { return nil }
        return requestedTime == .zero ? 0 : savedTime / requestedTime
    }
}

extension SimulationResult {
    /// A result of a trace with those parts and sums.
    init(trace: String, capacity: Int, countsBytes: Bool, policy: SimulationPolicy, tally: HitTally, totals: RequestTotals, parts: RequestParts) {
        self.init(trace: trace, capacity: capacity, countsBytes: countsBytes, policy: policy, requests: totals.requests, hits: tally.hits)
        hasSizes = parts.contains(.sizes)
        requestedBytes = totals.bytes
        hitBytes = tally.bytes
        if parts.contains(.costs) {
            requestedTime = .microseconds(totals.microseconds)
            savedTime = .microseconds(tally.microseconds)
        }
        if parts.contains(.lifetimes) { expired = tally.expired }
    }
}
