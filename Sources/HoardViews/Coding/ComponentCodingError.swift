// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a component could not be decoded or encoded.
public struct ComponentCodingError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The bytes are not JSON.
        public static var notJSON: Self { Self(description: #function) }
        /// An object has no discriminator.
        public static var typeMissing: Self { Self(description: #function) }
        /// No component is registered under a name.
        public static var unknownType: Self { Self(description: #function) }
        /// A member is missing, or has another type than its component declares.
        public static var invalidValue: Self { Self(description: #function) }
        /// Components are nested deeper than allowed.
        public static var tooDeep: Self { Self(description: #function) }
        /// A component cannot be written as JSON.
        public static var encodingFailed: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// Where in the JSON: `$.children[2].text`.
    public let path: String
    /// One sentence a person can act on. It names members and types, never values.
    public let message: String
    /// The error below, if there is one.
    public let underlyingError: (any Error)?

    /// Creates an error with the place in the JSON.
    public init(_ code: Code, path: String = "$", _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.path = path
        self.message = message
        self.underlyingError = underlyingError
    }

    public var description: String { message }
}
