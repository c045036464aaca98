// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ProxyStatistics.Snapshot {
    /// The recording of which responses the cache is asked for.
    package struct Recording: Sendable, Hashable, Codable {
        /// The accesses that were written.
        package var written: Int
        /// Those that came too fast, or could not be written.
        package var lost: Int
        /// The bytes that were written.
        package var bytes: Int
        /// The reason why the recording has ended early; `nil`: it has not.
        package var failure: String?
    }

    /// Caches of other policies and sizes, simulated on the requests for a sample of the URLs, and the real one at the same requests.
    package struct Shadows: Sendable, Hashable, Codable {
        package struct Cache: Sendable, Hashable, Codable {
            /// The name of the policy.
            package var policy: String
            /// How much the whole cache would hold.
            package var bytes: Int
            /// The requests that it would have answered from memory.
            package var hits: Int
        }
        /// The share of the URLs.
        package var sampledShare: Double
        package var requests: Int
        /// The requests that the real cache has answered from memory, with a fresh response.
        package var hits: Int
        /// Those that it has answered from a store, or with a stale response.
        package var otherHits: Int
        /// Accesses that came faster than they could be replayed.
        package var lost: Int
        package var caches: [Cache]
    }
}
