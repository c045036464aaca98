// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TieredCache {
    /// The limits and rules of a tiered cache. A cache keeps those it was created with.
    public struct Configuration: Sendable {
        /// The most values in memory. `nil`: no limit by count.
        public var maximumCount: Int?

        /// The greatest total weight of the values in memory. `nil`: no limit by weight.
        public var maximumWeight: Int?

        /// The policy, which decides how long values are used, unless a call or a loader's result says otherwise.
        public var policy: CachePolicy

        /// Computes a value's weight in memory. Default: every value weighs 1.
        public var weigher: (@Sendable (Key, Value) -> Int)?

        /// The time for which values that are left to be written behind (``CachePolicy/StoreWriting``) gather before a writer begins. The default is zero.
        ///
        /// A store on disk commits many values in little more time than one. A process that is killed loses the values of so much more time.
        package var writeGathering: Duration = .zero

        /// Creates a configuration.
        ///
        /// - Precondition: There is at least one limit, no limit is negative, and the policy is valid (``CachePolicy/validate()``).
        public init(
            maximumCount: Int? = nil,
            maximumWeight: Int? = nil,
            policy: CachePolicy = CachePolicy(),
            weigher: (@Sendable (Key, Value) -> Int)? = nil
        ) {
            self.maximumCount = maximumCount
            self.maximumWeight = maximumWeight
            self.policy = policy
            self.weigher = weigher
            checkLimits()
        }

        /// Stops the program if no cache can have this configuration. A cache checks again, as properties can change after `init`.
        func checkLimits() {
            precondition(maximumCount != nil || maximumWeight != nil, "A cache needs a limit: give maximumCount, maximumWeight or both.")
            precondition((maximumCount ?? 0) >= 0 && (maximumWeight ?? 0) >= 0, "maximumCount and maximumWeight must not be negative.")
            if let problem = policy.problem { preconditionFailure(problem) }
        }

        /// Creates a configuration with a policy that only sets how long values are fresh.
        public init(
            maximumCount: Int? = nil,
            maximumWeight: Int? = nil,
            freshFor: Duration,
            weigher: (@Sendable (Key, Value) -> Int)? = nil
        ) {
            self.init(maximumCount: maximumCount, maximumWeight: maximumWeight, policy: CachePolicy(freshFor: freshFor), weigher: weigher)
        }
    }
}
