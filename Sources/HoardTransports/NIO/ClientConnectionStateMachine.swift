// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides the next step of a connection to an origin; does no I/O.
///
/// A connection serves one exchange at a time. It can serve another when the response has arrived to its end, the request has been sent to its end, and no
/// byte too many has come.
struct ClientConnectionStateMachine {
    private enum Request {
        case none
        case sending
        case sent
    }

    private enum Response {
        case none
        case awaitingHead
        case receiving(ResponseFraming.Content)
        /// No reader wants the rest, which is so short that it is dropped to save the connection.
        case draining(ResponseFraming.Content)
        case received
    }

    private var request = Request.none
    private var response = Response.none
    private var keepsAlive = true
    private var isTainted = false
    private(set) var isClosed = false
    /// A byte of the response has arrived.
    private(set) var hasReceivedBytes = false
    /// It has been kept for later requests, so the origin may close it just when the next one is sent.
    private var isReused = false
    private var interimResponseCount = 0
    private let maximumDrainByteCount: Int
    private let maximumInterimResponseCount: Int

    init(maximumDrainByteCount: Int, maximumInterimResponseCount: Int) {
        self.maximumDrainByteCount = maximumDrainByteCount
        self.maximumInterimResponseCount = maximumInterimResponseCount
    }

    /// No exchange is in progress, and one can be started.
    var isIdle: Bool {
        guard !isClosed, !isTainted, case .none = response else { return false }
        return true
    }

    /// A head or content of the response is still to come.
    var isReceiving: Bool {
        guard !isClosed else { return false }
        switch response {
        case .awaitingHead, .receiving, .draining: return true
        case .none, .received: return false
        }
    }

    /// The response has arrived to its end.
    var hasReceivedResponse: Bool {
        if case .received = response { return true }
        return false
    }

    /// The kind of bytes that the origin sends next.
    var expectation: ResponseSplitter.Expectation {
        guard !isClosed else { return .nothing }
        switch response {
        case .none, .received: return .nothing
        case .awaitingHead: return .head
        case .receiving(let content), .draining(let content):
            return switch content {
            case .none: .nothing
            case .bytes(let count): .bytes(count)
            case .chunked: .chunked
            case .untilClose: .untilClose
            }
        }
    }

    /// A request is about to be sent.
    mutating func exchangeStarted() {
        precondition(isIdle, "An exchange cannot start in \(self).")
        request = .sending
        response = .awaitingHead
        keepsAlive = true
        hasReceivedBytes = false
        interimResponseCount = 0
    }

    /// The last byte of the request is being written.
    mutating func requestEnded() {
        if case .sending = request { request = .sent }
    }

    /// Whether content of the request may still be written.
    var acceptsContent: Bool {
        guard !isClosed, case .sending = request else { return false }
        return true
    }

    mutating func bytesArrived() {
        hasReceivedBytes = true
    }

    /// Bytes have arrived that belong to no response.
    mutating func strayBytesArrived() {
        isTainted = true
    }

    /// A whole response has been taken as it came.
    mutating func responseTaken() {
        response = .received
    }

    enum InterimAction: Equatable { case deliver, fail }

    /// The head of an interim response has been parsed.
    mutating func interimResponseArrived() -> InterimAction {
        guard case .awaitingHead = response, interimResponseCount < maximumInterimResponseCount else { return .fail }
        interimResponseCount += 1
        return .deliver
    }

    /// The head of the final response has been parsed.
    ///
    /// - Returns: Whether one was expected.
    mutating func headArrived(_ framing: ResponseFraming) -> Bool {
        guard case .awaitingHead = response else { return false }
        response = .receiving(framing.content)
        keepsAlive = framing.keepsAlive
        return true
    }

    enum ContentAction: Equatable { case deliver, drop, fail }

    /// Content has been parsed.
    mutating func contentArrived(byteCount: Int) -> ContentAction {
        switch response {
        case .receiving(.bytes(let missing)) where byteCount <= missing:
            response = .receiving(.bytes(missing - byteCount))
            return .deliver
        case .draining(.bytes(let missing)) where byteCount <= missing:
            response = .draining(.bytes(missing - byteCount))
            return .drop
        case .receiving(.chunked), .receiving(.untilClose):
            return .deliver
        case .none, .awaitingHead, .receiving, .draining, .received:
            return .fail
        }
    }

    /// The parser has seen the response's end.
    ///
    /// - Returns: Whether it was to be expected.
    mutating func responseEnded() -> Bool {
        switch response {
        case .receiving(.bytes(let missing)), .draining(.bytes(let missing)):
            guard missing == 0 else { return false }
        case .receiving(.none), .receiving(.chunked), .receiving(.untilClose):
            break
        case .none, .awaitingHead, .draining, .received:
            return false
        }
        response = .received
        return true
    }

    enum ReadAction: Equatable {
        case none
        /// The exchange has ended, and the connection can serve another.
        case release
        /// The connection can serve no other exchange. If one is in progress, its response is complete.
        case close
    }

    /// All that one read brought has been parsed.
    mutating func readCompleted() -> ReadAction {
        guard !isClosed else { return .none }
        if isTainted, !isReceiving { return .close }
        guard case .received = response else { return .none }
        guard keepsAlive, case .sent = request else { return .close }
        request = .none
        response = .none
        isReused = true
        return .release
    }

    /// No request has use for the connection for the time being.
    mutating func kept() {
        isReused = true
    }

    enum AbandonAction: Equatable { case none, drain, close }

    /// No reader wants the rest of the response.
    mutating func bodyAbandoned() -> AbandonAction {
        guard !isClosed else { return .none }
        switch response {
        case .receiving(.bytes(let missing)) where missing <= maximumDrainByteCount && keepsAlive:
            response = .draining(.bytes(missing))
            return .drain
        case .receiving:
            return .close
        case .none, .awaitingHead, .draining, .received:
            return .none
        }
    }

    /// The connection has ended, or is about to be ended by this side.
    mutating func closed() {
        isClosed = true
    }

    /// The reason why the exchange in progress failed if the origin has closed the connection.
    var lossError: ExchangeError {
        isReused && !hasReceivedBytes ? .stale(wasSent: true) : .connectionClosed
    }
}
