// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// The reason why an exchange got no response, as far as the transport itself decides.
enum ExchangeError: Error, Hashable {
    /// No connection could be made in time.
    case connectTimedOut
    /// A connection was made, but not secured and agreed on in time.
    case handshakeTimedOut
    /// No connection became free in time.
    case waitTimedOut
    /// The connection ended before it was encrypted.
    case handshakeFailed
    /// The origin does not speak the version of HTTP that it has to.
    case versionNotAgreed
    /// So many requests wait for a connection that no other may.
    case tooManyWaiting
    case shutDown
    /// The origin has taken nothing of the request for too long.
    case requestStalled
    /// The head of the response has not arrived in time.
    case responseTimedOut
    /// The origin has sent or taken nothing for too long.
    case stalled
    /// The bytes that arrived are not a response to this request.
    case invalidResponse
    case connectionClosed
    /// The connection had been kept for later requests, and ended before any byte of the response arrived.
    ///
    /// - Parameter wasSent: The request may have reached the origin.
    case stale(wasSent: Bool)
    /// The origin says that it has not worked on the request: [RFC 9113 §8.7](https://www.rfc-editor.org/rfc/rfc9113#section-8.7).
    case refused
    /// The connection took no more, or ended, before any byte of the response arrived. It carried other exchanges too, of which one may be to blame.
    ///
    /// - Parameter wasSent: The request may have reached the origin.
    case lostWithOthers(wasSent: Bool)
    /// The origin has said that it takes no head of a request as large as this one. Nothing was sent.
    case headTooLarge
    /// The content of the request is not as long as it said.
    case wrongContentLength
}

extension TransportError {
    /// The error for the event that ended an exchange of ``NIOTransport``.
    ///
    /// - Parameter isUnanswered: The request may have been sent, and no byte of a response has arrived.
    init(_ error: any Error, origin: Destination, timeouts: Timeouts, isUnanswered: Bool = false) {
        if let error = error as? TransportError {
            self = error
            return
        }
        let exchangeError = error as? ExchangeError
        let code = exchangeError.map { Code($0) } ?? Code(networkError: error)
        let message =
            switch exchangeError {
            case .connectTimedOut: Self.connectTimeoutMessage(origin, timeouts)
            case .handshakeTimedOut: "The connection to \(origin.name) was not ready for requests in \(timeouts.connect)."
            case .waitTimedOut: Self.waitTimeoutMessage(origin, timeouts)
            case .versionNotAgreed: "The origin at \(origin.name) does not speak HTTP/2, which it has to."
            case .shutDown: Self.shutDownMessage(origin)
            case .tooManyWaiting: "The request to \(origin.name) was not sent because too many others wait for a connection."
            case .requestStalled: "The origin at \(origin.name) took nothing of the request for \(timeouts.read)."
            case .responseTimedOut: "The origin at \(origin.name) did not answer in \(timeouts.response ?? timeouts.read)."
            case .refused: "The origin at \(origin.name) refused the request without working on it."
            case .headTooLarge: "The origin at \(origin.name) takes no request with fields as long as those of this one."
            case .wrongContentLength: "The content of the request to \(origin.name) is not as long as it said."
            default: Self.message(code, error, origin: origin, timeouts: timeouts)
            }
        let progress = exchangeError?.progress ?? (isUnanswered ? .unanswered : .unknown)
        self.init(code, message, underlyingError: error, progress: progress, stage: exchangeError?.stage)
    }
}

extension TransportError.Code {
    fileprivate init(_ error: ExchangeError) {
        switch error {
        case .connectTimedOut, .handshakeTimedOut, .waitTimedOut, .requestStalled, .responseTimedOut, .stalled: self = .timedOut
        case .handshakeFailed: self = .tlsFailed
        case .connectionClosed, .stale, .lostWithOthers: self = .connectionClosed
        case .headTooLarge: self = .requestTooLarge
        case .invalidResponse, .versionNotAgreed: self = .invalidResponse
        case .tooManyWaiting, .shutDown, .refused, .wrongContentLength: self = .failed
        }
    }
}

extension ExchangeError {
    /// `nil` if the error does not say it.
    fileprivate var progress: TransportError.Progress? {
        switch self {
        case .connectTimedOut, .handshakeTimedOut, .waitTimedOut, .handshakeFailed, .versionNotAgreed, .tooManyWaiting, .shutDown, .refused,
            .stale(wasSent: false), .headTooLarge:
            .notProcessed
        case .stale(wasSent: true): .lostOnKeptConnection
        case .lostWithOthers(let wasSent): .lostWithOthers(mayBeProcessed: wasSent)
        case .requestStalled, .responseTimedOut, .stalled, .connectionClosed: nil
        case .invalidResponse, .wrongContentLength: .unknown
        }
    }

    fileprivate var stage: TransportError.Stage? {
        switch self {
        case .waitTimedOut, .tooManyWaiting: .waiting
        case .connectTimedOut: .connecting
        case .handshakeTimedOut, .handshakeFailed, .versionNotAgreed: .securing
        case .requestStalled: .sending
        case .responseTimedOut: .awaitingResponse
        case .stalled: .receiving
        case .shutDown, .invalidResponse, .connectionClosed, .stale, .refused, .lostWithOthers, .headTooLarge, .wrongContentLength: nil
        }
    }
}

extension Error {
    /// Whether the error says no more than that the connection is gone.
    var meansConnectionLoss: Bool {
        (self as? ExchangeError).map { $0 == .connectionClosed } ?? (TransportError.Code(networkError: self) == .connectionClosed)
    }
}
