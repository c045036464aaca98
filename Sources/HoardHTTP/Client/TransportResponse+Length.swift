// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import NIOCore

extension TransportResponse {
    /// The content of a response to a request other than HEAD, if all of it is at hand, and is as long as `Content-Length` says.
    package var contentAtHand: ByteBuffer? {
        if misstatedLength != nil { return nil }
        return body.length == 0 ? ByteBuffer() : body.bytesAtHand
    }

    /// The length that the response says its content has, if that is not known to be so.
    private var misstatedLength: Int? {
        guard head.status.hasContent, let length = head.headerFields.contentLength, length != body.length else { return nil }
        return length
    }

    /// The same response, whose body ends with an error unless it is as long as `Content-Length` says.
    ///
    /// A transport that frames messages itself has seen to that, and says the length. This is for transports of the
    /// user's own: a short body must not be taken for a whole one
    /// ([RFC 9111 §3.3](https://www.rfc-editor.org/rfc/rfc9111#section-3.3)).
    func heldToItsLength(for request: HTTPRequest) -> TransportResponse {
        guard request.method != .head, let length = misstatedLength else { return self }
        return TransportResponse(head: head, body: body.held(to: length))
    }
}

extension HTTPBody {
    /// The same content, which ends with an error unless it has this length.
    func held(to length: Int) -> HTTPBody { HTTPBody(MeasuredBody(body: self, length: length), length: length) { trailers } }
}

extension HTTPResponse.Status {
    /// Whether a response to a request other than HEAD has content: [RFC 9110 §6.4.1](https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1).
    fileprivate var hasContent: Bool { code >= 200 && code != 204 && code != 304 }
}

/// A body that must have a length.
private struct MeasuredBody: AsyncSequence, Sendable {
    let body: HTTPBody
    let length: Int

    func makeAsyncIterator() -> Iterator { Iterator(parts: body.makeAsyncIterator(), missing: length) }

    struct Iterator: AsyncIteratorProtocol {
        var parts: HTTPBody.AsyncIterator
        var missing: Int

        mutating func next() async throws -> ByteBuffer? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            let part = try await parts.next(isolation: actor)
            missing -= part?.readableBytes ?? 0
            if missing < 0 { throw TransportError(.invalidResponse, "The content is longer than its announced length.") }
            // Many streams simply end when the task that reads them is cancelled.
            if part == nil, missing > 0, !Task.isCancelled { throw TransportError.endedEarly }
            return part
        }
    }
}

extension TransportError {
    /// The content of a response has ended too soon.
    static var endedEarly: TransportError { TransportError(.connectionClosed, "The content ended before its announced length.") }
}
