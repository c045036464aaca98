// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import HoardHTTP
internal import NIOCore

/// Where connections go. Requests to the same one share them.
package struct OriginServer: Hashable, Sendable {
    package let isSecure: Bool
    /// A name or an address, without brackets, in lower case.
    package let host: String
    package let port: Int

    package init(isSecure: Bool, host: String, port: Int) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// The server of a URL.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - authority: A name or an address, and perhaps a port.
    /// - Throws: ``TransportError`` of code `invalidURL`.
    package init(scheme: String, authority: String) throws(TransportError) {
        self = try Destination(of: HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")).server
    }
}

extension OriginServer {
    /// The name that encryption asks for, without the dot that may end it ([RFC 6066 §3](https://www.rfc-editor.org/rfc/rfc6066#section-3)); `nil` for an
    /// address.
    var encryptedName: String? {
        let name = Authority.withoutDot(host)
        let isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
        return isAddress ? nil : name
    }
}

extension OriginServer: CustomStringConvertible {
    /// Host and port, for a person to read.
    package var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)] port \(port)" : "\(host) port \(port)" }
}
