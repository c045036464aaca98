// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

extension CachingProxy.Configuration {
    /// A choice of requests, and how the proxy treats them. The first route that fits a request decides.
    public struct Route: Sendable, Hashable {
        /// Host names, `*.example.com` for all below it. Empty: any.
        public var hosts: [String] = []
        /// The beginning of the path. Default: `/`, which fits any path.
        public var pathPrefix = "/"
        /// The name of the upstream that requests go to.
        public var upstream: String
        /// How the cache treats the requests of the route.
        public var policy = HTTPCachePolicy()
        /// A name. Requests on routes of the same name are counted together in statistics, beside all requests. `nil`: they are counted among all only. Default: `nil`.
        public var site: String?
        /// The most requests in progress at a time that memory cannot answer, on all routes of ``site`` together, or on this one if it has none. More are answered with
        /// 503. `nil`: any number. Default: `nil`.
        public var maximumRequestCount: Int?
        /// Rules beyond caching. Default: none.
        public var rules = Rules()

        /// Creates a route for all requests, to the upstream of that name.
        public init(upstream: String) {
            self.upstream = upstream
        }
    }

    /// The reason why two routes of one site cannot be limited together, in one sentence; `nil` if they can.
    var siteConflict: String? {
        for route in routes {
            guard let site = route.site else { continue }
            if routes.contains(where: { $0.site == site && $0.maximumRequestCount != route.maximumRequestCount }) {
                return "The routes of the site “\(site)” differ in “requests”, which is the limit for all of them together; give each the same."
            }
        }
        return nil
    }
}
