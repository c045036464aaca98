// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How a store below memory is doing. For dashboards and health checks.
public struct StoreHealth: Sendable, Hashable {
    /// Whether the store is called at all. Safe as a metric label.
    public struct Circuit: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String, Hashable, Sendable { case closed, open, halfOpen }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// It is called.
        public static var closed: Self { .init(.closed) }
        /// It has failed too often in a row and is left alone for a while.
        public static var open: Self { .init(.open) }
        /// It has been left alone for a while, and one call is finding out whether it works again.
        public static var halfOpen: Self { .init(.halfOpen) }

        public var description: String { base.rawValue }
    }

    /// The store's name.
    public let store: String
    public internal(set) var circuit = Circuit.closed
    /// Failures since the last success, while the circuit is closed.
    public internal(set) var consecutiveFailures = 0
    /// Operations that the store has failed to do, or not done in time, since the beginning.
    public internal(set) var failures = 0
    /// Those of them that were not done in time.
    public internal(set) var timeouts = 0
    /// Keys, tags and partitions whose removal the store has missed, and that are not read from it before it has been made good.
    public internal(set) var pendingInvalidations = 0
    /// Whether nothing is read from the store before everything has been removed from it.
    public internal(set) var isInvalid = false
    /// Writes and removals that were not done in time and that the store has still not answered.
    public internal(set) var overdueCalls = 0

    init(store: String) { self.store = store }

    /// Whether the store is used without restriction: its circuit is closed, it has missed nothing, and it owes no answer.
    public var isSound: Bool { circuit == .closed && pendingInvalidations == 0 && !isInvalid && overdueCalls == 0 }
}
