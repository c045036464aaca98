// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import HoardHTTP
internal import HoardSimulator

/// The settings of a proxy from a file, the environment and the command line, before they are known to make sense together.
package struct ProxySettings: Sendable {
    package struct Listener: Sendable, Hashable {
        var address = CachingProxy.Configuration.Listener.Address.tcp(host: "127.0.0.1", port: 8080)
        var certificates: String?
        var key: String?
        var hostCertificates: [HostCertificate] = []
        var minimumTLSVersion = CachingProxy.Configuration.TLSVersion.v1_2
        var cipherSuites: [String] = []
        var clientAuthorities: String?
        var clientCertificates = ClientCertificates.require
        var isHTTP2Enabled = true
        var expectsProxyProtocol = false
    }

    /// Whether clients have to prove their identity.
    enum ClientCertificates: String, Sendable, CaseIterable { case require, ask }

    package struct HostCertificate: Sendable, Hashable {
        var hosts: [String] = []
        var certificates: String?
        var key: String?
    }

    package struct Route: Sendable, Hashable {
        var hosts: [String] = []
        var path = "/"
        var upstream: String?
        var lifetime: Duration?
        var defaultLifetime: Duration?
        var policy = HTTPCachePolicy()
        var site: String?
        var maximumRequestCount: Int?
        /// Without the answer and the permissions for scripts of other sites, which are in the members below.
        var rules = CachingProxy.Configuration.Rules()
        var passwordFile: String?
        var realm = "Restricted"
        var redirect: MessageTemplate?
        var redirectStatus = 308
        var answerText: MessageTemplate?
        var answerStatus: Int?
        var answerType = "text/plain; charset=utf-8"
        var crossOrigin = CachingProxy.Configuration.CrossOrigin(origins: [])
    }

    package struct Upstream: Sendable, Hashable {
        var name: String?
        /// The file of certificates by which the proxy proves its identity to the servers.
        var certificates: String?
        var key: String?
        /// The servers, the timeouts and all else. Its name is not used.
        var upstream = CachingProxy.Configuration.Upstream(name: "", servers: [])
    }

    package struct Cache: Sendable {
        package var http = {
            var http = HTTPCache.Configuration()
            http.targets = ["CDN-Cache-Control"]
            return http
        }()
        /// Empty: content is served as it came.
        var codings: [String] = []
        var dictionaryByteCount = 0
        package var memoryByteCount = 64 << 20
        /// `nil`: the user's own directory.
        package var directory: String?
        /// 0: nothing is kept on disk. `nil`: 1 GiB, or nothing if there is a Redis.
        var givenDiskByteCount: Int?
        package var diskEntryCount: Int?
        /// `nil`: 512 MiB, or the limit on all bodies together if that is less; 64 MiB if there is a Redis.
        package var objectByteCount: Int?
    }

    package struct Admin: Sendable, Hashable {
        var address: CachingProxy.Configuration.Listener.Address?
        package var tokenFile: String?
        var hostNames: [String] = []
    }

    package struct AccessLog: Sendable, Hashable {
        var path: String?
        var format = CachingProxy.Configuration.AccessLog.Format.combined
    }

    package struct Recording: Sendable, Hashable {
        var path: String?
        var sampledShare = 1.0
        var maximumFileBytes = 256 << 20
        var fileCount = 4
        var recordsGroups = false
    }

    package struct Shadow: Sendable, Hashable {
        var policy = SimulationPolicy.hoard
        /// `nil`: as many as the cache.
        var memoryByteCount: Int?
    }

    package struct Traces: Sendable, Hashable {
        var collector: Origin?
        var sampledShare = 0.01
        var serviceName: String?
    }

    package struct WarmUp: Sendable, Hashable {
        var sitemaps: [String] = []
        var urlsPath: String?
        var concurrency = 8
        var rate: Double?
        var fields: [HTTPField] = []
        var maximumReadinessWait = Duration.seconds(60)
    }

    /// How much is logged.
    package enum LogLevel: String, Sendable, CaseIterable { case trace, debug, info, notice, warning, error, critical }

    package var listeners = [Listener()]
    /// The servers of a proxy with one upstream, from the command line or the environment.
    package var origins: [Origin] = []
    package var upstreams: [Upstream] = []
    /// How ``origins`` are asked.
    var originUpstream = Upstream()
    package var routes: [Route] = []
    package var cache = Cache()
    package var redis = Redis()
    package var limits = CachingProxy.Configuration.Limits()
    package var admin = Admin()
    package var accessLog = AccessLog()
    package var recording = Recording()
    package var shadows: [Shadow] = []
    package var shadowSample = 0.125
    package var traces = Traces()
    package var warmUp = WarmUp()
    package var trustedProxies: [IPNetwork] = []
    package var eventLoopCount: Int?
    package var gracePeriod = Duration.seconds(10)
    package var logLevel = LogLevel.notice

    /// The token itself, which comes only from the environment: `HOARD_PROXY_ADMIN_TOKEN`.
    package var adminToken: String?
    /// The password for Redis itself, which comes only from the environment: `HOARD_PROXY_REDIS_PASSWORD`.
    package var redisPassword: String?

    package init() {}

    /// The most bytes kept on disk. 0: nothing is.
    package var diskByteCount: Int { cache.givenDiskByteCount ?? (redis.url == nil ? 1 << 30 : 0) }

    /// The environment variable that sets the same option as a flag.
    package static func environmentName(ofFlag flag: String) -> String {
        environmentPrefix + flag.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    package static let environmentPrefix = "HOARD_PROXY_"
    /// The variable that holds the admin token.
    package static let adminTokenName = "HOARD_PROXY_ADMIN_TOKEN"
    /// The variable that names the file of settings.
    package static let configName = "HOARD_PROXY_CONFIG"
}
