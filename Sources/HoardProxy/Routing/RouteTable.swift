// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// The choice of a route for each request: the first one that fits. It never changes; a proxy that is configured anew
/// gets another table.
final class RouteTable: Sendable {
    /// The result of matching a request with the routes.
    enum Match {
        case route(ProxyRoute)
        /// There are no routes for the host, or it is the name of another upstream's server: 421 ([RFC 9110 §15.5.20](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20)).
        case unknownHost
        /// The host has routes, but none for the path: 404.
        case unknownPath
        /// Some servers read the path as one of another, protected route, or as one outside of the route's target: 400.
        case ambiguousPath
    }

    private struct Entry: Sendable {
        let hosts: HostPatterns
        let prefix: String
        let route: ProxyRoute
        /// Keys of other upstreams that a client could name by its host.
        let foreignKeys: [KeySpace]
    }

    let routes: [ProxyRoute]
    /// Whose word about clients is taken.
    let trustedProxies: TrustedProxies
    /// `nil`: requests make no spans.
    let tracing: ProxyTracing?
    /// The names of sites in statistics.
    let siteNumbers: SiteNumbers
    /// How clients can come: `http`, `https` or both.
    let clientSchemes: Set<String>
    private let entries: [Entry]
    /// Whether a route is not for everyone, so that other readings of a path matter.
    private let hasProtectedRoutes: Bool
    /// The most bytes of a path that tell which route it takes.
    private let longestPrefixCount: Int
    /// The route of all requests, if there is only one.
    let onlyRoute: ProxyRoute?
    /// Whether the response depends on the host that a client names.
    let distinguishesHosts: Bool

    init(
        _ routes: [ProxyRoute],
        trustedProxies: TrustedProxies = .init([]),
        tracing: ProxyTracing? = nil,
        siteNumbers: SiteNumbers = .init(),
        clientSchemes: Set<String> = ["http"]
    ) {
        self.routes = routes
        self.clientSchemes = clientSchemes
        self.siteNumbers = siteNumbers
        self.tracing = tracing
        self.trustedProxies = trustedProxies
        entries = routes.map { route in
            Entry(
                hosts: HostPatterns(route.configuration.hosts),
                prefix: route.pathPrefix,
                route: route,
                foreignKeys: KeySpace.within(reachOf: route, among: routes)
            )
        }
        longestPrefixCount = entries.map(\.prefix.utf8.count).max() ?? 0
        hasProtectedRoutes = routes.contains { $0.configuration.rules.protects }
        let isForAll = entries.first.map { $0.hosts.isForAll && $0.prefix == "/" } ?? false
        onlyRoute = isForAll ? routes.first : nil
        distinguishesHosts = routes.contains { $0.upstream.forwardsHost } || entries.contains { !$0.hosts.isForAll }
    }

    /// The route of a request. Complexity: O(*n*) in the number of routes.
    ///
    /// - Parameters:
    ///   - authority: Host, with or without a port, in any case; `nil` if the request names none.
    ///   - target: Path and query in any spelling, or `*`. The path is compared in normal form, as the origin gets it.
    func match(authority: String?, target: String) -> Match {
        if let onlyRoute {
            let isAmbiguous = onlyRoute.changesPaths && PathReadings.exist(for: target) && PathReadings.hideDots(in: RoutePath.normalized(target))
            return isAmbiguous ? .ambiguousPath : .route(onlyRoute)
        }
        let host = HostPatterns.host(of: authority ?? "")
        let candidates = entries.lazy.filter { $0.hosts.contain(host) }
        if candidates.isEmpty { return .unknownHost }
        let path = RoutePath.normalized(target)
        guard let entry = candidates.first(where: { path.utf8.starts(with: $0.prefix.utf8) }) else { return .unknownPath }
        if hasProtectedRoutes || entry.route.changesPaths, PathReadings.exist(for: path) {
            if PathReadings.hideDots(in: path) { return .ambiguousPath }
            if hasProtectedRoutes, mayBeProtected(path, besides: entry, among: candidates) { return .ambiguousPath }
        }
        // A response of one upstream under the name of another one's server must not be stored as if that server had sent it.
        let serverPath = entry.route.serverTarget(path)
        return entry.foreignKeys.contains(authority: authority, path: serverPath, on: entry.route) ? .unknownHost : .route(entry.route)
    }

    /// Whether a server may read a path as one of a protected route that was not taken.
    private func mayBeProtected(_ path: String, besides entry: Entry, among candidates: some Sequence<Entry>) -> Bool {
        // A prefix that is written so is meant so.
        let keptCount = PathReadings.exist(for: entry.prefix) ? entry.prefix.utf8.count : 0
        return PathReadings.beginnings(of: path, keeping: keptCount, count: longestPrefixCount).contains { reading in
            guard let other = candidates.first(where: { reading.starts(with: $0.prefix.utf8) }) else { return false }
            return other.route !== entry.route && other.route.configuration.rules.protects
        }
    }
}

/// Host names that a route is for.
struct HostPatterns: Sendable {
    let names: Set<String>
    /// `.example.com` for all below it.
    let suffixes: [String]
    /// Whether all hosts are meant.
    let isForAll: Bool

    init(_ patterns: [String]) {
        // Hosts of requests come without the dot that may end a name.
        let lowercased = patterns.map { Authority.withoutDot($0.lowercased()) }
        isForAll = lowercased.isEmpty || lowercased.contains("*")
        names = Set(lowercased.filter { !$0.hasPrefix("*.") })
        suffixes = lowercased.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst()) }
    }

    /// - Parameter host: As ``host(of:)`` gives it.
    func contain(_ host: String) -> Bool {
        isForAll || names.contains(host) || suffixes.contains { host.hasSuffix($0) && host.utf8.count > $0.utf8.count }
    }

    /// The host of an authority in small letters, without the port and without the dot that may end a name.
    static func host(of authority: String) -> String { Authority.withoutDot(Authority(authority)?.host ?? authority.lowercased()) }
}
