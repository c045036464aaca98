// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The reason why a simulation of shadows could not begin.
///
/// Compare ``code``; its set can grow without breaking code that matches on it. The description is one sentence for a person.
public struct ShadowSimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The policy cannot be simulated on live traffic, or not with such a capacity.
        public static var unsupportedPolicy: Self { Self(description: #function) }
        /// The capacity depends on all keys, or is too large for the sample.
        public static var unsupportedCapacity: Self { Self(description: #function) }
        /// The sample is no share of the keys, or there are too many shadows.
        public static var outOfRange: Self { Self(description: #function) }
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
