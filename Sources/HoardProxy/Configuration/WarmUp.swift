// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension CachingProxy.Configuration {
    /// Requests that a proxy sends to itself when it starts, so that it has the responses before a client asks.
    ///
    /// Clients are served meanwhile. A response that is cached and fresh costs an upstream nothing. Failures are
    /// counted and named by the admin interface; they keep nothing from starting.
    public struct WarmUp: Sendable, Hashable {
        /// Sitemaps, XML or text, by their URLs ([sitemaps.org](https://www.sitemaps.org/protocol.html)). They are asked for through the proxy, and may name
        /// other sitemaps.
        public var sitemaps: [String] = []
        /// A file with a URL, or the path of one, on each line, or a sitemap. `nil`: there is none.
        public var urlsPath: String?
        /// How many URLs are asked for at a time. Default: 8.
        public var concurrency = 8
        /// The most URLs per second, from 0.001 to 1,000,000. `nil`, as by default: as fast as answers come.
        public var rate: Double?
        /// Fields of the requests. A response that differs by request fields (`Vary`) is stored for these.
        public var fields = HTTPFields()
        /// The time for which readiness waits for the end of the warm-up. Until then, URLs that no server could answer
        /// (502, 503, 504) are asked for again. Default: one minute.
        public var maximumReadinessWait = Duration.seconds(60)

        /// Creates a warm-up of nothing; set the properties afterwards.
        public init() {}
    }
}
