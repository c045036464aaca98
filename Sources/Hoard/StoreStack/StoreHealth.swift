// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The health of a store below memory, for dashboards and health checks.
public struct StoreHealth: Sendable, Hashable {
    /// The state of the circuit, which decides whether the store is called. Safe as a metric label.
    public struct Circuit: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case closed, open, halfOpen }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// The store is called.
        public static var closed: Self { .init(.closed) }
        /// The store has failed too often in a row and is left alone for a while.
        public static var open: Self { .init(.open) }
        /// The store has been left alone for a while, and one call tries whether it works again.
        public static var halfOpen: Self { .init(.halfOpen) }

        public var description: String { base.rawValue }
    }

    /// The store's name.
    public let store: String
    /// Whether the store is called at all.
    public internal(set) var circuit = Circuit.closed
    /// The number of failures since the last success, while the circuit is closed.
    public internal(set) var consecutiveFailures = 0
    /// The number of operations that the store has failed to do, or not done in time, since the beginning.
    public internal(set) var failures = 0
    /// The number of these failures that were not done in time.
    public internal(set) var timeouts = 0
    /// The number of keys, tags and partitions whose invalidation the store has missed. They are not read from it before that has been made good.
    public internal(set) var pendingInvalidations = 0
    /// Whether the store has to be emptied before it is read again.
    public internal(set) var isInvalid = false
    /// The number of writes and removals past their deadline that the store has not answered yet.
    public internal(set) var overdueCalls = 0

    init(store: String) { self.store = store }

    /// Whether the store is used without restriction: its circuit is closed, it has missed nothing, and it owes no answer.
    public var isSound: Bool { circuit == .closed && pendingInvalidations == 0 && !isInvalid && overdueCalls == 0 }
}
