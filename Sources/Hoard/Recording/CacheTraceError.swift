// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of a recording of a cache's traffic: it could not begin, or ended early.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one sentence for a person.
public struct CacheTraceError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The file at the path is not a recording.
        public static var occupied: Self { Self(description: #function) }
        /// The system refused or failed. ``CacheTraceError/message`` says why.
        public static var io: Self { Self(description: #function) }
        /// The platform has no files.
        public static var unsupported: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
