// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

extension CachingProxy.Configuration {
    /// What becomes of some of the requests. The first route that fits a request decides.
    public struct Route: Sendable, Hashable {
        /// Host names, `*.example.com` for all below it. Empty: any.
        public var hosts: [String] = []
        /// What the path begins with. Default: `/`, which is any.
        public var pathPrefix = "/"
        /// The name of the upstream that requests go to.
        public var upstream: String
        public var policy = HTTPCachePolicy()
        /// Rules beyond caching. Default: none.
        public var rules = Rules()

        public init(upstream: String) {
            self.upstream = upstream
        }
    }
}
