// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Why a ``CachingClient`` has no response.
///
/// ```swift
/// do {
///     let response = try await client.get(url)
/// } catch let error as ClientError where error.code == .unreachable {
///     // The network is away, and nothing that is stored may stand in.
/// }
/// ```
public struct ClientError: Error, Sendable {
    /// What went wrong, by kind.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable {
            case invalidURL, invalidRedirect, insecureRedirect, tooManyRedirects, redirectLoop, bodyCannotBeSentAgain
            case unreachable, tlsFailed, timedOut, deadlineExceeded, connectionClosed, invalidResponse, cancelled, failed
        }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The request has no usable `http` or `https` URL.
        public static var invalidURL: Self { .init(.invalidURL) }
        /// A redirect leads to something that is no `http` or `https` URL.
        public static var invalidRedirect: Self { .init(.invalidRedirect) }
        /// A redirect leads from `https` to `http`.
        public static var insecureRedirect: Self { .init(.insecureRedirect) }
        /// There were more redirects than allowed.
        public static var tooManyRedirects: Self { .init(.tooManyRedirects) }
        /// A redirect leads to a request that has been made already.
        public static var redirectLoop: Self { .init(.redirectLoop) }
        /// A redirect asks for the content once more, which was a stream that can be read only once.
        public static var bodyCannotBeSentAgain: Self { .init(.bodyCannotBeSentAgain) }
        /// No connection could be made: the name does not resolve, nothing listens, or the network is away.
        public static var unreachable: Self { .init(.unreachable) }
        /// The connection could not be secured.
        public static var tlsFailed: Self { .init(.tlsFailed) }
        /// The transport's own limits of time were passed.
        public static var timedOut: Self { .init(.timedOut) }
        /// The exchange took longer than ``RequestOptions/timeout``. The body of a response throws this too.
        public static var deadlineExceeded: Self { .init(.deadlineExceeded) }
        /// The origin closed the connection before it had answered.
        public static var connectionClosed: Self { .init(.connectionClosed) }
        /// The origin's answer is not HTTP.
        public static var invalidResponse: Self { .init(.invalidResponse) }
        /// The caller's task was cancelled.
        public static var cancelled: Self { .init(.cancelled) }
        /// Anything no other code names.
        public static var failed: Self { .init(.failed) }

        public var description: String { base.rawValue }
    }

    public let code: Code
    /// One sentence a person can act on. It may name the host, never the path or a field.
    public let message: String
    /// What the transport reported, if it was asked.
    public let transportError: TransportError?
    /// What the cache did, as RFC 9211 writes it; empty if it was not asked.
    public let cacheStatus: String

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
}

extension ClientError: CustomStringConvertible {
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
