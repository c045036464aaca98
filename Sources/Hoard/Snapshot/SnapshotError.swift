// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of writing or reading a snapshot.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one sentence for a person
/// and holds nothing of the snapshot's content.
public struct SnapshotError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// There is no file at the path.
        public static var notFound: Self { Self(description: #function) }
        /// The path leads to a directory, a pipe or a device.
        public static var notAFile: Self { Self(description: #function) }
        /// The file was not written by Hoard.
        public static var foreign: Self { Self(description: #function) }
        /// The file was written by a later version of Hoard.
        public static var newerFormat: Self { Self(description: #function) }
        /// The file is a snapshot that was changed since it was written: altered, cut short or extended.
        public static var corrupt: Self { Self(description: #function) }
        /// The file is an intact snapshot of other keys or values.
        public static var wrongSchema: Self { Self(description: #function) }
        /// The snapshot is larger than the reader's limit, or no entry would fit into the writer's limit.
        public static var tooLarge: Self { Self(description: #function) }
        /// A key or value could not be encoded or decoded.
        public static var codingFailed: Self { Self(description: #function) }
        /// The system refused or failed. ``SnapshotError/message`` says why.
        public static var io: Self { Self(description: #function) }
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

#if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    extension SnapshotError {
        /// The error for a failed system call.
        ///
        /// - Parameter action: The action that failed, as the end of a sentence: "open …".
        static func system(_ error: SystemCallError, _ action: String) -> SnapshotError {
            SnapshotError(.io, "Could not \(action): \(error).", underlyingError: error)
        }
    }
#endif
