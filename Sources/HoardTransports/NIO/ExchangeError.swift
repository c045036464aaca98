// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// Why an exchange got no response, as far as the transport itself decides.
enum ExchangeError: Error, Hashable {
    /// No connection could be had in time.
    case connectTimedOut
    /// The connection ended before it was encrypted.
    case handshakeFailed
    /// So many requests wait for a connection that no other may.
    case tooManyWaiting
    case shutDown
    /// The origin has sent or taken nothing for too long.
    case stalled
    /// What arrived is not a response to this request.
    case invalidResponse
    case connectionClosed
    /// The connection had been kept for later requests, and ended before any byte of the response arrived.
    ///
    /// - Parameter wasSent: The request may have reached the origin.
    case stale(wasSent: Bool)
    /// The content of the request is not as long as it said.
    case wrongContentLength
}

extension TransportError {
    /// The error for what ended an exchange of ``NIOTransport``.
    init(_ error: any Error, origin: Origin, timeouts: Timeouts) {
        if let error = error as? TransportError {
            self = error
            return
        }
        let code = (error as? ExchangeError).map { Code($0) } ?? Code(networkError: error)
        let message =
            switch error as? ExchangeError {
            case .connectTimedOut: Self.connectTimeoutMessage(origin, timeouts)
            case .shutDown: Self.shutDownMessage(origin)
            case .tooManyWaiting: "The request to \(origin.name) was not sent because too many others wait for a connection."
            case .wrongContentLength: "The content of the request to \(origin.name) is not as long as it said."
            default: Self.message(code, error, origin: origin, timeouts: timeouts)
            }
        self.init(code, message, underlyingError: error, mayRetry: error as? ExchangeError == .stale(wasSent: true))
    }
}

extension TransportError.Code {
    fileprivate init(_ error: ExchangeError) {
        switch error {
        case .connectTimedOut, .stalled: self = .timedOut
        case .handshakeFailed: self = .tlsFailed
        case .connectionClosed, .stale: self = .connectionClosed
        case .invalidResponse: self = .invalidResponse
        case .tooManyWaiting, .shutDown, .wrongContentLength: self = .failed
        }
    }
}

extension Error {
    /// Whether the error says no more than that the connection is gone.
    var meansConnectionLoss: Bool {
        (self as? ExchangeError).map { $0 == .connectionClosed } ?? (TransportError.Code(networkError: self) == .connectionClosed)
    }
}
