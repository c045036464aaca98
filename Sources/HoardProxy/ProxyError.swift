// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a proxy could not start, or change its settings.
public struct ProxyError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The origin is not a URL that a proxy can forward to.
        public static var invalidOrigin: Self { Self(description: #function) }
        /// A setting makes no sense, or a file that it names cannot be read.
        public static var invalidConfiguration: Self { Self(description: #function) }
        /// The address cannot be listened on: it is in use, not this machine's, or not allowed.
        public static var cannotListen: Self { Self(description: #function) }
        /// The disk store could not remove the records that must leave for a smaller size.
        public static var cannotResize: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on.
    public let message: String
    /// The error that the layer below reported, if any.
    public let underlyingError: (any Error)?

    init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }

    public var description: String { message }
}
