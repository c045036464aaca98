// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The facts about a connection that are known before its first request.
package struct ConnectionInfo: Sendable, Hashable {
    /// The client's IP address, without its port; empty for a client of a Unix socket.
    package var remoteAddress: String
    /// Whether the connection is encrypted.
    package var isSecure: Bool
    /// The certificate by which the client has proved its identity: the bytes of DER in Base64. `nil`: none was asked
    /// for, or it had none.
    package var clientCertificate: String?

    package init(remoteAddress: String, isSecure: Bool = false) {
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
    }

    /// The scheme of URLs that are asked for on such a connection.
    package var scheme: String { isSecure ? "https" : "http" }
}
