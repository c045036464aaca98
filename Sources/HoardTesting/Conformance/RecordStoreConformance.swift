// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// The checks that every `RecordStore` must pass.
///
/// The suite knows no test framework. With Swift Testing, run each check as one argument:
///
/// ```swift
/// @Test(arguments: RecordStoreConformance.checks)
/// func conforms(to check: RecordStoreConformance.Check) async throws {
///     try await check.run { configuration in
///         MyStore(
///             maximumCount: configuration.maximumCount,
///             maximumBytes: configuration.maximumBytes,
///             clock: configuration.clock
///         )
///     }
/// }
/// ```
///
/// With XCTest, loop over ``checks`` in one test method.
public enum RecordStoreConformance {
    /// Makes the store that a check works on: empty, opened, and not shared.
    ///
    /// A check may not be the only one under way, so stores must not share files or tables. The check closes the store.
    public typealias MakeStore = @Sendable (Configuration) async throws -> any RecordStore

    /// The limits and the clock that a check needs its store to have.
    public struct Configuration: Sendable {
        /// The most records the store may hold. `nil`: whatever the store's default is, but at least 10,000.
        public let maximumCount: Int?
        /// The most bytes the store may hold. `nil`: whatever the store's default is, but at least 16 MiB.
        public let maximumBytes: Int?
        /// The clock by which the store must judge whether a record has expired. It stands still until the check moves it.
        public let clock: any WallClock
    }

    /// Every check, with a new random seed for those that use random numbers. A failure states the seed.
    public static var checks: [Check] { checks(seed: .random(in: .min ... .max)) }

    /// Every check, with the seed that a failure has stated.
    public static func checks(seed: UInt64) -> [Check] { checks(forStoresWithOwnLimits: true, seed: seed) }

    /// Every check that a store can pass, with a new random seed unless one is given.
    ///
    /// - Parameter hasOwnLimits: `false` leaves out the checks of limits by count and by bytes, and of the order of eviction. It is for a store that
    ///   does not bound its own room, such as one on a shared server. Then test yourself how it refuses a record that is too large.
    public static func checks(forStoresWithOwnLimits hasOwnLimits: Bool, seed: UInt64 = .random(in: .min ... .max)) -> [Check] {
        let checks =
            readingChecks + keyChecks + expirationChecks + limitChecks + removalChecks + partitionChecks + bulkChecks + staleMarkChecks
            + lifecycleChecks + concurrencyChecks(limit: hasOwnLimits ? 20 : nil) + modelChecks(seed: seed)
        return hasOwnLimits ? checks : checks.filter { !$0.setsLimits }
    }
}

/// A rule of `RecordStore` that a store does not keep.
public struct RecordStoreConformanceFailure: Error, CustomStringConvertible {
    /// The name of the check that failed.
    public let check: String
    /// One sentence: the expectation, and the finding.
    public let message: String
    /// The error that the store threw, if it was unexpected.
    public let underlyingError: (any Error)?

    public var description: String { "\(check): \(message)" }
}
