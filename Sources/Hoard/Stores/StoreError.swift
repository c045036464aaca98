// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of a store.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one sentence for a person
/// and holds no key and no value.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The store did not answer, or failed in a way no other code names.
        public static var unavailable: Self { Self(description: #function) }
        /// The disk or the quota is full.
        public static var full: Self { Self(description: #function) }
        /// The process may not read or write the store's files.
        public static var permissionDenied: Self { Self(description: #function) }
        /// The path given for the store exists and is not a directory.
        public static var notADirectory: Self { Self(description: #function) }
        /// The directory or database belongs to something other than Hoard.
        public static var foreign: Self { Self(description: #function) }
        /// The store was written by a later version of Hoard.
        public static var newerFormat: Self { Self(description: #function) }
        /// The store's own structures are damaged.
        public static var corrupt: Self { Self(description: #function) }
        /// The key is longer than ``RecordKey/maximumByteCount``.
        public static var keyTooLong: Self { Self(description: #function) }
        /// The record alone is larger than the store's limit.
        public static var recordTooLarge: Self { Self(description: #function) }
        /// The store has been closed.
        public static var closed: Self { Self(description: #function) }
        /// A value the store was configured with cannot be used, such as an encryption key of the wrong length.
        public static var invalidConfiguration: Self { Self(description: #function) }
        /// The store is encrypted with another key than the one it was opened with.
        public static var wrongKey: Self { Self(description: #function) }
    }

    /// The kind of error.
    public let code: Code
    /// One sentence a person can act on.
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
}

extension StoreError {
    /// The error for a key that no store accepts.
    package static func keyTooLong(_ key: RecordKey) -> StoreError {
        StoreError(.keyTooLong, "The key has \(key.bytes.count) bytes; stores accept at most \(RecordKey.maximumByteCount).")
    }

    /// The error for work on a closed store.
    package static func closed(_ storeName: String) -> StoreError {
        StoreError(.closed, "The \(storeName) store has been closed.")
    }
}
