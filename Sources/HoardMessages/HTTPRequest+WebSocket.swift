// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest {
    /// Whether the request asks for a WebSocket in the form of HTTP/2, which transports understand whatever they speak to the origin:
    /// [RFC 8441 §5](https://www.rfc-editor.org/rfc/rfc8441#section-5).
    package var opensWebSocket: Bool { method == .connect && extendedConnectProtocol == "websocket" }

    /// The same request in the form of HTTP/2.
    package func openingWebSocket() -> HTTPRequest {
        var request = self
        request.method = .connect
        request.extendedConnectProtocol = "websocket"
        return request
    }
}
