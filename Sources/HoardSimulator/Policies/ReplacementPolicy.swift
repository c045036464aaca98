// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides which keys a cache holds. Replays requests one by one; a miss brings the key in, if the policy admits it.
///
/// Every key counts 1. A policy is created with the number of keys it may hold, which is at least 1.
protocol ReplacementPolicy: Sendable {
    /// Requests a key.
    ///
    /// - Returns: Whether it was a hit.
    mutating func access(_ key: UInt64) -> Bool

    /// How many keys are held now, never more than the capacity. Remembered keys of entries that left do not count.
    var count: Int { get }
}
