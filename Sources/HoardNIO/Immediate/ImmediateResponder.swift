// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOCore

/// Answers the requests that need neither a task nor waiting, on the event loop of their connection.
///
/// The requests that it does not answer go to the server's handler. Both must give the same answers: which of them is asked depends on how a request
/// is spelled, and on the other work under way.
package protocol ImmediateResponder: Sendable {
    /// Answers a request by its bytes, before it has been parsed. Called for plain requests only: see ``RequestScanner``.
    ///
    /// - Parameters:
    ///   - request: Its bytes are there for the time of the call only.
    ///   - output: Gets the whole response, from the status line on.
    /// - Returns: `nil` if the request has to be parsed. Then nothing has been written.
    func answer(_ request: ScannedRequest, into output: inout ImmediateOutput) -> ImmediateAnswer?

    /// Has a plain GET answered that is not answered by its bytes, and that can be sent on by them.
    ///
    /// - Parameters:
    ///   - request: Its bytes are there for the time of the call only.
    ///   - head: The same bytes, to be kept.
    ///   - eventLoop: The client's, on which this is called.
    /// - Returns: `nil` if the request has to be parsed. Then nothing has been done.
    func relay(_ request: ScannedRequest, head: ByteBuffer, for client: any RelayedClient, on eventLoop: any EventLoop) -> (any Relay)?

    /// Begins to answer a request that has been parsed and has no content. Called for all versions of HTTP.
    func begin(_ request: HTTPServerRequest) -> ImmediateBeginning
}

extension ImmediateResponder {
    package func relay(_ request: ScannedRequest, head: ByteBuffer, for client: any RelayedClient, on eventLoop: any EventLoop) -> (any Relay)? {
        nil
    }
}

/// How far a request has been answered without waiting.
package enum ImmediateBeginning: Sendable {
    /// Whole. If the content of the response is not at hand, it is written by a task.
    case response(HTTPServerResponse)
    /// This has to be run in a task. It takes the place of the server's handler, and uses the findings so far.
    case later(@Sendable () async -> HTTPServerResponse)
}

/// A request as it came over the connection, found valid by a ``RequestScanner``. HTTP/1.1; GET or HEAD without content, or a QUERY with all of its content.
package struct ScannedRequest {
    package enum Method {
        case get, head, query(Query)
    }

    /// The question of a QUERY: [RFC 10008 §2](https://www.rfc-editor.org/rfc/rfc10008#section-2).
    package struct Query {
        /// The value of `Content-Type`; empty if there is none.
        package let contentType: UnsafeRawBufferPointer
        package let content: UnsafeRawBufferPointer

        package init(contentType: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer) {
            self.contentType = contentType
            self.content = content
        }
    }

    package let method: Method
    /// Begins with a slash, and is spelled as a normalised URI is (RFC 3986 §6.2.2).
    package let target: UnsafeRawBufferPointer
    /// The value of the `Host` field: a name or an IPv4 address, and perhaps a port.
    package let host: UnsafeRawBufferPointer
    /// The value of `Accept-Encoding`; `nil` if there is none.
    package let acceptEncoding: UnsafeRawBufferPointer?
    /// Whether it came over TLS.
    package let isSecure: Bool
    /// Whether it has a field `traceparent`.
    package let belongsToTrace: Bool

    package init(
        method: Method,
        target: UnsafeRawBufferPointer,
        host: UnsafeRawBufferPointer,
        acceptEncoding: UnsafeRawBufferPointer? = nil,
        isSecure: Bool,
        belongsToTrace: Bool = false
    ) {
        self.method = method
        self.target = target
        self.host = host
        self.acceptEncoding = acceptEncoding
        self.isSecure = isSecure
        self.belongsToTrace = belongsToTrace
    }

    package var isHead: Bool {
        if case .head = method { true } else { false }
    }

    package var httpMethod: HTTPRequest.Method {
        switch method {
        case .get: .get
        case .head: .head
        case .query: .query
        }
    }
}

/// Where a response is written that is given at once.
package struct ImmediateOutput {
    /// The head, with short content behind it. Other responses may stand in front of it.
    package var bytes: ByteBuffer
    /// Content that is not copied. It follows ``bytes``.
    package var content: ByteBuffer?

    package init(bytes: ByteBuffer) {
        self.bytes = bytes
    }
}

/// The facts about an answer, for reports.
package struct ImmediateAnswer: Sendable {
    package var status: Int
    /// Bytes of content that are sent.
    package var contentByteCount: Int
    package var note: ExchangeNote?

    package init(status: Int, contentByteCount: Int, note: ExchangeNote?) {
        self.status = status
        self.contentByteCount = contentByteCount
        self.note = note
    }
}
