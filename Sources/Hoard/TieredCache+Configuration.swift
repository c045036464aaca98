// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TieredCache {
    /// Limits and rules of a tiered cache. They do not change while it lives.
    public struct Configuration: Sendable {
        /// The most values held in memory. `nil`: no limit by count.
        public let maximumCount: Int?

        /// The greatest total weight held in memory. `nil`: no limit by weight.
        public let maximumWeight: Int?

        /// How long a loaded or inserted value is fresh, unless it brings its own time. `nil`: for ever. Default: `nil`.
        public let freshFor: Duration?

        /// How long a value is kept once it is no longer fresh. Default: zero.
        ///
        /// A stale value is seen by ``TieredCache/lookup(forKey:)`` only, which marks it as stale.
        public let staleFor: Duration

        /// Computes a value's weight in memory. Default: every value weighs 1.
        public let weigher: (@Sendable (Key, Value) -> Int)?

        /// - Precondition: There is at least one limit, no limit and no duration is negative.
        public init(
            maximumCount: Int? = nil,
            maximumWeight: Int? = nil,
            freshFor: Duration? = nil,
            staleFor: Duration = .zero,
            weigher: (@Sendable (Key, Value) -> Int)? = nil
        ) {
            precondition(maximumCount != nil || maximumWeight != nil, "A cache needs a limit: give maximumCount, maximumWeight or both.")
            precondition((maximumCount ?? 0) >= 0 && (maximumWeight ?? 0) >= 0, "maximumCount and maximumWeight must not be negative.")
            precondition((freshFor ?? .zero) >= .zero && staleFor >= .zero, "freshFor and staleFor must not be negative.")
            self.maximumCount = maximumCount
            self.maximumWeight = maximumWeight
            self.freshFor = freshFor
            self.staleFor = staleFor
            self.weigher = weigher
        }
    }
}
