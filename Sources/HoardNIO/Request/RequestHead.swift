// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardWire
internal import NIOHTTP1

/// A request's head after every rule that protects the server and those behind it.
///
/// The parser has its own, coarser rules. These are applied again here, so that they hold whatever the parser lets through.
struct RequestHead: Sendable {
    /// How much content follows.
    enum Content: Hashable, Sendable {
        case none
        case bytes(Int)
        case chunked
    }

    let head: HTTPRequest
    let version: HTTPVersion
    let content: Content
    /// The client waits for 100 before it sends the content: [RFC 9110 §10.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1).
    let expectsContinue: Bool
    /// The client may send another request on this connection: [RFC 9112 §9.3](https://www.rfc-editor.org/rfc/rfc9112#section-9.3).
    let keepsAlive: Bool
    /// The client asks for a WebSocket, and the server accepts that.
    let opensWebSocket: Bool

    /// - Parameter isSecure: The connection is encrypted, so that `https` URLs are asked for on it.
    /// - Throws: ``RequestRejection`` with the status and the sentence to answer.
    /// - Complexity: O(n) in the bytes of the head.
    init(_ head: HTTPRequestHead, isSecure: Bool = false, limits: HTTPServer.Configuration) throws(RequestRejection) {
        guard head.version == .http1_1 || head.version == .http1_0 else { throw .versionNotSupported }
        guard head.uri.utf8.count <= limits.maximumTargetByteCount else {
            throw RequestRejection(.uriTooLong, "The request target is longer than the \(limits.maximumTargetByteCount) bytes the server accepts.")
        }
        let scheme = isSecure ? "https" : "http"
        let target = try RequestTarget(head.uri, method: head.method, scheme: scheme)
        guard let method = HTTPRequest.Method(head.method) else { throw .malformed }

        var framing = RequestFraming()
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        var byteCount = 0
        for (name, value) in head.headers {
            byteCount += name.utf8.count + value.utf8.count
            guard byteCount <= limits.maximumHeaderByteCount, fields.count < limits.maximumHeaderFieldCount else { throw .headTooLarge }
            guard let field = HTTPField(name: name, line: value) else { throw .badRequest("A header field is not valid.") }
            if try !framing.takes(field.name, value: field.value) {
                fields.append(field)
            }
        }

        version = head.version
        content = try framing.content(version: head.version)
        if let limit = limits.maximumRequestContentByteCount, case .bytes(let count) = content, count > limit { throw .contentTooLarge }
        expectsContinue = try framing.expectsContinue(version: head.version) && content != .none
        // After a request to upgrade, the parser takes no more requests.
        keepsAlive = head.isKeepAlive && !framing.asksForUpgrade
        opensWebSocket =
            limits.webSockets != nil && framing.asksForWebSocket && method == .get && head.version == .http1_1 && content == .none
            && target.path != "*"
        let host = try framing.validatedHost(version: head.version)
        self.head = HTTPRequest(method: method, scheme: scheme, authority: target.authority ?? host, path: target.path, headerFields: fields)
    }
}
