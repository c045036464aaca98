// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

/// The reason why a screen cannot be shown.
public struct ViewError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The path gives no URL that may be asked for.
        public static var urlBuilder: Self { Self(description: #function) }
        /// The server would have to be asked, and there is nothing to ask it with.
        public static var networkClientNotConfigured: Self { Self(description: #function) }
        /// No usable response came: ``ViewError/networkError`` says why, or ``ViewError/statusCode`` is that of the
        /// response that came instead.
        public static var network: Self { Self(description: #function) }
        /// The response is no component: ``ViewError/codingError`` says where.
        public static var decoding: Self { Self(description: #function) }
        /// The caller's task or ``RequestToken`` was cancelled, or a prefetch was given up at a removal of its partition.
        public static var cancelled: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on. It may name the host, never the path, a field or any content.
    public let message: String
    /// The reason why no response came.
    public let networkError: ClientError?
    /// The status of the response, where it is the reason: one that is not of success.
    public let statusCode: Int?
    /// The reason why the response could not be decoded.
    public let codingError: ComponentCodingError?
    /// Whether the response is longer than allowed.
    private(set) var isTooLarge = false

    /// Public for the sake of fakes.
    public init(
        _ code: Code,
        _ message: String,
        networkError: ClientError? = nil,
        statusCode: Int? = nil,
        codingError: ComponentCodingError? = nil
    ) {
        self.code = code
        self.message = message
        self.networkError = networkError
        self.statusCode = statusCode
        self.codingError = codingError
    }

    public var description: String { message }
}

extension ViewError {
    static var cancelled: ViewError { ViewError(.cancelled, "The request was cancelled.") }

    init(_ error: ClientError) {
        self.init(.network, error.message, networkError: error)
    }

    /// Creates the error for a response whose body broke off with `error`.
    init(body error: any Error) {
        switch error {
        case let error as ViewError: self = error
        case let error as ClientError: self.init(error)
        case let error as TransportError: self.init(ClientError(error))
        case is CancellationError: self = .cancelled
        default: self.init(.network, "The response broke off.")
        }
    }

    init(_ error: ComponentCodingError) {
        self.init(.decoding, error.message, codingError: error)
    }

    static func tooLarge(_ maximumBytes: Int) -> ViewError {
        var error = ViewError(.network, "The response is longer than the \(maximumBytes) bytes allowed.")
        error.isTooLarge = true
        return error
    }

    init(statusCode: Int) {
        self.init(.network, "The response has the status \(statusCode).", statusCode: statusCode)
    }

    /// Whether the response came, but not to its end.
    var isBrokenOff: Bool {
        code == .network && !isTooLarge && statusCode == nil && networkError?.code != .deadlineExceeded
    }

    /// Whether the kept screen may stand in: the server could not be asked, did not answer in time or to the end, or
    /// has failed ([RFC 5861 §4](https://www.rfc-editor.org/rfc/rfc5861#section-4) names the statuses).
    var meansServerIsAway: Bool {
        if let statusCode { return [500, 502, 503, 504].contains(statusCode) }
        switch networkError?.code {
        case .unreachable?, .timedOut?, .deadlineExceeded?, .connectionClosed?: return true
        case nil: return code == .network && !isTooLarge
        default: return false
        }
    }
}
