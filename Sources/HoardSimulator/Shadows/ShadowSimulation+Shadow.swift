// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ShadowSimulation {
    /// A cache that is simulated.
    public struct Shadow: Hashable, Sendable {
        /// The policy that decides which keys stay.
        public var policy: SimulationPolicy
        /// How much it would hold, of all keys and not of the sample: a number of keys or of bytes.
        public var capacity: SimulationCapacity

        /// Creates a shadow of a policy and a capacity.
        public init(_ policy: SimulationPolicy, _ capacity: SimulationCapacity) {
            self.policy = policy
            self.capacity = capacity
        }
    }

    /// The hits of a shadow.
    public struct Result: Hashable, Sendable {
        /// The shadow that was simulated.
        public let shadow: Shadow
        /// The number of requests, the same for all shadows.
        public let requests: Int
        /// The number of those that the shadow would have answered.
        public let hits: Int
        /// Hits per request, from 0 to 1; 0 without requests.
        public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    }

    /// The counts of a simulation, and those of the real cache at the same requests.
    public struct Statistics: Hashable, Sendable {
        /// The share of the keys that is simulated.
        public let sampledShare: Double
        /// The number of requests for keys of the sample.
        public internal(set) var requests = 0
        /// The number of those that the real cache answered from memory with a value that was fresh: those that shadows may answer, too.
        public internal(set) var hits = 0
        /// The number of those that it answered with a stale value, or from a store behind memory. No shadow does.
        public internal(set) var otherHits = 0
        /// The number of accesses that were lost because they came faster than they could be replayed.
        public internal(set) var lost = 0
        /// The shadows, in the order in which they were given.
        public internal(set) var shadows: [Result] = []

        init(sampledShare: Double) {
            self.sampledShare = sampledShare
        }

        /// Hits of the real cache per request, from 0 to 1; 0 without requests.
        public var hitRatio: Double { requests == 0 ? 0 : Double(hits) / Double(requests) }
    }
}

extension ShadowSimulation {
    /// The policies that can be simulated on live traffic with a capacity in bytes, or in keys.
    public static func policies(countingBytes: Bool) -> [SimulationPolicy] {
        SimulationPolicy.all.filter { !$0.needsNextUses && $0.canCount(bytes: countingBytes) }
    }
}

extension ShadowSimulation.Shadow {
    /// The capacity for a share of the keys, at least 1.
    func scaledCapacity(by share: Double) -> Int {
        max(1, Int((Double(capacity.resolved(keyCount: 0)) * share).rounded()))
    }

    /// Checks that it can be simulated.
    func check(sampledShare: Double, maximumKeyCount: Int) throws(ShadowSimulationError) {
        guard !policy.needsNextUses else {
            throw ShadowSimulationError(.unsupportedPolicy, "The policy \(policy) looks into the future, which live traffic does not tell.")
        }
        guard !capacity.isRelative else {
            throw ShadowSimulationError(
                .unsupportedCapacity,
                "The capacity of a shadow is a number of keys or bytes; live traffic has no end to take a share of."
            )
        }
        guard policy.canCount(bytes: capacity.countsBytes) else {
            let unit = capacity.countsBytes ? "bytes" : "keys"
            throw ShadowSimulationError(.unsupportedPolicy, "The policy \(policy) cannot have a capacity in \(unit).")
        }
        let scaled = scaledCapacity(by: sampledShare)
        guard capacity.countsBytes || scaled <= maximumKeyCount else {
            throw ShadowSimulationError(
                .unsupportedCapacity,
                "A shadow with a sample of \(scaled) keys needs more than the \(maximumKeyCount) that are kept; choose a smaller sample."
            )
        }
    }
}
