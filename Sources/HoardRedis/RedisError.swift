// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An error of a command or of a configuration.
///
/// Compare ``code``; its set can grow. The description is one sentence for a person and holds no key, no value and no password.
public struct RedisError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// A URL or an option cannot be used.
        public static var invalidConfiguration: Self { Self(description: #function) }
        /// There is no connection, and none could be made.
        public static var connectionFailed: Self { Self(description: #function) }
        /// The server's certificate is not trusted or has expired, or the server does not speak TLS.
        public static var tlsFailed: Self { Self(description: #function) }
        /// The server does not accept the user or the password.
        public static var authenticationFailed: Self { Self(description: #function) }
        /// The connection has ended while the command was under way: it may have been carried out or not.
        public static var connectionLost: Self { Self(description: #function) }
        /// No reply has come in time. The command may have been carried out or not.
        public static var timedOut: Self { Self(description: #function) }
        /// Too many commands are waiting.
        public static var tooManyCommands: Self { Self(description: #function) }
        /// The server has sent something other than RESP3, or a reply of an unexpected kind.
        public static var protocolViolation: Self { Self(description: #function) }
        /// The server is too old, or a proxy in front of it does not know all commands. Redis 6 or Valkey is needed.
        public static var unsupportedServer: Self { Self(description: #function) }
        /// The server cannot serve at present: it loads its data, has lost its master, or is read-only (`LOADING`, `MASTERDOWN`, `READONLY`…).
        public static var notReady: Self { Self(description: #function) }
        /// The server could not carry out the command.
        public static var serverError: Self { Self(description: #function) }
        /// The server's memory is full (`OOM`).
        public static var outOfMemory: Self { Self(description: #function) }
        /// The user may not do that (`NOPERM`).
        public static var notPermitted: Self { Self(description: #function) }
        /// The task that waited was cancelled. The command may have been carried out or not.
        public static var cancelled: Self { Self(description: #function) }
        /// The connection was closed by its owner.
        public static var closed: Self { Self(description: #function) }
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
