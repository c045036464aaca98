// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// Which request takes which route: the first one that fits. It never changes; a proxy that is configured anew gets another table.
final class RouteTable: Sendable {
    /// What becomes of a request.
    enum Match {
        case route(ProxyRoute)
        /// There are no routes for the host, or it is the name of another upstream's server: 421 ([RFC 9110 §15.5.20](https://www.rfc-editor.org/rfc/rfc9110#section-15.5.20)).
        case unknownHost
        /// The host has routes, but none for the path: 404.
        case unknownPath
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
    private let entries: [Entry]
    /// The route of all requests, if there is only one.
    let onlyRoute: ProxyRoute?
    /// Whether the host that a client names matters to what it gets.
    let distinguishesHosts: Bool

    init(_ routes: [ProxyRoute], trustedProxies: TrustedProxies = .init([])) {
        self.routes = routes
        self.trustedProxies = trustedProxies
        entries = routes.map { route in
            Entry(
                hosts: HostPatterns(route.configuration.hosts),
                prefix: route.pathPrefix,
                route: route,
                foreignKeys: KeySpace.within(reachOf: route, among: routes)
            )
        }
        let isForAll = entries.first.map { $0.hosts.isForAll && $0.prefix == "/" } ?? false
        onlyRoute = isForAll ? routes.first : nil
        distinguishesHosts = routes.contains { $0.upstream.forwardsHost } || entries.contains { !$0.hosts.isForAll }
    }

    /// The route of a request. Complexity: O(*n*) in the number of routes.
    ///
    /// - Parameters:
    ///   - authority: Host, with or without a port, in any case; `nil` if the request names none.
    ///   - target: Path and query in any spelling, or `*`. What is compared is the path in normal form, as the origin gets it.
    func match(authority: String?, target: String) -> Match {
        if let onlyRoute { return .route(onlyRoute) }
        let host = HostPatterns.host(of: authority ?? "")
        let path = RoutePath.normalized(target)
        var knowsHost = false
        for entry in entries where entry.hosts.contain(host) {
            knowsHost = true
            guard path.utf8.starts(with: entry.prefix.utf8) else { continue }
            // What one upstream says under the name of another one's server must not be stored as if that had said it.
            let serverPath = entry.route.serverTarget(path)
            return entry.foreignKeys.contains(authority: authority, path: serverPath, on: entry.route) ? .unknownHost : .route(entry.route)
        }
        return knowsHost ? .unknownPath : .unknownHost
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
        let lowercased = patterns.map { $0.lowercased() }
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

/// The path of a request target, in the form that routes are compared with.
enum RoutePath {
    /// The path in the form that the cache forwards ([RFC 9110 §4.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.3)), so that no spelling of it takes
    /// another route than the path means.
    static func normalized(_ target: String) -> String {
        let path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[..<$0]) } ?? target
        var previous: UInt8 = 0
        let isPlain = path.utf8.allSatisfy { byte in
            defer { previous = byte }
            return byte != UInt8(ascii: "%") && byte > 0x20 && byte < 0x7F && !(byte == UInt8(ascii: ".") && previous == UInt8(ascii: "/"))
        }
        if isPlain { return path }
        return TargetURI(scheme: "http", authority: "localhost", path: path, query: nil)?.path ?? path
    }
}
