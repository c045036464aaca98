// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// A request as the cache knows it.
struct CacheTarget: Sendable {
    /// With scheme, authority and path, all in normal form.
    let request: HTTPRequest
    /// The request's target.
    let uri: TargetURI
    /// Whether the path that the router has read is in normal form.
    ///
    /// If it is not, the handler that was chosen for it may be another one than that for the normal form: `/a/%2E%2E/b` is `/b` for the cache, and a route
    /// `/a/:name/b` may answer it. Nothing is looked up for such a request, and its response is not stored.
    let isExact: Bool

    /// - Returns: `nil` if the request has no URI that a cache could know, such as that of `OPTIONS *`.
    init?(_ head: HTTPRequest, _ scheme: HTTPCacheScheme, _ authority: HTTPCacheAuthority) {
        guard var request = Self.inOriginForm(head) else { return nil }
        request.scheme = Self.scheme(of: request, by: scheme)
        switch authority.rule {
        case .ofRequest, .oneOf: break
        case .canonical(let canonical): request.authority = canonical
        }
        guard let target = TargetURI(request) else { return nil }
        if case .oneOf(let known) = authority.rule, !known.contains(target.authority) { return nil }
        isExact = (request.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(target.path.utf8)
        request.scheme = target.scheme
        request.authority = target.authority
        request.path = target.pathAndQuery
        self.request = request
        uri = target
    }

    /// The URI of a path at the site that a request has come to.
    static func uri(ofPath path: String, like head: HTTPRequest, _ scheme: HTTPCacheScheme, _ authority: HTTPCacheAuthority) -> String? {
        guard var request = inOriginForm(head), path.utf8.first == UInt8(ascii: "/") else { return nil }
        request.path = path
        guard let target = CacheTarget(request, scheme, authority) else { return nil }
        return target.uri.description
    }

    /// The request with its target in origin form: [RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2).
    private static func inOriginForm(_ head: HTTPRequest) -> HTTPRequest? {
        guard let path = head.path, path.utf8.first != UInt8(ascii: "/") else { return head.path == nil ? nil : head }
        // The absolute form, whose authority counts more than `Host`: §3.2.2.
        let reference = URIReference(path)
        guard let scheme = reference.scheme, let authority = reference.authority, reference.path.utf8.first == UInt8(ascii: "/") else { return nil }
        var request = head
        request.scheme = scheme
        request.authority = authority
        request.path = reference.query.map { "\(reference.path)?\($0)" } ?? reference.path
        return request
    }

    private static func scheme(of request: HTTPRequest, by scheme: HTTPCacheScheme) -> String {
        let own = request.scheme ?? "http"
        switch scheme.rule {
        case .ofRequest: return own
        case .fixed(let fixed): return fixed
        case .forwarded:
            guard let name = HTTPField.Name("X-Forwarded-Proto"), let said = request.headerFields[name]?.lowercased() else { return own }
            return said == "http" || said == "https" ? said : own
        }
    }
}
