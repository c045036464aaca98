// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// The cache of “Bộ nhớ đệm trong swift”: it has a lifetime and a limit, knows its keys and can be saved.
protocol TypedCaching: Sendable {
    func insert(_ value: String, forKey key: String)
    func value(forKey key: String) -> String?
    func removeValue(forKey key: String)

    /// The keys that the cache believes to have.
    var keys: Set<String> { get }

    /// Replaces a value, and calls `other` at the worst moment at which another thread could come in between.
    func replace(with value: String, forKey key: String, meanwhile other: @escaping @Sendable () -> Void)

    /// Saves the cache. The result reads it back, as the next run of an app would.
    func saved() throws -> @Sendable () throws -> any TypedCaching
}

/// Makes a cache with a limit by count and a lifetime in seconds.
typealias MakeTypedCache = (_ maximumCount: Int, _ lifetime: Int, _ time: ManualTicker) -> any TypedCaching
