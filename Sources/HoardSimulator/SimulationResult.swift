// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How a policy did on an access trace at a capacity.
public struct SimulationResult: Hashable, Sendable {
    /// The name of the access trace.
    public let trace: String
    /// How many keys the cache could hold.
    public let capacity: Int
    public let policy: SimulationPolicy
    /// How many requests were replayed. All count, also those to the empty cache in the beginning.
    public let requests: Int
    /// How many of them found their key in the cache.
    public let hits: Int

    public init(trace: String, capacity: Int, policy: SimulationPolicy, requests: Int, hits: Int) {
        self.trace = trace
        self.capacity = capacity
        self.policy = policy
        self.requests = requests
        self.hits = hits
    }

    /// Hits per request, from 0 to 1.
    public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    /// Misses per request, from 0 to 1.
    public var missRatio: Double { 1 - hitRatio }
}
