// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Makes URLs of the paths by which screens are asked for.
public protocol URLBuilding: Sendable {
    /// The absolute `http` or `https` URL for a path; `nil` if there is none.
    func build(path: String) -> URL?
}

/// Paths below a base URL.
///
/// | base | path | URL |
/// | --- | --- | --- |
/// | `https://example.com/api` | `/home` or `home` | `https://example.com/api/home` |
/// | `https://example.com/api` | `/home?page=2` | `https://example.com/api/home?page=2` |
/// | `https://example.com/api` | `https://example.com/terms` | `https://example.com/terms` |
/// | `https://example.com/api` | `https://elsewhere.com/` | none, unless other hosts are allowed |
///
/// Screens name the paths of other screens, so a path may come from a server: it cannot lead to another scheme, host or port unless that is allowed.
public struct URLBuilder: URLBuilding {
    /// The URL that relative paths are appended to. `nil`: only absolute URLs can be built, and to any host.
    public let baseURL: URL?
    /// Whether absolute URLs may lead to another scheme, host or port than the base's. Default: `false`.
    public let allowsOtherHosts: Bool

    /// Creates a builder.
    public init(baseURL: URL?, allowsOtherHosts: Bool = false) {
        self.baseURL = baseURL
        self.allowsOtherHosts = allowsOtherHosts
    }

    /// The URL in its normal form ([RFC 9110 §4.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.3)), without a fragment. Complexity: O(*n*) in
    /// the length of the path.
    public func build(path: String) -> URL? {
        let base = baseURL.flatMap { TargetURI(URIReference($0.absoluteString)) }
        if baseURL != nil, base == nil { return nil }
        guard let target = target(URIReference(path), base) else { return nil }
        if let base, !allowsOtherHosts, !target.hasSameOrigin(as: base) { return nil }
        return URL(string: target.description)
    }

    private func target(_ reference: URIReference, _ base: TargetURI?) -> TargetURI? {
        if reference.scheme != nil { return TargetURI(reference) }
        guard let base else { return nil }
        var reference = reference
        reference.scheme = base.scheme
        if reference.authority == nil {
            reference.authority = base.authority
            reference.path = Self.joining(base.path, reference.path)
        }
        return TargetURI(reference)
    }

    private static func joining(_ base: String, _ path: String) -> String {
        if path.isEmpty { return base }
        return (base.hasSuffix("/") ? String(base.dropLast()) : base) + (path.hasPrefix("/") ? path : "/" + path)
    }
}
