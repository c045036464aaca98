// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import HTTPTypes
internal import HoardHTTP
internal import Logging
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The upstreams of a proxy by their names.
struct Upstreams: Sendable {
    /// In the order of the configuration.
    let groups: [OriginGroup]
    /// Digests of the files of certificates and keys, by their paths, as they were read.
    private let files: [String: SHA256Digest]

    /// Reads files, so it blocks.
    ///
    /// - Parameter others: Upstreams from before. Those that are configured as they were, with the same content in
    ///   their files, go on as they are, with the knowledge of their servers.
    init(
        _ configurations: [CachingProxy.Configuration.Upstream],
        keeping others: Upstreams? = nil,
        threads: any EventLoopGroup,
        logger: Logger
    ) throws(ProxyError) {
        var groups: [OriginGroup] = []
        var files: [String: SHA256Digest] = [:]
        for configuration in configurations {
            var isUnchanged = true
            let tls = configuration.clientTLS
            for path in [configuration.additionalTrustRootsPath, tls?.certificateChainPath, tls?.privateKeyPath].compactMap(\.self) {
                // Before the file is read for use: if it changes in between, the next reload sees that.
                files[path] = files[path] ?? (try? Data(contentsOf: URL(filePath: path))).map { SHA256.hash(data: $0) }
                if files[path] == nil || files[path] != others?.files[path] { isUnchanged = false }
            }
            if isUnchanged, let group = others?.groups.first(where: { $0.upstream == configuration }) {
                groups.append(group)
            } else {
                groups.append(try OriginGroup(configuration, group: threads, logger: logger))
            }
        }
        self.groups = groups
        self.files = files
    }

    /// The routes of a configuration, to these upstreams.
    ///
    /// An origin that is told how a client has come, with or without encryption, may answer differently, with a redirection for instance, without saying so.
    /// Where clients come in both ways, that is part of a response's key.
    ///
    /// Reads the files that rules name, so it blocks.
    ///
    /// - Parameter before: The table that is replaced, so that sites are counted on, requests in progress keep their places, and users stay known.
    func table(
        of configuration: CachingProxy.Configuration,
        tracing: ProxyTracing? = nil,
        inPlaceOf before: RouteTable? = nil
    ) throws(ProxyError) -> RouteTable {
        // A proxy in front may take connections of both kinds.
        let schemes: Set<String> =
            configuration.trustedProxies.isEmpty ? Set(configuration.listeners.map { $0.isEncrypted ? "https" : "http" }) : ["http", "https"]
        var compiled: [ProxyRoute] = []
        if let conflict = configuration.siteConflict { throw ProxyError(.invalidConfiguration, conflict) }
        let siteNumbers = before?.siteNumbers ?? SiteNumbers()
        var sites: [String: Site] = [:]
        for var route in configuration.routes {
            guard let group = groups.first(where: { $0.upstream.name == route.upstream }), let origin = group.upstream.servers.first else {
                throw ProxyError(
                    .invalidConfiguration,
                    "A route names the upstream “\(route.upstream)”, which there is not, or which has no servers."
                )
            }
            if schemes.count == 2, group.upstream.tellsOfClient, !route.policy.isBypassed, !route.policy.keyFields.contains(.xForwardedProto) {
                route.policy.keyFields.append(.xForwardedProto)
            }
            if let contradiction = route.ruleContradictions(for: group.upstream).first {
                throw ProxyError(.invalidConfiguration, "A route to the upstream “\(route.upstream)” \(contradiction)")
            }
            for name in configuration.requestFieldsInKeys(of: route, to: group.upstream) where !route.policy.keyFields.contains(name) {
                route.policy.keyFields.append(name)
            }
            let rules = try RouteRules(
                route.rules,
                mayTrustProxies: !configuration.trustedProxies.isEmpty,
                inPlaceOf: before?.route(like: route)?.rules
            )
            var site: Site?
            if let name = route.site {
                let number = siteNumbers.number(of: name)
                site = sites[name] ?? Site(number: number, maximumRequestCount: route.maximumRequestCount, inPlaceOf: before?.site(like: route))
                sites[name] = site
            } else if let count = route.maximumRequestCount {
                site = Site(number: 0, maximumRequestCount: count, inPlaceOf: before?.site(like: route))
            }
            compiled.append(ProxyRoute(route, origin: origin, group: group, rules: rules, site: site))
        }
        if let conflict = configuration.keyConflict { throw ProxyError(.invalidConfiguration, conflict) }
        guard !compiled.isEmpty else { throw ProxyError(.invalidConfiguration, "The proxy has no origin.") }
        return RouteTable(
            compiled,
            trustedProxies: TrustedProxies(configuration.trustedProxies),
            tracing: tracing,
            siteNumbers: siteNumbers,
            clientSchemes: schemes
        )
    }

    /// Begins the background work of groups that are not among `others`.
    func start(unlessAmong others: Upstreams? = nil) {
        for group in others.map({ groups(notAmong: $0) }) ?? groups { group.start() }
    }

    /// Ends the background work of groups that are not among `others`. Requests that are under way go on.
    func retire(unlessAmong others: Upstreams) {
        for group in groups(notAmong: others) { group.retire() }
    }

    func shutdown() async {
        for group in groups { await group.shutdown() }
    }

    func groups(notAmong others: Upstreams) -> [OriginGroup] {
        groups.filter { group in !others.groups.contains { $0 === group } }
    }
}
