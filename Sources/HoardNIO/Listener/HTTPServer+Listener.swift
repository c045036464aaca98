// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPServer {
    /// An address that a server listens on, and the protocols there.
    package struct Listener: Sendable {
        package enum Address: Sendable, Hashable {
            /// An IP address or a name, and a port; port 0 takes any that is free.
            case tcp(host: String, port: Int)
            /// A socket in the file system. A file that a dead server has left there is removed; one that a process listens on is not.
            case unix(path: String)
        }

        package var address: Address
        /// For clients that name no host, or one that ``namedTLS`` does not have. `nil`: such clients are refused, or, if there are no others, the listener is
        /// not encrypted.
        package var tls: TLSCredentials?
        /// For clients that name a host ([RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3)). Default: none.
        package var namedTLS: [NamedCredentials] = []
        /// Demands on encrypted connections. Default: TLS 1.2 or later, and no certificates of clients.
        package var tlsRules = TLSRules()
        /// Whether clients may speak HTTP/2: agreed on by ALPN with encryption, with prior knowledge without
        /// ([RFC 9113 §3](https://www.rfc-editor.org/rfc/rfc9113#section-3)). Default: `false`.
        package var isHTTP2Enabled: Bool
        /// Whether each connection begins with a header of the PROXY protocol, version 1 or 2. One that does not is closed. Default: `false`.
        package var expectsProxyProtocol: Bool

        /// Certificates for hosts.
        package struct NamedCredentials: Sendable {
            /// Names without ports; `*.example.com` for all below one. An exact name goes before any `*`, a longer one before a shorter one.
            package var hosts: [String]
            package var credentials: TLSCredentials

            package init(hosts: [String], credentials: TLSCredentials) {
                self.hosts = hosts
                self.credentials = credentials
            }
        }

        /// Whether connections are encrypted.
        package var isEncrypted: Bool { tls != nil || !namedTLS.isEmpty }

        package init(_ address: Address, tls: TLSCredentials? = nil, isHTTP2Enabled: Bool = false, expectsProxyProtocol: Bool = false) {
            self.address = address
            self.tls = tls
            self.isHTTP2Enabled = isHTTP2Enabled
            self.expectsProxyProtocol = expectsProxyProtocol
        }
    }
}

extension HTTPServer.Listener.Address: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tcp(let host, let port): "\(host) port \(port)"
        case .unix(let path): "the socket \(path)"
        }
    }

    /// As it stands in a URL or a log: `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/hoard.sock`.
    package var text: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
