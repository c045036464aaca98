// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A store that was passed by on the way to a value, with the reason.
public struct StoreSkip: Sendable, Hashable, CustomStringConvertible {
    /// The reason for which a store was passed by. Safe as a metric label.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case circuitOpen, timedOut, failed, invalidationPending, policy, beingChanged }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The store has failed too often lately and is left alone for a while.
        public static var circuitOpen: Self { .init(.circuitOpen) }
        /// The store did not answer before the deadline.
        public static var timedOut: Self { .init(.timedOut) }
        /// The store threw an error.
        public static var failed: Self { .init(.failed) }
        /// The store has missed an invalidation that concerns the key, and must not be read before that has been made good.
        public static var invalidationPending: Self { .init(.invalidationPending) }
        /// The key is being written or removed, and the store may still have the old record.
        public static var beingChanged: Self { .init(.beingChanged) }
        /// The policy skips the store.
        public static var policy: Self { .init(.policy) }

        public var description: String { base.rawValue }
    }

    /// The store's name.
    public let store: String
    /// The reason why the store was passed by.
    public let reason: Reason

    /// Creates a description of a store that was passed by.
    public init(store: String, reason: Reason) {
        self.store = store
        self.reason = reason
    }

    public var description: String { "\(store): \(reason)" }
}
