// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import NIOCore

/// Under which names the admin server may be asked for.
///
/// Another site can give a name of its own the address of this server, and a browser would then take the site's page for part of the server (DNS rebinding).
/// The page's requests have that name as their host. A site cannot do so with an IP address or `localhost`.
struct AdminHost: Sendable {
    /// `nil`: any name.
    private let names: HostPatterns?

    /// - Parameter names: The names that clients may use for the server beside its addresses, `*.example.com` for all below one; `nil`: any name. A `*` alone
    ///   stands for no name.
    init(names: [String]?) {
        self.names = names.map { HostPatterns(["localhost", "*.localhost"] + $0.filter { $0 != "*" }) }
    }

    /// - Parameter authority: Host and port, as in the `Host` field; `nil` if there is none.
    func isAllowed(_ authority: String?) -> Bool {
        guard let names else { return true }
        guard let name = authority.flatMap({ Authority($0)?.name }) else { return false }
        if names.contain(name) { return true }
        return (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    /// Whether a browser sends the request on behalf of another site: [Fetch, §3.2](https://fetch.spec.whatwg.org/#origin-header),
    /// [Fetch Metadata §2.3](https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header).
    static func isForeign(_ request: HTTPRequest) -> Bool {
        if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headerFields[name], site != "same-origin", site != "none" { return true }
        guard let origin = request.headerFields[.origin] else { return false }
        guard let end = origin.firstRange(of: "://") else { return true }
        return origin[end.upperBound...].lowercased() != request.authority?.lowercased()
    }
}
