// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a request's content could not be read to its end.
package struct RequestBodyError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The client went away before it had sent all of the content.
        package static var connectionClosed: Self { Self(description: #function) }
        /// The content is not validly framed.
        package static var malformed: Self { Self(description: #function) }
        /// The content is longer than the server accepts. The client is told so, whatever the handler answers.
        package static var tooLarge: Self { Self(description: #function) }
        /// The client sent nothing for too long, or too little.
        package static var timedOut: Self { Self(description: #function) }
        /// The response has been sent; content that had not been read by then is dropped.
        package static var responseEnded: Self { Self(description: #function) }
        /// The content has been read before.
        package static var alreadyRead: Self { Self(description: #function) }
    }

    package let code: Code

    init(_ code: Code) {
        self.code = code
    }

    package var description: String {
        switch code {
        case .connectionClosed: "The client closed the connection before it had sent the whole request."
        case .malformed: "The request's content is not validly framed."
        case .tooLarge: "The request's content is longer than the server accepts."
        case .timedOut: "The client did not send the rest of the request in time."
        case .responseEnded: "The request's content was dropped because the response has ended."
        default: "The request's content can be read only once."
        }
    }
}
