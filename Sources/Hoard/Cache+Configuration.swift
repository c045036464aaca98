// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Cache {
    /// Limits and rules of a cache. They do not change while it lives.
    public struct Configuration: Sendable {
        /// The most entries held at once. `nil`: no limit by count. 0: nothing is kept. Default: `nil`.
        public let maximumCount: Int?

        /// The greatest total weight held at once. `nil`: no limit by weight. Default: `nil`.
        public let maximumWeight: Int?

        /// When entries expire that bring no time of their own. Default: `.never`.
        public let expiration: Expiration

        /// Computes the weight of an entry that brings none of its own. Default: every entry weighs 1.
        public let weigher: (@Sendable (Key, Value) -> Int)?

        /// - Precondition: There is at least one limit, and no limit is negative.
        public init(
            maximumCount: Int? = nil,
            maximumWeight: Int? = nil,
            expiration: Expiration = .never,
            weigher: (@Sendable (Key, Value) -> Int)? = nil
        ) {
            precondition(
                maximumCount != nil || maximumWeight != nil,
                "A cache needs a limit: give maximumCount, maximumWeight or both."
            )
            precondition((maximumCount ?? 0) >= 0, "maximumCount must not be negative.")
            precondition((maximumWeight ?? 0) >= 0, "maximumWeight must not be negative.")
            self.maximumCount = maximumCount
            self.maximumWeight = maximumWeight
            self.expiration = expiration
            self.weigher = weigher
        }
    }
}
