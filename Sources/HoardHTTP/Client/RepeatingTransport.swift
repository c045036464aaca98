// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Sends an idempotent request a second time if the first one was lost on a connection that the origin had closed.
///
/// [RFC 9110 §9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2)
package struct RepeatingTransport: Transport {
    private let base: any Transport

    package init(_ base: any Transport) {
        self.base = base
    }

    package func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        do {
            return try await base.send(request, body: body, onInterimResponse: onInterimResponse)
        } catch {
            guard error.mayRetry, request.method.isIdempotent, body.bytesAtHand != nil, !Task.isCancelled else { throw error }
            guard let base = base as? any ReconnectingTransport else {
                return try await base.send(request, body: body, onInterimResponse: onInterimResponse)
            }
            return try await base.sendOnNewConnection(request, body: body, onInterimResponse: onInterimResponse)
        }
    }
}

/// A transport that can keep a request off the connections it has at hand.
///
/// An event that closes one of them, such as a restart of the origin, often closes them all. So the second try should not use another of them.
package protocol ReconnectingTransport: Transport {
    /// Like `send`, on a connection that is made for this request or was made for another and has not been used.
    func sendOnNewConnection(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse
}

extension HTTPRequest.Method {
    /// Whether sending the request twice has the effect of sending it once. Of a method that is not known, nothing is.
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace, .query: true
        default: false
        }
    }
}
