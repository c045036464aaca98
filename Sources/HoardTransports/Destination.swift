// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// Where a request is sent, checked to be a place one can send to.
struct Destination: Hashable, Sendable {
    let scheme: String
    let authority: String
    /// Path and query.
    let target: String
    /// A name or an address in lower case, an IPv6 address with its brackets.
    private let host: String
    private let port: Int

    /// - Parameter allowsWebSocket: Requests may ask for a WebSocket.
    /// - Throws: ``TransportError`` of code `invalidURL`.
    init(of request: HTTPRequest, allowsWebSocket: Bool = false) throws(TransportError) {
        guard let scheme = request.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw TransportError(.invalidURL, "The request's scheme is neither http nor https.")
        }
        guard let authority = request.authority, let parts = Authority(authority) else {
            throw TransportError(.invalidURL, "The request names no host, or one that is not valid.")
        }
        guard let target = request.path, target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy(\.isAllowedInTarget) else {
            throw TransportError(.invalidURL, "The path of the request to \(authority) does not begin with a slash, or holds an invalid character.")
        }
        guard request.method != .connect || allowsWebSocket && request.opensWebSocket else {
            throw TransportError(.invalidURL, "A request to \(authority) asks for a tunnel, which is not supported.")
        }
        self.scheme = scheme
        self.authority = authority
        host = parts.host
        port = parts.port ?? (scheme == "https" ? 443 : 80)
        self.target = target
    }

    /// Creates the destination that stands for a server in messages.
    init(_ server: OriginServer) {
        scheme = server.isSecure ? "https" : "http"
        host = server.host.utf8.contains(UInt8(ascii: ":")) ? "[\(server.host)]" : server.host
        port = server.port
        authority = "\(host):\(port)"
        target = "/"
    }

    var url: String { "\(scheme)://\(authority)\(target)" }

    /// Whether the request stays on this device: [RFC 6761 §6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3),
    /// [RFC 6890 §2.2.2](https://www.rfc-editor.org/rfc/rfc6890#section-2.2.2).
    var isThisDevice: Bool {
        let name = Authority.withoutDot(host)
        return name == "localhost" || name.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < UInt8(ascii: ":") })
    }

    /// Host and port, for a person to read.
    var name: String { "\(authority.prefix(host.count)) port \(port)" }

    /// Where connections to it go.
    var server: OriginServer {
        let isAddress = host.utf8.first == UInt8(ascii: "[")
        return OriginServer(isSecure: scheme == "https", host: isAddress ? String(host.dropFirst().dropLast()) : host, port: port)
    }
}
