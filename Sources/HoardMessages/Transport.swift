// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Sends one request to its origin and returns the response as it arrives.
///
/// A transport does not cache, does not follow redirects, does not decode content codings and adds no conditional fields. The response's body
/// streams: it is read from the network as it is consumed, and dropping it closes the exchange. `Content-Length`, if the response has one, is the
/// length of that body. The cache gives up a body that is shorter, and does not store a response with several lengths, or with one that is no number.
public protocol Transport: Sendable {
    /// Sends `request`, whose scheme, authority and path are all present.
    ///
    /// - Parameter onInterimResponse: Gets each interim (1xx) response but 101, in order, before the final one is returned. A transport that does not
    ///   see them never calls it.
    /// - Returns: The final response.
    /// - Throws: ``TransportError`` if no response head arrived. A failure while the body is read is thrown by the body.
    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse
}

/// Gets interim responses: [RFC 9110 §15.2](https://www.rfc-editor.org/rfc/rfc9110#section-15.2).
public typealias InterimResponseHandler = @Sendable (HTTPResponse) async -> Void

extension Transport {
    /// Sends `request` and drops interim responses.
    public func send(_ request: HTTPRequest, body: HTTPBody = .empty) async throws(TransportError) -> TransportResponse {
        try await send(request, body: body, onInterimResponse: nil)
    }
}

/// A response head and the body that follows it.
public struct TransportResponse: Sendable {
    /// The status and the fields.
    public var head: HTTPResponse
    /// The content, which may still be arriving.
    public var body: HTTPBody

    /// Creates a response.
    public init(head: HTTPResponse, body: HTTPBody) {
        self.head = head
        self.body = body
    }
}
