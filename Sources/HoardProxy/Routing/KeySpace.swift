// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// The keys of a route to an upstream whose servers are asked by their own name.
struct KeySpace: Sendable, Hashable {
    let authority: String
    /// The beginning of the paths in its keys.
    let pathPrefix: String

    /// The keys that requests on a route could get into although they are another upstream's, since clients choose the host in the keys of the route.
    static func within(reachOf route: ProxyRoute, among routes: [ProxyRoute]) -> [KeySpace] {
        guard route.upstream.forwardsHost else { return [] }
        let prefix = route.origin.keyPathPrefix(route.configuration)
        return routes.compactMap { other in
            guard !other.upstream.forwardsHost, other.origin.scheme == route.origin.scheme else { return nil }
            let otherPrefix = other.origin.keyPathPrefix(other.configuration)
            guard prefix.isBeginning(orContinuationOf: otherPrefix) else { return nil }
            return KeySpace(authority: other.origin.authority, pathPrefix: otherPrefix)
        }
    }
}

extension [KeySpace] {
    /// Whether the key of a request on a route is among these.
    ///
    /// - Parameters:
    ///   - authority: As the client has written it.
    ///   - path: In normal form, as servers get it below their base path.
    func contains(authority: String?, path: String, on route: ProxyRoute) -> Bool {
        if isEmpty { return false }
        let authority = route.authority(forClients: authority)
        // The cache refuses a text that is no authority.
        guard let normal = TargetURI(scheme: route.origin.scheme, authority: authority, path: "/", query: nil)?.authority else { return false }
        let path = route.origin.basePath + path
        return contains { $0.authority == normal && path.utf8.starts(with: $0.pathPrefix.utf8) }
    }
}

extension CachingProxy.Configuration {
    /// The reason why two routes would use the same keys for responses of different upstreams, in one sentence; `nil`
    /// if none do.
    ///
    /// Servers that get the client's host are not named in keys. There the path tells one upstream from the other, as long as it says which route was
    /// taken. That is so as long as servers get the path that clients have requested, below equal base paths.
    var keyConflict: String? {
        if let conflict = identityConflict { return conflict }
        let forwarding = routes.compactMap { route -> (route: Route, upstream: Upstream, origin: Origin)? in
            guard let upstream = upstreams.first(where: { $0.name == route.upstream }), upstream.forwardsHost, let origin = upstream.servers.first
            else {
                return nil
            }
            return (route, upstream, origin)
        }
        for (index, one) in forwarding.enumerated() {
            for other in forwarding[..<index] {
                let isPathChanged =
                    one.origin.basePath != other.origin.basePath || one.route.rules.replacedPath != nil || other.route.rules.replacedPath != nil
                guard one.upstream.name != other.upstream.name, one.origin.scheme == other.origin.scheme, isPathChanged,
                    one.origin.keyPathPrefix(one.route).isBeginning(orContinuationOf: other.origin.keyPathPrefix(other.route)),
                    HostPatterns(one.route.hosts).overlap(HostPatterns(other.route.hosts))
                else { continue }
                return """
                    The upstreams “\(other.upstream.name)” and “\(one.upstream.name)” both get the client's host, and other paths than clients ask for, so that \
                    URLs of one could be taken for URLs of the other; give their routes different hosts, or their servers the same path without “replace-path”.
                    """
            }
        }
        return nil
    }

    /// The reason why the proxy would ask one server for the same keys under two identities. A response to one of them
    /// is not for the other's clients.
    private var identityConflict: String? {
        let named = routes.filter { !$0.policy.isBypassed }.compactMap { route in upstreams.first { $0.name == route.upstream } }
        for (index, one) in named.enumerated() {
            for other in named[..<index] where one.clientTLS != other.clientTLS && one.hasServer(of: other) {
                return """
                    The upstreams “\(other.name)” and “\(one.name)” have the same server and different certificates of the proxy, so that what it tells one of them \
                    would be served to clients of the other; let one of their routes bypass the cache.
                    """
            }
        }
        return nil
    }
}

extension CachingProxy.Configuration.Upstream {
    /// Whether keys of both name the same server.
    func hasServer(of other: Self) -> Bool {
        guard let mine = servers.first, let others = other.servers.first else { return false }
        return mine.scheme == others.scheme && mine.authority == others.authority
    }
}

extension CachingProxy.Configuration.Route {
    /// The beginning of the route's paths at the servers, in normal form and without their base path.
    var serverPathPrefix: String { RoutePath.normalized(rules.replacedPath ?? pathPrefix) }
}

extension Origin {
    /// Returns the beginning of the paths in the keys of a route.
    fileprivate func keyPathPrefix(_ route: CachingProxy.Configuration.Route) -> String {
        basePath + route.serverPathPrefix
    }
}

extension String {
    /// Whether one of two texts begins with the other.
    func isBeginning(orContinuationOf other: String) -> Bool {
        utf8.starts(with: other.utf8) || other.utf8.starts(with: utf8)
    }
}

extension HostPatterns {
    /// Whether there may be a host that both are for.
    fileprivate func overlap(_ other: HostPatterns) -> Bool {
        if isForAll || other.isForAll { return true }
        return names.contains { other.contain($0) } || other.names.contains { contain($0) }
            || suffixes.contains { mine in other.suffixes.contains { mine.hasSuffix($0) || $0.hasSuffix(mine) } }
    }
}
