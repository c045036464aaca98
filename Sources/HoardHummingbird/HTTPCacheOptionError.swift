// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Why an option of the middleware makes no sense.
public struct HTTPCacheOptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, by kind.
    public struct Code: Hashable, Sendable {
        private enum Base: Hashable, Sendable { case invalidAuthority }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The text is not a host with or without a port.
        public static var invalidAuthority: Self { .init(.invalidAuthority) }
    }

    public let code: Code
    /// One sentence a person can act on.
    public let message: String

    public var description: String { message }
}
