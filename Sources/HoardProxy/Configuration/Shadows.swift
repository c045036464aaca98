// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardSimulator

extension CachingProxy.Configuration {
    /// Memory caches of other policies and sizes, simulated on the requests of clients beside the real one: see `ShadowSimulation`.
    public struct Shadows: Sendable, Hashable {
        /// The simulated caches, at most `ShadowSimulation.maximumCount`.
        public var caches: [ShadowSimulation.Shadow]
        /// The share of the URLs that they are simulated on, from 1/65,536 to 1. A smaller one says less, and costs less. Default: one in eight.
        public var sampledShare = 0.125

        /// Names the caches to simulate.
        public init(_ caches: [ShadowSimulation.Shadow]) {
            self.caches = caches
        }
    }

    /// The reason why the caches that are to be simulated contradict each other; `nil` if they do not.
    var shadowConflict: String? {
        var seen: Set<ShadowSimulation.Shadow> = []
        let repeated = shadows?.caches.first { !seen.insert($0).inserted }
        return repeated.map { "Two shadows are the same: \($0.policy) with the same memory. Leave one of them out." }
    }
}
