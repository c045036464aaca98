// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of a ``CachingClient``, which got no response.
///
/// ```swift
/// do {
///     let response = try await client.get(url)
/// } catch let error as ClientError where error.code == .unreachable {
///     // The network is away, and nothing that is stored may stand in.
/// }
/// ```
public struct ClientError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The request has no usable `http` or `https` URL.
        public static var invalidURL: Self { Self(description: #function) }
        /// A redirect does not lead to an `http` or `https` URL.
        public static var invalidRedirect: Self { Self(description: #function) }
        /// A redirect leads from `https` to `http`.
        public static var insecureRedirect: Self { Self(description: #function) }
        /// There were more redirects than allowed.
        public static var tooManyRedirects: Self { Self(description: #function) }
        /// A redirect leads to a request that has been made already.
        public static var redirectLoop: Self { Self(description: #function) }
        /// A redirect needs the content again, but it was a stream that can be read only once.
        public static var bodyCannotBeSentAgain: Self { Self(description: #function) }
        /// No connection could be made: the name does not resolve, no server listens, or there is no network.
        public static var unreachable: Self { Self(description: #function) }
        /// The connection could not be secured.
        public static var tlsFailed: Self { Self(description: #function) }
        /// The transport's own timeout was reached.
        public static var timedOut: Self { Self(description: #function) }
        /// The exchange took longer than ``RequestOptions/timeout``. The body of a response throws this too.
        public static var deadlineExceeded: Self { Self(description: #function) }
        /// The origin closed the connection before it had answered.
        public static var connectionClosed: Self { Self(description: #function) }
        /// The origin's answer is not HTTP.
        public static var invalidResponse: Self { Self(description: #function) }
        /// The caller's task was cancelled.
        public static var cancelled: Self { Self(description: #function) }
        /// Any other failure.
        public static var failed: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on. It may name the host, never the path or a field.
    public let message: String
    /// The error of the transport, if it was asked.
    public let transportError: TransportError?
    /// The cache's action in the syntax of `Cache-Status` (RFC 9211); empty if the cache was not asked.
    public let cacheStatus: String
    /// Whether an origin has answered with a redirect that was followed. Then ``transportError`` is about another request than the first.
    package internal(set) var isBehindRedirect = false

    init(_ code: Code, _ message: String, transportError: TransportError? = nil, cacheStatus: String = "") {
        self.code = code
        self.message = message
        self.transportError = transportError
        self.cacheStatus = cacheStatus
    }

    init(_ error: HTTPCacheError) {
        let code = error.transportError.map { Code(of: $0) } ?? (error.code == .invalidRequest ? .invalidURL : .failed)
        self.init(code, error.message, transportError: error.transportError, cacheStatus: error.cacheStatus)
    }

    package init(_ error: TransportError) {
        self.init(Code(of: error), error.message, transportError: error)
    }

    public var description: String { message }
}

extension ClientError.Code {
    fileprivate init(of error: TransportError) {
        switch error.code {
        case .invalidURL: self = .invalidURL
        case .cannotConnect: self = .unreachable
        case .tlsFailed: self = .tlsFailed
        case .timedOut: self = .timedOut
        case .connectionClosed: self = .connectionClosed
        case .invalidResponse: self = .invalidResponse
        case .cancelled: self = .cancelled
        default: self = .failed
        }
    }
}
