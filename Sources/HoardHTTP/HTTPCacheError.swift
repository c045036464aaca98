// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of an ``HTTPCache`` that has no response to a request.
public struct HTTPCacheError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The request has no usable `http` or `https` URI.
        public static var invalidRequest: Self { Self(description: #function) }
        /// No stored response could answer, and the origin could not be asked. ``HTTPCacheError/transportError`` says why.
        public static var forwardFailed: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on.
    public let message: String
    /// The error that the transport reported.
    public let transportError: TransportError?
    /// The cache's action in the syntax of `Cache-Status` (RFC 9211).
    public let cacheStatus: String

    /// Whether there is a stored response that a directive such as `must-revalidate` forbids to use without asking the origin. A gateway then answers
    /// 504: [RFC 9111 §5.2.2.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2.2).
    public let isStaleProhibited: Bool

    init(
        _ code: Code,
        _ message: String,
        transportError: TransportError? = nil,
        cacheStatus: String,
        isStaleProhibited: Bool = false
    ) {
        self.code = code
        self.message = message
        self.transportError = transportError
        self.cacheStatus = cacheStatus
        self.isStaleProhibited = isStaleProhibited
    }

    /// The origin did not answer.
    init(_ error: TransportError, cacheStatus: String = "", isStaleProhibited: Bool = false) {
        self.init(.forwardFailed, error.message, transportError: error, cacheStatus: cacheStatus, isStaleProhibited: isStaleProhibited)
    }

    /// The error for a caller whose task was cancelled while it waited. Other callers wait on.
    static var cancelled: Self {
        HTTPCacheError(TransportError(.cancelled, "The request was cancelled while it waited for the origin."))
    }

    public var description: String { message }
}
