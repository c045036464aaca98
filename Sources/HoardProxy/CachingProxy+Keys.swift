// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardHTTP

extension CachingProxy {
    /// A URI as the cache has it, with the policy that shapes its key.
    package struct CacheURI: Sendable, Hashable {
        package let uri: String
        package let policy: HTTPCachePolicy
        /// The number of the route, from 0.
        package let routeIndex: Int
    }

    /// Returns the cache's URI for a text that an operator writes: a path, a URL as clients know it, or one of an upstream's server.
    ///
    /// A path alone stands for the first route that it fits, whatever hosts that is for.
    ///
    /// - Returns: `nil` if it is none of these, if no route fits, or if it is a path whose keys have the client's host.
    package func cacheURI(for text: String) -> CacheURI? {
        routes.current.cacheURI(for: text)
    }
}

/// The cache's URIs for a text that an operator writes.
enum FoundCacheURIs: Hashable {
    /// At least one.
    case uris([CachingProxy.CacheURI])
    /// It is a path that may be there for any host.
    case hostIsMissing
    /// It is no such thing, or no route fits.
    case nothing
}

extension RouteTable {
    func cacheURI(for text: String) -> CachingProxy.CacheURI? {
        if case .uris(let uris) = cacheURIs(for: text) { uris.first } else { nil }
    }

    /// - Parameter isPrefix: Whether `text` is the beginning of all that is meant.
    func cacheURIs(for text: String, isPrefix: Bool = false) -> FoundCacheURIs {
        if text.utf8.first == UInt8(ascii: "/") {
            let places = places(of: text, forHost: nil, isPrefix: isPrefix)
            if places.contains(where: { routes[$0.index].upstream.forwardsHost }) { return .hostIsMissing }
            return found(places.map { uri(on: $0.index, authority: nil, target: $0.target) })
        }
        guard let target = TargetURI(URIReference(text)) else { return .nothing }
        if isPrefix {
            let places = places(of: target.pathAndQuery, forHost: HostPatterns.host(of: target.authority), isPrefix: true)
            return found([prefixAtServer(target)] + places.map { uri(on: $0.index, authority: target.authority, target: $0.target) })
        }
        let atServer = found(urisAtServer(target))
        if atServer != .nothing { return atServer }
        guard case .route(let route) = match(authority: target.authority, target: target.pathAndQuery),
            let index = routes.firstIndex(where: { $0 === route })
        else { return .nothing }
        return found([uri(on: index, authority: target.authority, target: target.pathAndQuery)])
    }

    /// The routes that may have such entries, each with the beginning of their targets there.
    ///
    /// - Parameter host: `nil`: any.
    private func places(of target: String, forHost host: String?, isPrefix: Bool) -> [(index: Int, target: String)] {
        let path = RoutePath.normalized(target)
        var places: [(index: Int, target: String)] = []
        for (index, route) in routes.enumerated() {
            let hosts = HostPatterns(route.configuration.hosts)
            if let host, !hosts.contain(host) { continue }
            let prefix = route.pathPrefix
            if path.utf8.starts(with: prefix.utf8) {
                places.append((index, target))
                // It takes all requests that the routes behind it could have got.
                if host != nil || hosts.isForAll { break }
            } else if isPrefix, !target.utf8.contains(UInt8(ascii: "?")), prefix.utf8.starts(with: path.utf8) {
                places.append((index, prefix))
            }
        }
        return places
    }

    private func found(_ uris: [CachingProxy.CacheURI?]) -> FoundCacheURIs {
        var found: [CachingProxy.CacheURI] = []
        for case let uri? in uris where !found.contains(where: { $0.uri == uri.uri && $0.policy == uri.policy }) { found.append(uri) }
        return found.isEmpty ? .nothing : .uris(found)
    }

    /// The beginning of URLs of a server that keys name.
    private func prefixAtServer(_ target: TargetURI) -> CachingProxy.CacheURI? {
        let index = routes.firstIndex { route in
            let origin = route.origin
            return !route.upstream.forwardsHost && target.scheme == origin.scheme && target.authority == origin.authority
                && target.path.isBeginning(orContinuationOf: origin.basePath + "/")
        }
        return index.map { .init(uri: target.description, policy: routes[$0].configuration.policy, routeIndex: $0) }
    }

    /// A URL of the server that keys name, once for each route that may ask for it: each has a policy of its own, which shapes the key.
    private func urisAtServer(_ target: TargetURI) -> [CachingProxy.CacheURI?] {
        routes.indices.map { index in
            let route = routes[index]
            let origin = route.origin
            guard !route.upstream.forwardsHost, target.scheme == origin.scheme, target.authority == origin.authority,
                target.path.utf8.starts(with: "\(origin.basePath)/".utf8)
            else { return nil }
            let path = String(target.path.dropFirst(origin.basePath.count))
            let prefix = route.configuration.serverPathPrefix
            guard path.utf8.starts(with: prefix.utf8) else { return nil }
            // As clients ask for it.
            let asked = route.pathPrefix + path.dropFirst(prefix.count)
            return uri(on: index, authority: nil, target: target.query.map { "\(asked)?\($0)" } ?? asked)
        }
    }

    private func uri(on index: Int, authority: String?, target: String) -> CachingProxy.CacheURI? {
        let route = routes[index]
        guard let uri = route.keyURI(authority: authority, target: target) else { return nil }
        return .init(uri: uri, policy: route.configuration.policy, routeIndex: index)
    }
}
