// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// The server that a proxy stands in front of.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// Host and, unless it is the scheme's own, port: the `Host` field of forwarded requests.
    public let authority: String
    /// The beginning of forwarded paths: empty, or a path without a slash at its end.
    public let basePath: String

    /// Reads a URL such as `http://localhost:3000` or `https://example.com/app`.
    ///
    /// - Throws: ``ProxyError/Code/invalidOrigin``, with a sentence that names the fault of the URL.
    public init(_ url: String) throws(ProxyError) {
        guard url.contains("://") else {
            throw ProxyError(.invalidOrigin, "The origin “\(url)” has no scheme; write http://\(url) or https://\(url).")
        }
        let reference = URIReference(url)
        guard let scheme = reference.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw ProxyError(.invalidOrigin, "The origin “\(url)” is not an http or https URL.")
        }
        guard let target = TargetURI(reference) else {
            throw ProxyError(.invalidOrigin, "The origin “\(url)” needs a host name or address, with neither user name nor password.")
        }
        guard target.query == nil, !url.contains("#") else {
            throw ProxyError(.invalidOrigin, "The origin “\(url)” must have neither a query nor a fragment.")
        }
        self.scheme = target.scheme
        self.authority = target.authority
        var basePath = target.path
        while basePath.last == "/" { basePath.removeLast() }
        self.basePath = basePath
    }

    public var description: String { "\(scheme)://\(authority)\(basePath)" }
}
