// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// The limits on clients' requests to a proxy.
    public struct Limits: Sendable, Hashable {
        /// The most connections that are served at once. Default: 10,000.
        public var connectionCount = 10_000
        /// How many of them one address may have. `nil`: any number. Default: `nil`.
        public var connectionCountPerAddress: Int?
        /// The most streams that an HTTP/2 connection may have at once. Default: 100.
        public var streamCount = 100
        /// The longest request target, in bytes. Default: 16 KiB.
        public var targetByteCount = 16 << 10
        /// The most bytes in the names and values of a request's fields. Default: 64 KiB.
        public var headerByteCount = 64 << 10
        /// The most fields in a request. Default: 256.
        public var headerFieldCount = 256
        /// The longest content of a request, in bytes; longer ones get 413. `nil`: any length. Default: 1 GiB.
        public var requestContentByteCount: Int? = 1 << 30
        /// The longest time for which a connection may be idle between two requests. Default: 60 seconds.
        public var idleTimeout = Duration.seconds(60)
        /// The longest time that the head of a request may take. Default: 30 seconds.
        public var headTimeout = Duration.seconds(30)
        /// The longest time for which a client may send nothing of its request's content. Default: 60 seconds.
        public var bodyTimeout = Duration.seconds(60)
        /// The longest time for which a client may take none of its response. Default: 60 seconds.
        public var writeTimeout = Duration.seconds(60)
        /// The longest time for which nothing may pass through a WebSocket, in either direction. Default: one hour.
        public var webSocketIdleTimeout = Duration.seconds(3_600)
        /// The longest time for which a WebSocket may be open. `nil`: any time. Default: `nil`.
        public var webSocketTimeout: Duration?
        /// The fewest bytes per second, on average over half a minute, with which a client may send a request's content or take its response; slower ones are
        /// cut off. 0: no limit. Default: 0.
        public var minimumBytesPerSecond = 0

        /// Creates limits with the defaults; change the properties afterwards.
        public init() {}
    }
}
