// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a request got no response.
public struct TransportError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The request's scheme, authority or path is missing or cannot be used.
        public static var invalidURL: Self { Self(description: #function) }
        /// No connection could be made: the name does not resolve, nothing listens, the network is away.
        public static var cannotConnect: Self { Self(description: #function) }
        /// The connection could not be secured.
        public static var tlsFailed: Self { Self(description: #function) }
        /// The origin did not answer in time.
        public static var timedOut: Self { Self(description: #function) }
        /// The origin closed the connection before it had answered.
        public static var connectionClosed: Self { Self(description: #function) }
        /// The origin's answer is not HTTP.
        public static var invalidResponse: Self { Self(description: #function) }
        /// The origin takes no request with fields as long as those of this one. Nothing was sent.
        public static var requestTooLarge: Self { Self(description: #function) }
        /// The caller's task was cancelled.
        public static var cancelled: Self { Self(description: #function) }
        /// Anything no other code names.
        public static var failed: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on. It may name the host, never the path or a field.
    public let message: String
    /// The error that the layer below reported, if any.
    public let underlyingError: (any Error)?

    /// Whether the request was lost on a connection that had been kept for later requests, or carried others at the same time, and closed before any byte of a
    /// response came.
    ///
    /// Most likely the origin closed the connection while the request was on its way and has not seen it, so that an idempotent request may be sent
    /// again: [RFC 9110 §9.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2),
    /// [RFC 9112 §9.3.1](https://www.rfc-editor.org/rfc/rfc9112#section-9.3.1). A failure on a new connection never is one of these.
    public let mayRetry: Bool

    /// How far the exchange had come, as far as the transport knows.
    package let progress: Progress
    /// The stage at which the exchange failed, if the transport tells.
    package let stage: Stage?

    /// Creates an error with a sentence that a person can act on.
    public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil, mayRetry: Bool = false) {
        self.init(code, message, underlyingError: underlyingError, progress: mayRetry ? .lostOnKeptConnection : .unknown)
    }

    package init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil, progress: Progress, stage: Stage? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
        self.progress = progress
        self.stage = stage
        mayRetry = progress == .lostOnKeptConnection || progress == .lostWithOthers(mayBeProcessed: true)
    }

    public var description: String { message }
}

extension TransportError {
    /// How far an exchange had come when it failed.
    package enum Progress: Hashable, Sendable {
        /// The origin has not worked on the request and will not: it was not sent, or the origin says so
        /// ([RFC 9113 §8.7](https://www.rfc-editor.org/rfc/rfc9113#section-8.7)).
        case notProcessed
        /// The origin may have got the request. It was sent on a connection that had been kept, and no byte of a response has arrived.
        case lostOnKeptConnection
        /// The origin may have got the request. No byte of a response has arrived.
        case unanswered
        /// The connection took no more, or was lost, before any byte of a response arrived. It carried other requests, of which one may be to blame.
        ///
        /// - Parameter mayBeProcessed: The origin may have worked on the request.
        case lostWithOthers(mayBeProcessed: Bool)
        /// Part of a response may have arrived.
        case unknown
    }

    /// The stages of an exchange, one after the other.
    package enum Stage: Hashable, Sendable {
        /// It waits for a connection because all that may be made are in use.
        case waiting
        case connecting
        case securing
        case sending
        /// It waits for the head of the response.
        case awaitingResponse
        case receiving
    }
}

extension TransportError {
    /// The error for all readers of a response's content but the first, if the content is not at hand.
    package static let alreadyRead = TransportError(.failed, "The content of a response can be read only once.")
}
