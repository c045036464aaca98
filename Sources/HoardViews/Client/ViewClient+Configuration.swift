// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ViewClient {
    /// How a client asks, and how much it keeps.
    ///
    /// A value that makes no sense is taken for the nearest one that does: a negative number for zero.
    public struct Configuration: Sendable {
        /// The partition of requests that name none. `nil`: none. Default: `nil`.
        public var partition: String?

        /// The field with which the server names the state of a screen, and with which it is asked whether there is a newer one. A name that is no field
        /// name turns the protocol off. Default: `beagle-hash`.
        public var hashFieldName = "beagle-hash"

        /// The longest time for which a screen that is not valid any more may stand in for a server that cannot be reached or fails, unless the
        /// response forbids it. Zero: not at all. Default: 1 day.
        ///
        /// This is for screens with a hash. Whether others stand in is said by ``HTTPCache/Configuration/staleIfUnreachable``.
        public var staleIfUnreachable: Duration = .seconds(86_400)

        /// The most memory for decoded screens, in bytes; a screen is taken for sixteen times the length of its JSON. Default: 64 MiB.
        public var maximumMemoryBytes = 64 << 20

        /// The longest response; a longer one is an error. Default: 8 MiB.
        public var maximumResponseBytes = 8 << 20

        /// The longest an exchange with the server may take, redirects and repetitions included. `nil`: no limit. Default: 30 seconds.
        public var timeout: Duration? = .seconds(30)

        /// How much is prefetched.
        public var prefetchLimits = PrefetchLimits()

        /// Creates a configuration with the defaults; change the properties afterwards.
        public init() {}
    }
}
