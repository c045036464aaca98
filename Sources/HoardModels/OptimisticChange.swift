// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// A change that a mutation shows before the server has answered: ``ObservedMutation``.
public struct OptimisticChange<Output: Sendable>: Sendable {
    /// The two ways in which the change may end.
    struct Pending: Sendable {
        let confirm: @Sendable (Output) async -> Void
        var takeBack: @Sendable () async -> Void = {}
    }

    let begin: @Sendable () async -> Pending

    /// Changes the value of a key in memory, until the server has answered.
    ///
    /// When it accepts, the value is replaced by `confirmed`, in every tier; without one, it goes, so that it is loaded again. When it refuses, the old value is back. If something else has come
    /// meanwhile, that is left, marked stale, whatever the server says. Neither stores nor other processes ever see a
    /// value that the server has not accepted.
    ///
    /// - Parameters:
    ///   - change: Makes the new value of the old one, fresh or stale, or of `nil`. Returns `nil` to leave it.
    ///   - confirmed: The value that the server's answer gives.
    public static func update<Key: Hashable & Sendable, Value: Sendable>(
        _ cache: TieredCache<Key, Value>,
        forKey key: Key,
        to change: @escaping @Sendable (Value?) -> Value?,
        confirmed: (@Sendable (Output) -> Value?)? = nil
    ) -> Self {
        Self {
            let shown = await cache.showProvisionally(forKey: key, change)
            return Pending { output in
                guard let shown else { return await cache.markStale(forKey: key) }
                if let value = confirmed?(output) { await cache.confirm(value, for: shown) } else { await cache.outdate(shown) }
            } takeBack: {
                if let shown { await cache.takeBack(shown) }
            }
        }
    }

    /// Removes a key from every tier when the server accepts, and shows nothing before.
    public static func remove<Key: Hashable & Sendable, Value: Sendable>(_ key: Key, from cache: TieredCache<Key, Value>) -> Self {
        Self { Pending(confirm: { _ in await cache.removeValue(forKey: key) }) }
    }

    /// Marks all values with one of the tags stale when the server accepts, so that those that are shown are loaded again.
    public static func markStale<Key: Hashable & Sendable, Value: Sendable>(taggedWithAny tags: Set<String>, in cache: TieredCache<Key, Value>)
        -> Self
    {
        Self { Pending(confirm: { _ in await cache.markStale(taggedWithAny: tags) }) }
    }
}
