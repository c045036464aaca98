// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides the next step of a connection; does no I/O.
///
/// A connection serves one exchange at a time. An exchange has ended when its request has been received and its response has been handed
/// to the kernel. Requests that a client sends ahead wait until then.
struct ConnectionStateMachine {
    private enum Phase {
        case open
        /// The response side is closed; bytes that the client still sends are dropped until it closes its side, so that
        /// it can read the last response.
        case lingering
        case closed
    }

    private enum Inbound {
        case betweenRequests
        case receiving
        /// The response has ended; this many bytes of the request may still be dropped to save the connection.
        case draining(remaining: Int)
        case received
    }

    private enum Outbound {
        case noResponse
        case awaitingResponse
        case sendingResponse
        case flushed
    }

    private var phase = Phase.open
    private var inbound = Inbound.betweenRequests
    private var outbound = Outbound.noResponse
    private var closesAfterExchange = false
    private var isInputClosed = false
    private let maximumDrainByteCount: Int

    init(maximumDrainByteCount: Int) {
        self.maximumDrainByteCount = maximumDrainByteCount
    }

    enum PartAction: Equatable { case process, enqueue, discard }

    /// A part of a request has been parsed.
    func partArrived(startsRequest: Bool, afterQueuedParts: Bool) -> PartAction {
        guard phase == .open else { return .discard }
        if case .betweenRequests = inbound {
            if afterQueuedParts { return closesAfterExchange ? .discard : .enqueue }
            return startsRequest && !closesAfterExchange ? .process : .discard
        }
        if case .received = inbound { return closesAfterExchange ? .discard : .enqueue }
        return .process
    }

    /// A request's head has been accepted and is about to be answered.
    mutating func exchangeStarted(keepsAlive: Bool) {
        precondition(isIdle, "An exchange cannot start in \(self).")
        inbound = .receiving
        outbound = .awaitingResponse
        if !keepsAlive { closesAfterExchange = true }
    }

    /// The exchange in progress, of which nothing has been written, has not begun: its request will come once more.
    ///
    /// - Returns: Whether that is the last one of the connection.
    mutating func exchangeWithdrawn() -> Bool {
        guard phase == .open else { return false }
        defer { closesAfterExchange = false }
        inbound = .betweenRequests
        outbound = .noResponse
        return closesAfterExchange
    }

    enum ExchangeAction: Equatable {
        case none
        /// The exchange has ended: go on with the next request.
        case startNext
        /// Close the connection so that the client can read the response.
        case closeGracefully
    }

    /// The last byte of the request has been parsed.
    mutating func requestEnded() -> ExchangeAction {
        inbound = .received
        return endExchangeIfComplete()
    }

    /// Part of the content that no reader wants has arrived.
    mutating func contentDropped(byteCount: Int) -> ExchangeAction {
        guard case .draining(let remaining) = inbound else { return .none }
        guard byteCount <= remaining else { return beginClosing() }
        inbound = .draining(remaining: remaining - byteCount)
        return .none
    }

    /// The request can never be received to its end: it is malformed, or too slow.
    mutating func requestFailed() -> ExchangeAction {
        closesAfterExchange = true
        inbound = .received
        return endExchangeIfComplete()
    }

    /// Whether the response's head may be written now; not when the connection has been given up.
    var acceptsResponse: Bool {
        guard phase == .open else { return false }
        return outbound == .awaitingResponse || outbound == .sendingResponse
    }

    /// An interim response may be sent: the final one has not begun.
    var acceptsInterimResponse: Bool { phase == .open && outbound == .awaitingResponse }

    /// The head of the final response is being written.
    ///
    /// - Parameter announcesClose: The head says `Connection: close`.
    /// - Returns: Whether the head must say so.
    mutating func responseStarted(announcesClose: Bool) -> Bool {
        if announcesClose { closesAfterExchange = true }
        outbound = .sendingResponse
        return closesAfterExchange
    }

    /// The response's head, which is being written, makes a WebSocket of the connection. Bytes from the client are no
    /// requests from now on.
    mutating func tunnelOpened() {
        closesAfterExchange = true
        if phase == .open, !isInputClosed { inbound = .receiving }
    }

    /// The kernel has taken the response's last byte.
    ///
    /// - Parameter unreadByteCount: How much of the request is known to be missing, `nil` if that is not known.
    mutating func responseFlushed(missingByteCount: Int?) -> ExchangeAction {
        guard phase == .open else { return .none }
        outbound = .flushed
        if case .receiving = inbound {
            guard !closesAfterExchange, missingByteCount ?? 0 <= maximumDrainByteCount else { return beginClosing() }
            inbound = .draining(remaining: maximumDrainByteCount)
        }
        return endExchangeIfComplete()
    }

    /// The connection cannot be used for another request after the one in progress.
    mutating func closeAfterExchange() -> ExchangeAction {
        closesAfterExchange = true
        return isIdle ? beginClosing() : .none
    }

    enum InputClosedAction: Equatable {
        case none
        case close
        /// The rest of the request will not come.
        case cancelExchange
    }

    /// The client sends no more. Requests that have come whole are answered. A client may close its sending half when it has nothing more to say
    /// ([RFC 9293 §3.6](https://www.rfc-editor.org/rfc/rfc9293#section-3.6)), and a client that has left looks the same until something is sent to
    /// it.
    mutating func inputClosed(hasQueuedParts: Bool) -> InputClosedAction {
        isInputClosed = true
        switch phase {
        case .closed:
            return .none
        case .lingering:
            return .close
        case .open:
            guard !(isIdle && !hasQueuedParts) else { return .close }
            return isReceiving ? .cancelExchange : .none
        }
    }

    /// The connection has been closed, by whichever side.
    mutating func closed() {
        phase = .closed
    }

    /// No request is in progress.
    var isIdle: Bool {
        guard phase == .open, case .betweenRequests = inbound else { return false }
        return true
    }

    /// The response side has been closed and the client's is still open.
    var isLingering: Bool { phase == .lingering }

    /// The connection has been closed.
    var isClosed: Bool { phase == .closed }

    /// A response is being written and has not ended.
    var isSendingResponse: Bool { phase == .open && outbound == .sendingResponse }

    /// The client has closed its side.
    var hasInputClosed: Bool { isInputClosed }

    /// Content of the request in progress is still to come from the client.
    var isReceiving: Bool {
        guard phase == .open else { return false }
        switch inbound {
        case .receiving, .draining: return true
        case .betweenRequests, .received: return false
        }
    }

    /// Another request may be served, now or after the one in progress.
    var mayServeAnother: Bool { phase == .open && !closesAfterExchange }

    /// Whether the rest of the request in progress is dropped, as no reader wants it.
    var isDraining: Bool {
        if case .draining = inbound { return phase == .open }
        return false
    }

    private mutating func endExchangeIfComplete() -> ExchangeAction {
        guard phase == .open, case .received = inbound, outbound == .flushed else { return .none }
        guard !closesAfterExchange else { return beginClosing() }
        inbound = .betweenRequests
        outbound = .noResponse
        return .startNext
    }

    private mutating func beginClosing() -> ExchangeAction {
        guard phase == .open else { return .none }
        phase = .lingering
        return .closeGracefully
    }
}
