// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import HoardMessages
package import NIOHTTP1

/// A request as a server received it.
package struct HTTPServerRequest: Sendable {
    /// Method, scheme (`http`), authority, path and fields.
    ///
    /// The authority is that of the `Host` field, which is taken out of the fields, or of an absolute request target, which overrides it. It is `nil`
    /// only for an HTTP/1.0 request that names no host. Names of fields keep their spelling, fields their order.
    package var head: HTTPRequest
    /// The content. It is read from the client as it is consumed, and can be read once.
    ///
    /// ``HTTPBody/length`` is that of `Content-Length`. Another task may read the body; content that has not been read
    /// when the response has ended is dropped, and reading it then throws ``RequestBodyError``. Trailer fields are
    /// dropped, as a recipient may: [RFC 9110 §6.5.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.5.1).
    package var body: HTTPBody
    /// The version the client speaks: 1.0 or 1.1.
    package var version: HTTPVersion
    /// The client's IP address, without its port.
    package var remoteAddress: String
    /// The certificate by which the client has proved its identity, if the listener asks for one: the bytes of DER in
    /// Base64. `nil`: it has none.
    package var clientCertificate: String?
    /// Sends an interim (1xx) response, and returns when the network has taken it or when it will not be sent.
    ///
    /// It is sent unless the final response has begun, the client has gone, or the client speaks HTTP/1.0 ([RFC 9110
    /// §15.2](https://www.rfc-editor.org/rfc/rfc9110#section-15.2)). Fields that belong to the connection or that frame content are left out. The
    /// statuses 100 and 101 are never sent. The server asks for content by itself, and 101 is an answer to a request that opens a WebSocket.
    package var sendInterimResponse: InterimResponseHandler
    /// Whether the request asks for a WebSocket: over HTTP/1.1 by `Upgrade` ([RFC 6455 §4](https://www.rfc-editor.org/rfc/rfc6455#section-4)), over HTTP/2 by
    /// `CONNECT` with a `:protocol` ([RFC 8441 §5](https://www.rfc-editor.org/rfc/rfc8441#section-5)). Only if the server accepts that.
    ///
    /// A response of status 101 opens it, whatever the version. From then on ``body`` has the bytes that the client
    /// sends through it, and the response's body those that are sent to the client, both as they are. Any other
    /// response refuses it, and over HTTP/1.1 closes the connection.
    package var opensWebSocket: Bool

    package init(
        head: HTTPRequest,
        body: HTTPBody = .empty,
        version: HTTPVersion = .http1_1,
        remoteAddress: String,
        clientCertificate: String? = nil,
        opensWebSocket: Bool = false,
        sendInterimResponse: @escaping InterimResponseHandler = { _ in }
    ) {
        self.opensWebSocket = opensWebSocket
        self.sendInterimResponse = sendInterimResponse
        self.head = head
        self.body = body
        self.version = version
        self.remoteAddress = remoteAddress
        self.clientCertificate = clientCertificate
    }
}
