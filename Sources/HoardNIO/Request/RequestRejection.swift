// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOHTTP1

/// The reason why the server itself answers a request, and closes its connection.
struct RequestRejection: Error, Hashable, Sendable {
    let status: HTTPResponse.Status
    /// The content of the answer: one sentence that repeats nothing the client sent.
    let sentence: String

    init(_ status: HTTPResponse.Status, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    static func badRequest(_ sentence: String) -> Self { Self(.badRequest, sentence) }

    static let malformed = badRequest("The request is not valid HTTP/1.1.")
    static let headTimedOut = Self(.requestTimeout, "The request's head did not arrive in time.")
    static let versionNotSupported = Self(.httpVersionNotSupported, "The server speaks HTTP/1.1 and HTTP/1.0.")
    static let headTooLarge = Self(.requestHeaderFieldsTooLarge, "The request's target or header fields are larger than the server accepts.")
    static let contentTooLarge = Self(.contentTooLarge, "The request's content is longer than the server accepts.")

    /// Creates the rejection to answer with when the parser gave up. `nil` if the client merely went away.
    init?(parserError error: any Error) {
        switch error as? HTTPParserError {
        case nil, .closedConnection, .invalidEOFState:
            return nil
        case .headerOverflow:
            self = .headTooLarge
        case .invalidVersion:
            self = .versionNotSupported
        case .invalidMethod, .invalidConstant, .paused:
            self = .badRequest("The request line is not valid HTTP/1.1, or its method is not known.")
        case .invalidURL, .invalidHost, .invalidPort, .invalidPath, .invalidQueryString, .invalidFragment:
            self = .badRequest("The request target is not a valid one.")
        case .invalidHeaderToken:
            self = .badRequest("A header field is not valid.")
        case .invalidContentLength, .unexpectedContentLength:
            self = .badRequest("The Content-Length field is not a valid one, is repeated, or stands beside Transfer-Encoding.")
        case .invalidChunkSize:
            self = .badRequest("The request's content is not validly chunked.")
        default:
            self = .malformed
        }
    }
}
