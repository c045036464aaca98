// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardWire
internal import NIOCore
internal import NIOHTTP1

/// A request as it is written.
struct OutgoingRequest: Sendable {
    enum Content: Sendable {
        case none
        case bytes(ByteBuffer)
        case stream(HTTPBody)
        /// The bytes to send through the WebSocket that the request asks for, when the origin has opened it.
        case webSocket(HTTPBody)
    }

    let scheme: String
    let authority: String
    let head: HTTPRequestHead
    let content: Content

    /// A request without content whose head is known.
    init(head: HTTPRequestHead) {
        (scheme, authority, content) = ("", "", .none)
        self.head = head
    }

    /// The request with the fields that frame its content: [RFC 9112 §6](https://www.rfc-editor.org/rfc/rfc9112#section-6). One for a WebSocket is in the
    /// form of HTTP/1.1: [RFC 6455 §4.1](https://www.rfc-editor.org/rfc/rfc6455#section-4.1).
    init(_ request: HTTPRequest, body: HTTPBody, to origin: Destination) {
        var headers = HTTPHeaders()
        headers.reserveCapacity(request.headerFields.count + 2)
        headers.add(name: "Host", value: origin.authority)
        for field in request.headerFields.fieldsToSend {
            headers.add(name: field.name.rawName, value: field.value)
        }
        scheme = origin.scheme
        authority = origin.authority
        if request.opensWebSocket {
            headers.add(name: "Connection", value: "Upgrade")
            headers.add(name: "Upgrade", value: "websocket")
            head = HTTPRequestHead(version: .http1_1, method: .GET, uri: origin.target, headers: headers)
            content = .webSocket(body)
            return
        }
        let bytes = body.bytesAtHand
        if let length = body.length {
            if length > 0 || bytes == nil || request.method.usuallyHasContent { headers.add(name: "Content-Length", value: "\(length)") }
        } else {
            headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        head = HTTPRequestHead(version: .http1_1, method: HTTPMethod(request.method), uri: origin.target, headers: headers)
        content = bytes.map { $0.readableBytes > 0 ? .bytes($0) : .none } ?? .stream(body)
    }
}

extension OutgoingRequest {
    /// Whether it asks for a WebSocket.
    var opensWebSocket: Bool { if case .webSocket = content { true } else { false } }
}

extension HTTPRequest.Method {
    /// [RFC 9110 §8.6](https://www.rfc-editor.org/rfc/rfc9110#section-8.6): a request that has no content says so if its method anticipates some.
    fileprivate var usuallyHasContent: Bool {
        switch self {
        case .post, .put, .patch: true
        default: false
        }
    }
}
