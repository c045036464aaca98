// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPServer {
    /// An address that a server listens on, and what is spoken there.
    package struct Listener: Sendable {
        package enum Address: Sendable, Hashable {
            /// An IP address or a name, and a port; port 0 takes any that is free.
            case tcp(host: String, port: Int)
            /// A socket in the file system. A file that a dead server has left there is removed; one that somebody listens on is not.
            case unix(path: String)
        }

        package var address: Address
        /// `nil`: without encryption.
        package var tls: TLSCredentials?
        /// Whether clients may speak HTTP/2: agreed on by ALPN with encryption, with prior knowledge without
        /// ([RFC 9113 §3](https://www.rfc-editor.org/rfc/rfc9113#section-3)). Default: `false`.
        package var isHTTP2Enabled: Bool
        /// Whether each connection begins with a header of the PROXY protocol, version 1 or 2. One that does not is closed. Default: `false`.
        package var expectsProxyProtocol: Bool

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
