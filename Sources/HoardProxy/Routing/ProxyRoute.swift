// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO

/// A route in the form in which requests are answered by it.
final class ProxyRoute: Sendable {
    let configuration: CachingProxy.Configuration.Route
    let upstream: CachingProxy.Configuration.Upstream
    /// What the cache is told of the requests; `nil` for nothing.
    let policy: CompiledHTTPCachePolicy?
    /// Sends requests to one of the upstream's servers.
    let group: OriginGroup
    /// The first server of the upstream: keys name it, whichever server answers.
    let origin: Origin

    init(
        _ configuration: CachingProxy.Configuration.Route,
        origin: Origin,
        group: OriginGroup
    ) {
        self.configuration = configuration
        upstream = group.upstream
        self.origin = origin
        self.group = group
        let policy = CompiledHTTPCachePolicy(configuration.policy)
        self.policy = policy
        let hasPlainKeys = !group.upstream.forwardsHost && policy.map { $0.keepsQuery && !$0.isBypassed && $0.policy.keyFields.isEmpty } ?? true
        plainKeyPrefix = hasPlainKeys ? Array("\(origin)".utf8) : nil
    }

    /// What comes before the target in keys that are made of nothing else: the client's host name does not matter, no part of the query is ignored, no
    /// fields select responses that do not say so themselves, and the cache is not passed by. Else `nil`.
    let plainKeyPrefix: [UInt8]?

    /// Whether a key is made of nothing but the target.
    var hasPlainKeys: Bool { plainKeyPrefix != nil }

    /// What comes before the target in keys, where the client's host name does not matter: `http://server:3000/base`.
    var keyPrefix: String { "\(origin.scheme)://\(origin.authority)\(origin.basePath)" }

    /// The authority that requests have for the cache and for the upstream.
    func authority(forClients authority: String?) -> String {
        upstream.forwardsHost ? authority ?? origin.authority : origin.authority
    }

    /// What servers are told of a client; `nil`: nothing.
    ///
    /// The host that it has asked for is told only where that is part of keys, and as keys have it. An origin that makes links of it would otherwise let anybody put links of his own
    /// before others.
    func client(of request: HTTPServerRequest, trusting trusted: TrustedProxies) -> ForwardedClient? {
        guard upstream.tellsOfClient else { return nil }
        let client = trusted.client(behind: .init(address: request.remoteAddress, scheme: request.head.scheme ?? "http")) {
            request.head.headerFields
        }
        return ForwardedClient(
            address: client.address,
            scheme: client.scheme,
            host: upstream.forwardsHost ? keyAuthority(forClients: request.head.authority) : nil
        )
    }

    /// The authority as keys have it; `nil` if it is none.
    private func keyAuthority(forClients authority: String?) -> String? {
        TargetURI(scheme: origin.scheme, authority: self.authority(forClients: authority), path: "/", query: nil)?.authority
    }

    /// The URI of a client's request as the cache has it, after normalisation and without what the policy ignores.
    ///
    /// - Parameters:
    ///   - authority: That of the request; it matters only if the upstream gets it.
    ///   - target: Path and query.
    /// - Returns: `nil` if they are no part of a URI.
    func keyURI(authority: String?, target: String) -> String? {
        TargetURI(
            URIReference("\(origin.scheme)://\(self.authority(forClients: authority))\(ForwardedRequest.path(target, below: origin.basePath))")
        )?.keyURI(policy)
    }
}
