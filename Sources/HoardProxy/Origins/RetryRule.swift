// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// Whether a request that has failed may be sent again, and where: [RFC 9110 §9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2).
enum RetryRule {
    enum Next: Hashable {
        case giveUp
        /// To the same server, on a connection that nothing has been sent on.
        case sameServer
        /// To another server. It was not sent to this one.
        case standIn
        /// To another server.
        case otherServer
        /// To another server, or to the same one if there is none.
        case anyServer
        /// To the same server, on a connection that no other request is sent on. It was lost with others, and one of those may be to blame.
        ///
        /// - Parameter afterAnother: The server has not worked on it, so that it may be tried among others once more before that.
        case apart(afterAnother: Bool)
    }

    /// - Parameters:
    ///   - canRepeatContent: All of the request's content is at hand.
    ///   - isContentUnread: None of it has been read.
    static func next(after error: TransportError, method: HTTPRequest.Method, canRepeatContent: Bool, isContentUnread: Bool) -> Next {
        guard error.code != .cancelled, error.code != .invalidURL, error.code != .requestTooLarge else { return .giveUp }
        switch error.progress {
        case .notProcessed where canRepeatContent || isContentUnread:
            // HTTP/2's refusal has no stage: the server was reached.
            return error.stage == nil ? .anyServer : .standIn
        case .lostOnKeptConnection where canRepeatContent && method.isIdempotent:
            return .sameServer
        case .lostWithOthers(let mayBeProcessed) where mayBeProcessed ? canRepeatContent && method.isIdempotent : canRepeatContent || isContentUnread:
            return .apart(afterAnother: !mayBeProcessed)
        case .unanswered where canRepeatContent && method.isIdempotent && error.code == .connectionClosed:
            // Not after a timeout: the request itself may take so long, and its client has waited long enough.
            return .otherServer
        case .notProcessed, .lostOnKeptConnection, .lostWithOthers, .unanswered, .unknown:
            return .giveUp
        }
    }
}

extension TransportError {
    /// How a server has failed that is to blame.
    var failureOfServer: OriginHealth.Failure? {
        guard isFaultOfServer else { return nil }
        return code == .cannotConnect || code == .tlsFailed || stage == .connecting || stage == .securing ? .unreachable : .inExchange
    }

    /// Whether the server is to blame.
    var isFaultOfServer: Bool {
        switch code {
        case .cannotConnect, .tlsFailed, .invalidResponse: true
        case .timedOut: stage != .waiting
        case .connectionClosed:
            switch progress {
            case .lostOnKeptConnection, .lostWithOthers: false
            case .notProcessed, .unanswered, .unknown: true
            }
        default: false
        }
    }
}
