// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOHTTP1

/// A route in the form in which requests are answered by it.
final class ProxyRoute: Sendable {
    let configuration: CachingProxy.Configuration.Route
    let upstream: CachingProxy.Configuration.Upstream
    /// The policy that the cache applies to the requests; `nil` for none.
    let policy: CompiledHTTPCachePolicy?
    /// Sends requests to one of the upstream's servers.
    let group: OriginGroup
    /// The first server of the upstream: keys name it, whichever server answers.
    let origin: Origin
    /// Rules beyond caching; `nil` for none.
    let rules: RouteRules?
    /// Where its requests are counted and limited; `nil`: nowhere but among all.
    let site: Site?
    /// The beginning of paths on the route, in normal form.
    let pathPrefix: String

    init(
        _ configuration: CachingProxy.Configuration.Route,
        origin: Origin,
        group: OriginGroup,
        rules: RouteRules? = nil,
        site: Site? = nil
    ) {
        self.site = site
        self.configuration = configuration
        self.rules = rules
        pathPrefix = RoutePath.normalized(configuration.pathPrefix)
        upstream = group.upstream
        self.origin = origin
        self.group = group
        let policy = CompiledHTTPCachePolicy(configuration.policy)
        self.policy = policy
        let hasPlainKeys =
            !group.upstream.forwardsHost && policy.map { $0.keepsQuery && !$0.isBypassed && $0.policy.keyFields.isEmpty } ?? true
            && rules.map { $0.immediate != nil } ?? true
        plainKeyPrefix = hasPlainKeys ? Array("\(origin)".utf8) : nil
    }

    /// Whether servers get other paths than clients ask for. Such a path must not lead out of where the route leads to.
    var changesPaths: Bool { !origin.basePath.isEmpty || configuration.rules.replacedPath != nil }

    /// The bytes before the target in keys that are made of nothing else; `nil` if the route's keys or rules need more than the target.
    ///
    /// In such routes the client's host name does not matter, no part of the query is ignored, and the cache is not passed by. No fields select responses that do
    /// not say so themselves, and no rule needs to know more of a request.
    let plainKeyPrefix: [UInt8]?

    /// Whether a key is made of nothing but the target.
    var hasPlainKeys: Bool { plainKeyPrefix != nil }

    /// The text before the target in keys, where the client's host name does not matter: `http://server:3000/base`.
    var keyPrefix: String { "\(origin.scheme)://\(origin.authority)\(origin.basePath)" }

    /// The authority that requests have for the cache and for the upstream.
    func authority(forClients authority: String?) -> String {
        upstream.forwardsHost ? authority ?? origin.authority : origin.authority
    }

    /// Path and query for the servers, without their base path, of those that a client asks for.
    func serverTarget(_ target: String) -> String { rules?.serverTarget(target, pathPrefix: pathPrefix) ?? target }

    /// A request as rules know it.
    func ruled(_ head: HTTPRequest, client: TrustedProxies.Client) -> RuledRequest {
        let authority = upstream.forwardsHost ? self.authority(forClients: head.authority) : head.authority
        return RuledRequest(head: head, authority: authority, client: client, pathPrefix: pathPrefix)
    }

    /// Whether a client is told of links before the origin is asked. Over HTTP/1.1 it might take that for the answer: RFC 8297 §3.
    func sendsEarlyHints(to request: HTTPServerRequest) -> Bool {
        let rules = configuration.rules
        // Links that rules change in responses are not told before.
        return rules.sendsEarlyHints && request.version.major >= 2 && !rules.responseFields.names.contains(.link)
    }

    /// Returns a client as the servers are told of it; `nil`: they are told nothing.
    ///
    /// The servers are told the host that the client has asked for only where it is part of keys, and as keys have it. Otherwise an origin that makes links of it
    /// would let any client put its own links before others.
    func client(of request: HTTPServerRequest, trusting trusted: TrustedProxies) -> ForwardedClient? {
        guard upstream.tellsOfClient else { return nil }
        let client = trusted.client(of: request)
        return ForwardedClient(
            address: client.address,
            scheme: client.scheme,
            host: upstream.forwardsHost ? keyAuthority(forClients: request.head.authority) : nil,
            // A proxy in front has shown its own.
            certificate: trusted.trusts(request.remoteAddress) ? nil : request.clientCertificate
        )
    }

    /// The authority as keys have it; `nil` if it is none.
    private func keyAuthority(forClients authority: String?) -> String? {
        TargetURI(scheme: origin.scheme, authority: self.authority(forClients: authority), path: "/", query: nil)?.authority
    }

    /// The URI of a client's request as the cache has it, after normalisation and without the parts that the policy
    /// ignores.
    ///
    /// - Parameters:
    ///   - authority: That of the request; it matters only if the upstream gets it.
    ///   - target: Path and query.
    /// - Returns: `nil` if they are no part of a URI.
    func keyURI(authority: String?, target: String) -> String? {
        let target = ForwardedRequest.path(serverTarget(target), below: origin.basePath)
        return TargetURI(URIReference("\(origin.scheme)://\(self.authority(forClients: authority))\(target)"))?.keyURI(policy)
    }
}
