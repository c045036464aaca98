// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOCore
package import NIOHTTP1

/// The report of one exchange with a client, made when its response has been written or given up.
package struct ExchangeReport: Sendable {
    /// The request, in the form that was at hand. A reader that needs strings makes them of it.
    package enum Request: Sendable {
        /// The head of an HTTP/1.1 request as it came, from the method to the empty line. It is valid by RFC 9112.
        case bytes(ByteBuffer)
        case head(HTTPRequest)
        /// There was no valid request: it was refused with the status that is told.
        case invalid
    }

    package var request: Request
    package var version: HTTPVersion
    package var isSecure: Bool
    package var remoteAddress: String
    package var status: Int
    /// Bytes of content sent, without framing.
    package var contentByteCount: Int
    /// Bytes of content received, without framing, as far as they have been read.
    package var receivedByteCount: Int
    /// Whether the client was sent all of the response.
    package var isComplete: Bool
    /// From the head of the request to the first byte of the response.
    package var timeToFirstByte: Duration
    /// From the head of the request to the last byte of the response.
    package var duration: Duration
    /// The handler's remark on its answer.
    package var note: ExchangeNote?
    /// Whether the client left before there was an answer. That is no failure of the handler's.
    package var isAbandoned: Bool

    /// The status of an exchange whose client has left before the answer. No client gets it: it is only for logs and statistics, where other servers use it
    /// too.
    package static let abandonedStatus = 499

    package init(
        request: Request,
        version: HTTPVersion,
        isSecure: Bool,
        remoteAddress: String,
        status: Int,
        contentByteCount: Int,
        receivedByteCount: Int = 0,
        isComplete: Bool,
        timeToFirstByte: Duration,
        duration: Duration,
        note: ExchangeNote?,
        isAbandoned: Bool = false
    ) {
        self.request = request
        self.version = version
        self.isSecure = isSecure
        self.remoteAddress = remoteAddress
        self.status = status
        self.contentByteCount = contentByteCount
        self.receivedByteCount = receivedByteCount
        self.isComplete = isComplete
        self.timeToFirstByte = timeToFirstByte
        self.duration = duration
        self.note = note
        self.isAbandoned = isAbandoned
    }
}

/// Gets a report of every exchange. It is called on the connection's event loop and must not block.
package typealias ExchangeObserver = @Sendable (ExchangeReport) -> Void
