// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import HoardProxy

// The options of `hoard proxy` that are also settings in a file and in the environment. `ProxySettings` has their
// meanings and their possible values; here they are texts, so that all three ways are read by the same rules.

/// A group of flags that are settings.
protocol SettingFlags: ParsableArguments {
    /// The settings that were given, by names without dashes.
    var given: [(name: String, values: [String])] { get }
}

extension SettingFlags {
    /// Leaves out flags that were not given.
    func given(_ flags: [(String, [String])]) -> [(name: String, values: [String])] {
        flags.filter { !$0.1.isEmpty }.map { (name: $0.0, values: $0.1) }
    }
}

extension Optional<String> {
    /// A list of the value, if one was given.
    var all: [String] { map { [$0] } ?? [] }
}

/// The flags for a proxy's listeners and origins.
struct ServingFlags: SettingFlags {
    @Option(name: .customLong("origin"), help: .setting("origin"), completion: .setting("origin"))
    var origin: [String] = []

    @Option(name: .customLong("trusted-proxies"), help: .setting("trusted-proxies"), completion: .setting("trusted-proxies"))
    var trustedProxies: [String] = []

    @Option(name: .customLong("listen"), help: .setting("listen"), completion: .setting("listen"))
    var listen: [String] = []

    @Option(name: .customLong("tls-certificates"), help: .setting("tls-certificates"), completion: .file())
    var tlsCertificates: String?

    @Option(name: .customLong("tls-key"), help: .setting("tls-key"), completion: .file())
    var tlsKey: String?

    @Option(name: .customLong("tls-version"), help: .setting("tls-version"), completion: .setting("tls-version"))
    var tlsVersion: String?

    @Option(name: .customLong("tls-ciphers"), help: .setting("tls-ciphers"), completion: .setting("tls-ciphers"))
    var tlsCiphers: String?

    @Option(name: .customLong("client-authorities"), help: .setting("client-authorities"), completion: .file())
    var clientAuthorities: String?

    @Option(name: .customLong("client-certificates"), help: .setting("client-certificates"), completion: .setting("client-certificates"))
    var clientCertificates: String?

    @Option(name: .customLong("http2"), help: .setting("http2"), completion: .setting("http2"))
    var http2: String?

    @Option(name: .customLong("proxy-protocol"), help: .setting("proxy-protocol"), completion: .setting("proxy-protocol"))
    var proxyProtocol: String?

    var given: [(name: String, values: [String])] {
        given([
            ("origin", origin),
            ("trusted-proxies", trustedProxies),
            ("listen", listen),
            ("tls-certificates", tlsCertificates.all),
            ("tls-key", tlsKey.all),
            ("tls-version", tlsVersion.all),
            ("tls-ciphers", tlsCiphers.all),
            ("client-authorities", clientAuthorities.all),
            ("client-certificates", clientCertificates.all),
            ("http2", http2.all),
            ("proxy-protocol", proxyProtocol.all),
        ])
    }
}

/// The flags for the cache, its limits and its rules.
struct CacheFlags: SettingFlags {
    @Option(name: .customLong("max-bytes"), help: .setting("max-bytes"), completion: .setting("max-bytes"))
    var maxBytes: String?

    @Option(name: .customLong("max-entries"), help: .setting("max-entries"), completion: .setting("max-entries"))
    var maxEntries: String?

    @Option(name: .customLong("memory-bytes"), help: .setting("memory-bytes"), completion: .setting("memory-bytes"))
    var memoryBytes: String?

    @Option(name: .customLong("max-object-bytes"), help: .setting("max-object-bytes"), completion: .setting("max-object-bytes"))
    var maxObjectBytes: String?

    @Option(name: .customLong("cdn-targets"), help: .setting("cdn-targets"), completion: .setting("cdn-targets"))
    var cdnTargets: String?

    @Option(name: .customLong("stale-if-unreachable"), help: .setting("stale-if-unreachable"), completion: .setting("stale-if-unreachable"))
    var staleIfUnreachable: String?

    @Option(name: .customLong("revalidation-period"), help: .setting("revalidation-period"), completion: .setting("revalidation-period"))
    var revalidationPeriod: String?

    @Option(name: .customLong("collapse-timeout"), help: .setting("collapse-timeout"), completion: .setting("collapse-timeout"))
    var collapseTimeout: String?

    @Option(name: .customLong("variants"), help: .setting("variants"), completion: .setting("variants"))
    var variants: String?

    @Option(name: .customLong("query-bytes"), help: .setting("query-bytes"), completion: .setting("query-bytes"))
    var queryBytes: String?

    @Option(name: .customLong("digests"), help: .setting("digests"), completion: .setting("digests"))
    var digests: String?

    @Option(name: .customLong("codings"), help: .setting("codings"), completion: .setting("codings"))
    var codings: String?

    @Option(name: .customLong("dictionary-bytes"), help: .setting("dictionary-bytes"), completion: .setting("dictionary-bytes"))
    var dictionaryBytes: String?

    @Option(name: .customLong("in-flight-bytes"), help: .setting("in-flight-bytes"), completion: .setting("in-flight-bytes"))
    var inFlightBytes: String?

    @Option(name: .customLong("name"), help: .setting("name"), completion: .setting("name"))
    var name: String?

    var given: [(name: String, values: [String])] {
        given([
            ("max-bytes", maxBytes.all),
            ("max-entries", maxEntries.all),
            ("memory-bytes", memoryBytes.all),
            ("max-object-bytes", maxObjectBytes.all),
            ("cdn-targets", cdnTargets.all),
            ("stale-if-unreachable", staleIfUnreachable.all),
            ("revalidation-period", revalidationPeriod.all),
            ("collapse-timeout", collapseTimeout.all),
            ("variants", variants.all),
            ("query-bytes", queryBytes.all),
            ("digests", digests.all),
            ("codings", codings.all),
            ("dictionary-bytes", dictionaryBytes.all),
            ("in-flight-bytes", inFlightBytes.all),
            ("name", name.all),
        ])
    }
}

/// The flags for sharing with other proxies.
struct SharingFlags: SettingFlags {
    @Option(name: .customLong("redis"), help: .setting("redis"), completion: .setting("redis"))
    var redis: String?

    @Option(name: .customLong("redis-password-file"), help: .setting("redis-password-file"), completion: .file())
    var redisPasswordFile: String?

    @Option(name: .customLong("redis-trust-roots"), help: .setting("redis-trust-roots"), completion: .file())
    var redisTrustRoots: String?

    @Option(name: .customLong("redis-key-prefix"), help: .setting("redis-key-prefix"), completion: .setting("redis-key-prefix"))
    var redisKeyPrefix: String?

    @Option(name: .customLong("redis-timeout"), help: .setting("redis-timeout"), completion: .setting("redis-timeout"))
    var redisTimeout: String?

    @Option(name: .customLong("redis-collapse"), help: .setting("redis-collapse"), completion: .setting("redis-collapse"))
    var redisCollapse: String?

    var given: [(name: String, values: [String])] {
        given([
            ("redis", redis.all),
            ("redis-password-file", redisPasswordFile.all),
            ("redis-trust-roots", redisTrustRoots.all),
            ("redis-key-prefix", redisKeyPrefix.all),
            ("redis-timeout", redisTimeout.all),
            ("redis-collapse", redisCollapse.all),
        ])
    }
}

/// The flags that hold for all routes.
struct RouteFlags: SettingFlags {
    @Option(name: .customLong("bypass"), help: .setting("bypass"), completion: .setting("bypass"))
    var bypass: String?

    @Option(name: .customLong("lifetime"), help: .setting("lifetime"), completion: .setting("lifetime"))
    var lifetime: String?

    @Option(name: .customLong("default-lifetime"), help: .setting("default-lifetime"), completion: .setting("default-lifetime"))
    var defaultLifetime: String?

    @Option(name: .customLong("stale-while-revalidate"), help: .setting("stale-while-revalidate"), completion: .setting("stale-while-revalidate"))
    var staleWhileRevalidate: String?

    @Option(name: .customLong("stale-if-error"), help: .setting("stale-if-error"), completion: .setting("stale-if-error"))
    var staleIfError: String?

    @Option(name: .customLong("ignore-query"), help: .setting("ignore-query"), completion: .setting("ignore-query"))
    var ignoreQuery: String?

    @Option(name: .customLong("key-fields"), help: .setting("key-fields"), completion: .setting("key-fields"))
    var keyFields: String?

    @Option(name: .customLong("tags"), help: .setting("tags"), completion: .setting("tags"))
    var tags: String?

    var given: [(name: String, values: [String])] {
        given([
            ("bypass", bypass.all),
            ("lifetime", lifetime.all),
            ("default-lifetime", defaultLifetime.all),
            ("stale-while-revalidate", staleWhileRevalidate.all),
            ("stale-if-error", staleIfError.all),
            ("ignore-query", ignoreQuery.all),
            ("key-fields", keyFields.all),
            ("tags", tags.all),
        ])
    }
}

/// The flags that hold for all upstreams.
struct UpstreamFlags: SettingFlags {
    @Option(name: .customLong("upstream-version"), help: .setting("upstream-version"), completion: .setting("upstream-version"))
    var upstreamVersion: String?

    @Option(name: .customLong("connect-timeout"), help: .setting("connect-timeout"), completion: .setting("connect-timeout"))
    var connectTimeout: String?

    @Option(name: .customLong("response-timeout"), help: .setting("response-timeout"), completion: .setting("response-timeout"))
    var responseTimeout: String?

    @Option(name: .customLong("upstream-idle-timeout"), help: .setting("upstream-idle-timeout"), completion: .setting("upstream-idle-timeout"))
    var upstreamIdleTimeout: String?

    @Option(name: .customLong("upstream-connections"), help: .setting("upstream-connections"), completion: .setting("upstream-connections"))
    var upstreamConnections: String?

    @Option(name: .customLong("retries"), help: .setting("retries"), completion: .setting("retries"))
    var retries: String?

    @Option(name: .customLong("trust-roots"), help: .setting("trust-roots"), completion: .file())
    var trustRoots: String?

    @Option(name: .customLong("upstream-tls-certificates"), help: .setting("upstream-tls-certificates"), completion: .file())
    var upstreamTLSCertificates: String?

    @Option(name: .customLong("upstream-tls-key"), help: .setting("upstream-tls-key"), completion: .file())
    var upstreamTLSKey: String?

    @Option(name: .customLong("forward-host"), help: .setting("forward-host"), completion: .setting("forward-host"))
    var forwardHost: String?

    @Option(name: .customLong("tell-of-client"), help: .setting("tell-of-client"), completion: .setting("tell-of-client"))
    var tellOfClient: String?

    @Option(name: .customLong("pass-underscores"), help: .setting("pass-underscores"), completion: .setting("pass-underscores"))
    var passUnderscores: String?

    @Option(name: .customLong("websockets"), help: .setting("websockets"), completion: .setting("websockets"))
    var webSockets: String?

    @Option(name: .customLong("health-check-path"), help: .setting("health-check-path"), completion: .setting("health-check-path"))
    var healthCheckPath: String?

    @Option(name: .customLong("health-check-interval"), help: .setting("health-check-interval"), completion: .setting("health-check-interval"))
    var healthCheckInterval: String?

    @Option(name: .customLong("health-check-timeout"), help: .setting("health-check-timeout"), completion: .setting("health-check-timeout"))
    var healthCheckTimeout: String?

    @Option(name: .customLong("health-check-failures"), help: .setting("health-check-failures"), completion: .setting("health-check-failures"))
    var healthCheckFailures: String?

    @Option(name: .customLong("health-check-successes"), help: .setting("health-check-successes"), completion: .setting("health-check-successes"))
    var healthCheckSuccesses: String?

    var given: [(name: String, values: [String])] {
        given([
            ("upstream-version", upstreamVersion.all),
            ("connect-timeout", connectTimeout.all),
            ("response-timeout", responseTimeout.all),
            ("upstream-idle-timeout", upstreamIdleTimeout.all),
            ("upstream-connections", upstreamConnections.all),
            ("retries", retries.all),
            ("trust-roots", trustRoots.all),
            ("upstream-tls-certificates", upstreamTLSCertificates.all),
            ("upstream-tls-key", upstreamTLSKey.all),
            ("forward-host", forwardHost.all),
            ("tell-of-client", tellOfClient.all),
            ("pass-underscores", passUnderscores.all),
            ("websockets", webSockets.all),
            ("health-check-path", healthCheckPath.all),
            ("health-check-interval", healthCheckInterval.all),
            ("health-check-timeout", healthCheckTimeout.all),
            ("health-check-failures", healthCheckFailures.all),
            ("health-check-successes", healthCheckSuccesses.all),
        ])
    }
}

/// The flags for the limits on clients.
struct LimitFlags: SettingFlags {
    @Option(name: .customLong("connections"), help: .setting("connections"), completion: .setting("connections"))
    var connections: String?

    @Option(name: .customLong("connections-per-address"), help: .setting("connections-per-address"), completion: .setting("connections-per-address"))
    var connectionsPerAddress: String?

    @Option(name: .customLong("streams"), help: .setting("streams"), completion: .setting("streams"))
    var streams: String?

    @Option(name: .customLong("target-bytes"), help: .setting("target-bytes"), completion: .setting("target-bytes"))
    var targetBytes: String?

    @Option(name: .customLong("header-bytes"), help: .setting("header-bytes"), completion: .setting("header-bytes"))
    var headerBytes: String?

    @Option(name: .customLong("header-fields"), help: .setting("header-fields"), completion: .setting("header-fields"))
    var headerFields: String?

    @Option(name: .customLong("content-bytes"), help: .setting("content-bytes"), completion: .setting("content-bytes"))
    var contentBytes: String?

    @Option(name: .customLong("idle-timeout"), help: .setting("idle-timeout"), completion: .setting("idle-timeout"))
    var idleTimeout: String?

    @Option(name: .customLong("head-timeout"), help: .setting("head-timeout"), completion: .setting("head-timeout"))
    var headTimeout: String?

    @Option(name: .customLong("body-timeout"), help: .setting("body-timeout"), completion: .setting("body-timeout"))
    var bodyTimeout: String?

    @Option(name: .customLong("write-timeout"), help: .setting("write-timeout"), completion: .setting("write-timeout"))
    var writeTimeout: String?

    @Option(name: .customLong("websocket-idle-timeout"), help: .setting("websocket-idle-timeout"), completion: .setting("websocket-idle-timeout"))
    var webSocketIdleTimeout: String?

    @Option(name: .customLong("websocket-timeout"), help: .setting("websocket-timeout"), completion: .setting("websocket-timeout"))
    var webSocketTimeout: String?

    @Option(name: .customLong("minimum-rate"), help: .setting("minimum-rate"), completion: .setting("minimum-rate"))
    var minimumRate: String?

    var given: [(name: String, values: [String])] {
        given([
            ("connections", connections.all),
            ("connections-per-address", connectionsPerAddress.all),
            ("streams", streams.all),
            ("target-bytes", targetBytes.all),
            ("header-bytes", headerBytes.all),
            ("header-fields", headerFields.all),
            ("content-bytes", contentBytes.all),
            ("idle-timeout", idleTimeout.all),
            ("head-timeout", headTimeout.all),
            ("body-timeout", bodyTimeout.all),
            ("write-timeout", writeTimeout.all),
            ("websocket-idle-timeout", webSocketIdleTimeout.all),
            ("websocket-timeout", webSocketTimeout.all),
            ("minimum-rate", minimumRate.all),
        ])
    }
}

/// How it is watched, and ends.
struct OperationFlags: SettingFlags {
    @Option(name: .customLong("admin"), help: .setting("admin"), completion: .setting("admin"))
    var admin: String?

    @Option(name: .customLong("admin-token-file"), help: .setting("admin-token-file"), completion: .file())
    var adminTokenFile: String?

    @Option(name: .customLong("admin-host-names"), help: .setting("admin-host-names"), completion: .setting("admin-host-names"))
    var adminHostNames: String?

    @Option(name: .customLong("access-log"), help: .setting("access-log"), completion: .file())
    var accessLog: String?

    @Option(name: .customLong("access-log-format"), help: .setting("access-log-format"), completion: .setting("access-log-format"))
    var accessLogFormat: String?

    @Option(name: .customLong("record-trace"), help: .setting("record-trace"), completion: .file())
    var recordTrace: String?

    @Option(name: .customLong("record-trace-sample"), help: .setting("record-trace-sample"), completion: .setting("record-trace-sample"))
    var recordTraceSample: String?

    @Option(name: .customLong("record-trace-file-size"), help: .setting("record-trace-file-size"), completion: .setting("record-trace-file-size"))
    var recordTraceFileSize: String?

    @Option(name: .customLong("record-trace-files"), help: .setting("record-trace-files"), completion: .setting("record-trace-files"))
    var recordTraceFiles: String?

    @Option(name: .customLong("record-trace-groups"), help: .setting("record-trace-groups"), completion: .setting("record-trace-groups"))
    var recordTraceGroups: String?

    @Option(name: .customLong("shadow"), help: .setting("shadow"), completion: .setting("shadow"))
    var shadow: [String] = []

    @Option(name: .customLong("shadow-sample"), help: .setting("shadow-sample"), completion: .setting("shadow-sample"))
    var shadowSample: String?

    @Option(name: .customLong("trace-collector"), help: .setting("trace-collector"), completion: .setting("trace-collector"))
    var traceCollector: String?

    @Option(name: .customLong("trace-sample"), help: .setting("trace-sample"), completion: .setting("trace-sample"))
    var traceSample: String?

    @Option(name: .customLong("trace-service-name"), help: .setting("trace-service-name"), completion: .setting("trace-service-name"))
    var traceServiceName: String?

    @Option(name: .customLong("warm-sitemaps"), help: .setting("warm-sitemaps"), completion: .setting("warm-sitemaps"))
    var warmSitemaps: String?

    @Option(name: .customLong("warm-urls"), help: .setting("warm-urls"), completion: .file())
    var warmURLs: String?

    @Option(name: .customLong("warm-concurrency"), help: .setting("warm-concurrency"), completion: .setting("warm-concurrency"))
    var warmConcurrency: String?

    @Option(name: .customLong("warm-rate"), help: .setting("warm-rate"), completion: .setting("warm-rate"))
    var warmRate: String?

    @Option(name: .customLong("warm-fields"), help: .setting("warm-fields"), completion: .setting("warm-fields"))
    var warmFields: [String] = []

    @Option(name: .customLong("warm-readiness-wait"), help: .setting("warm-readiness-wait"), completion: .setting("warm-readiness-wait"))
    var warmReadinessWait: String?

    @Option(name: .customLong("event-loops"), help: .setting("event-loops"), completion: .setting("event-loops"))
    var eventLoops: String?

    @Option(name: .customLong("grace-period"), help: .setting("grace-period"), completion: .setting("grace-period"))
    var gracePeriod: String?

    @Option(name: .customLong("log-level"), help: .setting("log-level"), completion: .setting("log-level"))
    var logLevel: String?

    var given: [(name: String, values: [String])] {
        given([
            ("admin", admin.all),
            ("admin-token-file", adminTokenFile.all), ("admin-host-names", adminHostNames.all),
            ("access-log", accessLog.all),
            ("access-log-format", accessLogFormat.all),
            ("record-trace", recordTrace.all), ("record-trace-sample", recordTraceSample.all), ("record-trace-file-size", recordTraceFileSize.all),
            ("record-trace-files", recordTraceFiles.all), ("record-trace-groups", recordTraceGroups.all),
            ("shadow", shadow), ("shadow-sample", shadowSample.all),
            ("trace-collector", traceCollector.all), ("trace-sample", traceSample.all), ("trace-service-name", traceServiceName.all),
            ("warm-sitemaps", warmSitemaps.all), ("warm-urls", warmURLs.all), ("warm-concurrency", warmConcurrency.all),
            ("warm-rate", warmRate.all), ("warm-fields", warmFields), ("warm-readiness-wait", warmReadinessWait.all),
            ("event-loops", eventLoops.all),
            ("grace-period", gracePeriod.all),
            ("log-level", logLevel.all),
        ])
    }
}

extension ArgumentHelp {
    /// Returns the help for a setting: its meaning, and its default.
    static func setting(_ flag: String) -> ArgumentHelp {
        guard let setting = ProxySettings.descriptions.first(where: { $0.flag == flag }) else { return "" }
        let initial = setting.defaultText.flatMap { $0.isEmpty ? nil : " (default: \($0))" } ?? ""
        return ArgumentHelp("\(setting.summary)\(initial)", valueName: setting.form.placeholder)
    }
}

extension CompletionKind {
    /// The values that a setting may have, if they are few.
    static func setting(_ flag: String) -> CompletionKind {
        switch ProxySettings.descriptions.first(where: { $0.flag == flag })?.form {
        case .choice(let names): .list(names)
        case .yesNo: .list(["yes", "no"])
        default: .default
        }
    }
}
