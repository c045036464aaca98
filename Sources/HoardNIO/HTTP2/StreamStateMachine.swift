// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides the next step of a stream of an HTTP/2 connection; does no I/O.
///
/// A stream carries one exchange: [RFC 9113 §8.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.1).
struct StreamStateMachine {
    private enum Inbound {
        case awaitingHead
        case receiving
        case received
    }

    private enum Outbound {
        case awaitingResponse
        case sending
        /// The last byte has been handed on.
        case ended
    }

    private var inbound = Inbound.awaitingHead
    private var outbound = Outbound.awaitingResponse
    private var isClosed = false

    enum HeadAction: Equatable {
        /// A request begins.
        case begin
        /// Fields behind the content, which end it.
        case endRequest
        case ignore
    }

    /// A block of fields has arrived.
    mutating func fieldsArrived(endsStream: Bool) -> HeadAction {
        guard !isClosed else { return .ignore }
        switch inbound {
        case .awaitingHead:
            inbound = endsStream ? .received : .receiving
            return .begin
        case .receiving:
            guard endsStream else { return .ignore }
            inbound = .received
            return .endRequest
        case .received:
            return .ignore
        }
    }

    /// Content has arrived.
    ///
    /// - Returns: Whether it belongs to the request.
    func contentArrived() -> Bool { isReceiving }

    /// The last of the request's content has arrived.
    mutating func requestEnded() {
        inbound = .received
    }

    /// The head of the final response is about to be written.
    ///
    /// - Returns: Whether it may be.
    mutating func responseStarted() -> Bool {
        guard acceptsInterimResponse else { return false }
        outbound = .sending
        return true
    }

    /// The response's last byte has been handed on.
    mutating func responseEnded() {
        outbound = .ended
    }

    /// The stream is closed, by whichever side.
    mutating func closed() {
        isClosed = true
    }

    /// Content of the request is still to come.
    var isReceiving: Bool {
        guard !isClosed, case .receiving = inbound else { return false }
        return true
    }

    /// The final response has not begun.
    var acceptsInterimResponse: Bool { !isClosed && outbound == .awaitingResponse && !isAwaitingHead }

    /// The final response has begun and has not ended.
    var isSending: Bool { !isClosed && outbound == .sending }

    /// The final response has been handed on, to its end.
    var hasResponseEnded: Bool { outbound == .ended }

    private var isAwaitingHead: Bool {
        if case .awaitingHead = inbound { return true }
        return false
    }
}
