// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

extension CachingProxy {
    /// The configuration of a proxy: its listeners, upstreams and routes, and its limits.
    public struct Configuration: Sendable {
        /// Where clients connect. Default: `127.0.0.1`, port 8080, without encryption.
        public var listeners = [Listener(.tcp(host: "127.0.0.1", port: 8080))]
        /// Where requests go.
        public var upstreams: [Upstream]
        /// The upstream and the cache policy of each request. By default there is one route, to the first upstream.
        public var routes: [Route]
        /// Limits against slow and greedy clients.
        public var limits = Limits()
        /// The proxies in front of this one whose `Forwarded` and `X-Forwarded-For` are believed. From all others they are dropped. Default: none.
        public var trustedProxies: [IPNetwork] = []
        /// How the cache behaves. Its mode is always shared.
        public var cache = HTTPCache.Configuration()
        /// `nil`: there is no admin interface.
        public var admin: Admin?
        /// `nil`: requests are not written down.
        public var accessLog: AccessLog?
        /// `nil`: requests are not recorded for a replay.
        public var recording: Recording?
        /// `nil`: no other caches are simulated.
        public var shadows: Shadows?
        /// `nil`: requests make no spans, and their `traceparent` is passed on as it came.
        public var traces: Traces?
        /// Descriptors of sockets, bound and perhaps listening, that the process was given, such as by systemd. Each is taken in the place of a socket of the
        /// proxy's own if its address is that of a listener or of the admin interface; the others are left alone. Only looked at when a proxy starts. Default: none.
        public var inheritedDescriptors: [CInt] = []
        /// `nil`, as by default: the proxy stores responses that clients ask for, and none before.
        public var warmUp: WarmUp?
        /// How many threads serve connections. `nil`: one for each core.
        public var eventLoopCount: Int?

        /// Creates a configuration with these upstreams.
        public init(upstreams: [Upstream]) {
            self.upstreams = upstreams
            routes = upstreams.prefix(1).map { Route(upstream: $0.name) }
        }

        /// A proxy in front of one origin.
        public init(origin: Origin) {
            self.init(upstreams: [Upstream(name: "origin", servers: [origin])])
        }
    }
}
