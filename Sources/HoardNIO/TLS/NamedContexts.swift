// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import HoardMessages
internal import NIOSSL

/// TLS contexts by the host that the client names ([RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3)).
struct NamedContexts: Sendable {
    /// For other clients; `nil`: they are refused.
    let other: NIOSSLContext?
    /// Whether clients are asked for certificates.
    let asksClients: Bool
    /// The certificates that clients will refuse because of their time: the hosts that they are for, empty for ``other``, and the reason.
    private(set) var warnings: [(hosts: [String], reason: String)] = []
    private var exact: [String: NIOSSLContext] = [:]
    /// By the part of the name behind the `*`, such as `.example.com`.
    private var below: [String: NIOSSLContext] = [:]

    /// Loads certificates. The first that is for a name is used for it.
    ///
    /// - Throws: ``TLSError``.
    init(_ listener: HTTPServer.Listener, clock: any WallClock) async throws {
        asksClients = listener.tlsRules.clients != nil
        if let credentials = listener.tls {
            let (context, warning) = try await credentials.makeContext(for: listener, clock: clock)
            other = context
            if let warning { warnings.append(([], warning)) }
        } else {
            other = nil
        }
        for named in listener.namedTLS {
            let context: NIOSSLContext
            do {
                let warning: String?
                (context, warning) = try await named.credentials.makeContext(for: listener, clock: clock)
                if let warning { warnings.append((named.hosts, warning)) }
            } catch let error as TLSError {
                throw TLSError("For \(named.hosts.joined(separator: ", ")): \(error.message)", underlyingError: error)
            }
            for host in named.hosts.map({ Authority.withoutDot($0.lowercased()) }) {
                if host.hasPrefix("*.") {
                    let suffix = String(host.dropFirst())
                    if below[suffix] == nil { below[suffix] = context }
                } else if exact[host] == nil {
                    exact[host] = context
                }
            }
        }
    }

    /// The one context, if names do not matter.
    var only: NIOSSLContext? { exact.isEmpty && below.isEmpty ? other : nil }

    /// - Complexity: O(*n*) in the parts of the name.
    func context(forHost host: String?) -> NIOSSLContext? {
        guard var name = host?.lowercased() else { return other }
        // A name may end with the dot of the root, which clients should not send.
        if name.last == "." { name.removeLast() }
        // RFC 1035 §2.3.4 allows no longer ones. A client may send many times as much, and each part of it costs a look at all behind it.
        guard name.utf8.count <= 253 else { return other }
        if let context = exact[name] { return context }
        var rest = name[...]
        while let dot = rest.firstIndex(of: ".") {
            if let context = below[String(rest[dot...])], dot > name.startIndex { return context }
            rest = rest[rest.index(after: dot)...]
        }
        return other
    }
}
