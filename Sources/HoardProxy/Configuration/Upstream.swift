// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// One or several servers that answer alike.
    public struct Upstream: Sendable, Hashable {
        /// The versions of HTTP that the proxy speaks to the servers.
        public struct Version: RawRepresentable, Sendable, Hashable, CaseIterable {
            enum Base: String, CaseIterable, Sendable {
                case http1, http2, automatic
            }
            let base: Base
            private init(_ base: Base) { self.base = base }

            /// HTTP/1.1.
            public static var http1: Self { .init(.http1) }
            /// HTTP/2; with prior knowledge if the servers are not encrypted.
            public static var http2: Self { .init(.http2) }
            /// HTTP/2 if an encrypted server agrees to it (ALPN), else HTTP/1.1.
            public static var automatic: Self { .init(.automatic) }

            /// All of them.
            public static var allCases: [Self] { Base.allCases.map(Self.init) }

            /// The one of that name in settings; `nil` if there is none.
            public init?(rawValue: String) {
                guard let base = Base(rawValue: rawValue) else { return nil }
                self.base = base
            }

            /// The name in settings.
            public var rawValue: String { base.rawValue }
        }

        /// How it is found out whether a server can take requests.
        public struct HealthCheck: Sendable, Hashable {
            /// The path that health checks ask for. A response of status 200 to 399 is a sign of health.
            public var path = "/"
            /// How often a server is asked. Default: 10 seconds.
            public var interval = Duration.seconds(10)
            /// How long it may take to answer. Default: 2 seconds.
            public var timeout = Duration.seconds(2)
            /// So many failures in a row make a server unhealthy.
            public var failureThreshold = 3
            /// So many successes in a row make it healthy again.
            public var successThreshold = 2

            /// Creates a health check with the defaults; change the properties afterwards.
            public init() {}
        }

        /// Names it in routes, statistics and logs.
        public var name: String
        /// The servers. Requests go to the healthy one with the fewest requests in progress; a later one stands in when an earlier one fails.
        public var servers: [Origin]
        /// `nil`: a server counts as unhealthy only for a while after requests to it have failed.
        public var healthCheck: HealthCheck?
        /// The versions of HTTP that are spoken to the servers. Default: the newest that a server agrees to.
        public var version = Version.automatic
        /// The longest time that making a connection may take. Default: 5 seconds.
        public var connectTimeout = Duration.seconds(5)
        /// The longest time that a server may take for the head of its response, from the end of the request. Default: 30 seconds.
        public var responseTimeout = Duration.seconds(30)
        /// The longest time for which a server may send nothing in the middle of a response, or take nothing of a request. Default: 30 seconds.
        public var idleTimeout = Duration.seconds(30)
        /// The most connections to each server. Default: 256.
        public var maximumConnectionCount = 256
        /// The number of times that a request is sent again at most, where that is safe. Default: 1.
        public var maximumRetryCount = 1
        /// A file of certificates in PEM form that are trusted as well as those of the system.
        public var additionalTrustRootsPath: String?
        /// The certificates by which the proxy proves its identity to encrypted servers. `nil`: it has none. Default:
        /// `nil`.
        public var clientTLS: TLS?
        /// Whether servers get the client's host name instead of their own. It then is part of the key. Default: `false`.
        public var forwardsHost = false
        /// Whether `Forwarded` (RFC 7239), `X-Forwarded-For`, `-Proto` and `-Host` tell the servers of the client. Default: `true`.
        public var tellsOfClient = true
        /// Whether servers get fields with underscores in their names. Default: `false`, since many read `X_Name` and `X-Name` as one field. Those that would be
        /// read as fields which proxies write, such as `X_Forwarded_For`, or as `Content_Length` and the like, are never passed.
        public var passesUnderscores = false
        /// Whether clients may open WebSockets to the servers, which must speak HTTP/1.1. Each takes a connection of its own, which does not count for
        /// ``maximumConnectionCount``. Default: `true`.
        public var passesWebSockets = true

        /// Creates an upstream of these servers.
        public init(name: String, servers: [Origin]) {
            self.name = name
            self.servers = servers
        }
    }
}
