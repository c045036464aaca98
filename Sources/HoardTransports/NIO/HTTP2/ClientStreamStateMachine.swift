// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides the course of one exchange on a connection of HTTP/2; does no I/O.
///
/// The codec has its own rules. Those on which the meaning of a response depends are applied again here:
/// [RFC 9113 §8.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.1).
struct ClientStreamStateMachine {
    private enum Response {
        case awaitingHead
        /// Content is to come: so much, if that is known.
        case receiving(missing: Int?)
        case received
    }

    private var response = Response.awaitingHead
    private(set) var isRequestSent = false
    private(set) var isClosed = false
    /// Something of the response has arrived.
    private(set) var hasReceivedBytes = false
    private var interimResponseCount = 0
    private let maximumInterimResponseCount: Int

    init(maximumInterimResponseCount: Int) {
        self.maximumInterimResponseCount = maximumInterimResponseCount
    }

    var hasReceivedResponse: Bool { if case .received = response { true } else { false } }

    var acceptsContent: Bool { !isClosed && !isRequestSent }

    mutating func requestEnded() {
        isRequestSent = true
    }

    enum FieldsAction: Equatable {
        case interim
        /// The final response's head.
        case head
        case trailers
        case fail
    }

    /// Fields have arrived.
    ///
    /// - Parameters:
    ///   - status: `nil` if they have none.
    ///   - contentLength: The length of the content that they state; 0 if the request or the status leaves no room for any.
    ///   - endsStream: Nothing follows.
    mutating func fieldsArrived(status: Int?, contentLength: Int?, endsStream: Bool) -> FieldsAction {
        hasReceivedBytes = true
        switch (response, status) {
        case (.awaitingHead, 101?):
            // RFC 9113 §8.6: HTTP/2 has no upgrades.
            return .fail
        case (.awaitingHead, .some(100...199)):
            guard !endsStream, interimResponseCount < maximumInterimResponseCount else { return .fail }
            interimResponseCount += 1
            return .interim
        case (.awaitingHead, .some):
            guard endsStream else {
                response = .receiving(missing: contentLength)
                return .head
            }
            guard (contentLength ?? 0) == 0 else { return .fail }
            response = .received
            return .head
        case (.receiving(let missing), nil):
            guard endsStream, (missing ?? 0) == 0 else { return .fail }
            response = .received
            return .trailers
        case (.awaitingHead, nil), (.receiving, .some), (.received, _):
            return .fail
        }
    }

    /// Content has arrived.
    ///
    /// - Returns: Whether it belongs to the response.
    mutating func contentArrived(byteCount: Int, endsStream: Bool) -> Bool {
        hasReceivedBytes = true
        guard case .receiving(let missing) = response, byteCount <= missing ?? .max else { return false }
        let rest = missing.map { $0 - byteCount }
        if endsStream {
            guard (rest ?? 0) == 0 else { return false }
            response = .received
        } else {
            response = .receiving(missing: rest)
        }
        return true
    }

    /// Nothing more is to be done. Returns whether there was.
    mutating func closed() -> Bool {
        defer { isClosed = true }
        return !isClosed
    }
}
