// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// An error of a request to a ``NetworkManaging``, which got no usable response.
public struct NetworkError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A GET, HEAD or TRACE request has content.
        public static var bodyInGet: Self { Self(description: #function) }
        /// The request has no usable `http` or `https` URL.
        public static var invalidURL: Self { Self(description: #function) }
        /// The bearer token cannot be sent.
        public static var invalidToken: Self { Self(description: #function) }
        /// The content of the request cannot be written as JSON.
        public static var encodingFailed: Self { Self(description: #function) }
        /// The origin cannot be reached, and no stored response may stand in.
        public static var offline: Self { Self(description: #function) }
        /// The exchange took too long.
        public static var timedOut: Self { Self(description: #function) }
        /// The task was cancelled.
        public static var cancelled: Self { Self(description: #function) }
        /// The connection could not be secured.
        public static var tlsFailed: Self { Self(description: #function) }
        /// A redirect cannot or must not be followed.
        public static var redirectFailed: Self { Self(description: #function) }
        /// The body of the response is longer than allowed.
        public static var tooLarge: Self { Self(description: #function) }
        /// The status is 401 or 403. ``NetworkError/response`` has the body.
        public static var accessForbidden: Self { Self(description: #function) }
        /// The status is 404 or 410. ``NetworkError/response`` has the body.
        public static var notFound: Self { Self(description: #function) }
        /// The status is another one beyond 200 to 299. ``NetworkError/response`` has the body.
        public static var unacceptableStatus: Self { Self(description: #function) }
        /// The body of the response is not the expected JSON. ``NetworkError/codingPath`` says where.
        public static var decodingFailed: Self { Self(description: #function) }
        /// Any other failure.
        public static var failed: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on. It may name the host, never the path, a field or any content.
    public let message: String
    /// The response, if there was one.
    public let response: NetworkResponse?
    /// The path in the value at which the coding failed, from the outside in: names, and indices in brackets. Empty for the value itself.
    public let codingPath: [String]
    /// The error that the layer below reported, if any.
    public let underlyingError: (any Error)?

    /// Creates an error. Public for fakes in tests.
    public init(
        _ code: Code,
        _ message: String,
        response: NetworkResponse? = nil,
        codingPath: [String] = [],
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.response = response
        self.codingPath = codingPath
        self.underlyingError = underlyingError
    }

    public var description: String { message }
}

extension NetworkError {
    init(_ error: ClientError) {
        self.init(Code(of: error), error.message, underlyingError: error)
    }

    /// Creates the error for a response whose body broke off with `error`.
    init(body error: any Error) {
        switch error {
        case let error as NetworkError: self = error
        case let error as ClientError: self.init(error)
        case let error as TransportError: self.init(ClientError(error))
        case let error as HTTPBodyTooLargeError: self.init(.tooLarge, error.description, underlyingError: error)
        case is CancellationError: self.init(.cancelled, "The request was cancelled.", underlyingError: error)
        default: self.init(.failed, "The response broke off.", underlyingError: error)
        }
    }

    /// A response whose status is not one of success.
    init(unacceptable response: NetworkResponse) {
        let code: Code =
            switch response.status.code {
            case 401, 403: .accessForbidden
            case 404, 410: .notFound
            default: .unacceptableStatus
            }
        self.init(code, "The response has the status \(response.status.code).", response: response)
    }

    init(encoding error: any Error) {
        let path = (error as? EncodingError)?.codingPath ?? []
        self.init(.encodingFailed, "The content cannot be written as JSON\(Self.place(path)).", codingPath: path, underlyingError: error)
    }

    init(decoding error: any Error, of response: NetworkResponse) {
        let path = (error as? DecodingError)?.codingPath ?? []
        self.init(
            .decodingFailed,
            "The response is not the JSON that is expected\(Self.place(path)).",
            response: response,
            codingPath: path,
            underlyingError: error
        )
    }

    private static func place(_ path: [String]) -> String {
        path.isEmpty ? "" : ", at \(path.joined(separator: "."))"
    }
}

extension NetworkError.Code {
    fileprivate init(of error: ClientError) {
        switch error.code {
        case .invalidURL: self = .invalidURL
        case .unreachable: self = .offline
        case .timedOut, .deadlineExceeded: self = .timedOut
        case .cancelled: self = .cancelled
        case .tlsFailed: self = .tlsFailed
        case .invalidRedirect, .insecureRedirect, .tooManyRedirects, .redirectLoop, .bodyCannotBeSentAgain: self = .redirectFailed
        default: self = .failed
        }
    }
}

extension EncodingError {
    fileprivate var codingPath: [String] {
        guard case .invalidValue(_, let context) = self else { return [] }
        return context.codingPath.map(\.place)
    }
}

extension DecodingError {
    fileprivate var codingPath: [String] {
        switch self {
        case .keyNotFound(let key, let context): (context.codingPath + [key]).map(\.place)
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context.codingPath.map(\.place)
        @unknown default: []
        }
    }
}

extension CodingKey {
    fileprivate var place: String { intValue.map { "[\($0)]" } ?? stringValue }
}
