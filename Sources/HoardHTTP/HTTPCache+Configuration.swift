// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPCache {
    /// How an HTTP cache behaves, and how much it holds.
    public struct Configuration: Sendable {
        /// Whether the cache serves one user or many. Default: `.private`.
        ///
        /// A shared cache stores less: nothing that is `private`, and nothing that was asked for with
        /// `Authorization` unless the response allows it (RFC 9111 §3.5).
        public var mode: CacheMode = .private

        /// Names the cache in the `Cache-Status` field (RFC 9211). Default: `hoard`.
        public var name: String = "hoard"

        /// Divides a store between users: caches with different partitions never see each other's responses. Default: none.
        public var partition: String = ""

        /// The most bytes of responses held in memory. Default: 64 MiB.
        public var maximumMemoryBytes: Int = 64 << 20

        /// The longest body that is stored; longer ones are forwarded only. Default: 8 MiB.
        public var maximumObjectBytes: Int = 8 << 20

        /// The most bytes of bodies that are being received and stored at one time; beyond it bodies are forwarded only. Default: 32 MiB.
        public var maximumBytesInFlight: Int = 32 << 20

        /// How long a stale response that has a validator is kept, to be revalidated rather than fetched again. Default: 7 days.
        public var revalidationPeriod: Duration = .seconds(7 * 86_400)

        public init() {}
    }
}
