// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import Hoard

extension HTTPCache {
    /// Explains the stored response for a URI, the answer that a GET would get now, and why the last response was stored or not. Sends nothing.
    /// Suspends.
    ///
    /// The reason of the last response is remembered for about a thousand URIs, in memory.
    ///
    /// - Parameters:
    ///   - uri: An absolute `http` or `https` URI.
    ///   - fields: Fields of the request, such as those that select a variant.
    ///   - partition: Whose request it would be. `nil`: the one of the configuration.
    ///   - policy: That of requests for the URI.
    public func explain(
        _ uri: String,
        fields: HTTPFields = [:],
        partition: String? = nil,
        policy: HTTPCachePolicy = HTTPCachePolicy()
    ) async -> HTTPCacheExplanation {
        let policy = CompiledHTTPCachePolicy(policy)
        let target = TargetURI(URIReference(uri))
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil, headerFields: fields)
        if let target { request.setTarget(target) }
        let key = HTTPCacheKey(scope: scope(for: request, in: space(partition: partition)), targetURI: target?.keyURI(policy) ?? "")
        let found = target == nil ? Found(base: key) : await lookUp(key, fields.removingHopByHopFields())
        var variants: HTTPCacheExplanation.Variants?
        if target != nil, case .variants(let index)? = await entries.lookup(forKey: found.base)?.value {
            variants = .init(index, limit: configuration.maximumVariants)
        }
        return HTTPCacheExplanation(
            request: request,
            uri: key.targetURI,
            policy: policy,
            stored: found.response,
            isVaryMiss: found.isVaryMiss,
            variants: variants,
            lastDecision: journal.decision(for: key),
            now: clock.now(),
            rules: rules
        )
    }
}
