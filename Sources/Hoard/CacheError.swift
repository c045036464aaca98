// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of the cache itself, rather than of a loader.
///
/// A loader's error reaches its callers as it is, and a cancelled caller gets `CancellationError`;
/// neither is wrapped in this type. A miss is never an error.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A loader asked, directly or through other loads, for the key that it is loading, and would have waited for itself.
        public static var recursiveLoad: Self { Self(description: #function) }
        /// A value could not be turned into bytes, or bytes into a value.
        public static var codingFailed: Self { Self(description: #function) }
        /// A load took longer than ``CachePolicy/hardTimeout``, and there was no stale value. The load goes on.
        public static var timedOut: Self { Self(description: #function) }
        /// Settings of a ``CachePolicy`` contradict each other.
        public static var invalidPolicy: Self { Self(description: #function) }
        /// A loader answered "not modified", but had been given no value that could still be right.
        public static var notModified: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on. Holds no key and no value.
    public let message: String
    /// The error that the layer below reported, if any.
    public let underlyingError: (any Error)?

    /// Creates an error with a sentence that a person can act on.
    public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }

    public var description: String { message }

    static var unaskedNotModified: CacheError {
        CacheError(.notModified, "The loader answered that the value is not modified, but it had not been given any.")
    }
}
