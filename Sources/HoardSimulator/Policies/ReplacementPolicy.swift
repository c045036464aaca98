// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides which keys a cache holds. Replays requests one by one; a miss brings the key in, if the policy admits it.
///
/// A policy is created with its capacity, which is at least 1: a number of keys, each of size 1, or a number of bytes.
///
/// The rules for sizes are the same for all. An object larger than the capacity is not admitted. A request that brings another size for a key in the
/// cache is a hit, and the cache is charged the new size from then on. Other keys leave until it fits. If it is larger than the capacity, it leaves
/// itself.
protocol ReplacementPolicy: Sendable {
    /// Requests a key.
    ///
    /// - Parameter size: The bytes to charge, at least 1; 1 for a policy whose capacity is a number of keys.
    /// - Returns: Whether it was a hit.
    mutating func access(_ key: UInt64, size: Int) -> Bool

    /// Removes a key, as when its object expires: it is not remembered as one that was evicted.
    ///
    /// - Returns: Whether it was held.
    mutating func remove(_ key: UInt64) -> Bool

    /// Passes by a request for an object that cannot be kept, or a removal.
    mutating func passBy()

    /// The number of keys that are held now. Remembered keys of entries that left do not count.
    var count: Int { get }

    /// The sum of the sizes of the keys held, never more than the capacity.
    var size: Int { get }
}

extension ReplacementPolicy {
    /// Requests a key of size 1.
    mutating func access(_ key: UInt64) -> Bool { access(key, size: 1) }

    mutating func passBy() {}

    /// The size of a policy whose capacity is a number of keys.
    var size: Int { count }
}
