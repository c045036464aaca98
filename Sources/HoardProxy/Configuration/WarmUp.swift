// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// What a proxy asks itself for when it starts, so that it has it before a client asks.
    ///
    /// Clients are served meanwhile. What is cached already costs an upstream nothing. Failures are counted and named by the admin interface; they keep
    /// nothing from starting.
    public struct WarmUp: Sendable, Hashable {
        /// Sitemaps, XML or text, by their URLs ([sitemaps.org](https://www.sitemaps.org/protocol.html)). They are asked for through the proxy, and may name
        /// other sitemaps.
        public var sitemaps: [String] = []
        /// A file with a URL, or the path of one, on each line. `nil`: there is none.
        public var urlsPath: String?
        /// How many URLs are asked for at a time. Default: 8.
        public var concurrency = 8
        /// How long readiness waits for the end of the warm-up. Default: one minute.
        public var maximumReadinessWait = Duration.seconds(60)

        public init() {}
    }
}
