// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension Cache {
    /// The value of a key; if there is none, loads it, at most once for all callers that ask meanwhile.
    ///
    /// ```swift
    /// let user = try await users.value(forKey: id) { id in try await database.user(id) }
    /// ```
    ///
    /// Counts as a use, and as one hit or one miss. Suspends only on a miss. The load runs in a task of its own: a caller that is
    /// cancelled gets `CancellationError` at once while the others go on waiting, and the load is cancelled
    /// when the last of them has left.
    ///
    /// If the key is written or removed while the load runs, its callers still get the loaded value, but the cache does not keep it,
    /// and callers that come after the write do not join this load.
    /// A load that throws leaves no entry; all its callers get its error.
    ///
    /// - Throws: What `load` throws; `CancellationError`; ``CacheError/Code/recursiveLoad`` when `load` asks, directly or through
    ///   other loads, for the key it is loading. A task counts as part of the load inside which it was created until that has ended.
    public func value(forKey key: Key, load: @escaping @Sendable (Key) async throws -> Value) async throws -> Value {
        if let value = value(forKey: key) { return value }
        return try await flights.run(key, existing: { peek(key) }) { [self] in
            try await loadAndPublish(key, load: load)
        }.output
    }

    private func loadAndPublish(_ key: Key, load: @Sendable (Key) async throws -> Value) async throws -> Value {
        let fence = state.withLock { $0.fences.open(key) }
        let value: Value
        do {
            value = try await load(key)
        } catch {
            state.withLock { state in
                state.fences.close(fence)
                state.statistics.loadFailures += 1
            }
            throw error
        }
        let entry = entry(for: value, key: key, weight: nil, expiresAfter: nil)
        let outcome = state.withLock { state in
            state.statistics.loads += 1
            guard state.fences.isIntact(fence) else {
                state.statistics.fencedLoads += 1
                return LRUEngine<Key, Value>.InsertionOutcome?.none
            }
            // A load that all its callers have left may still run, beside a later one of the same key.
            state.fences.closeAndBreakOlder(than: fence)
            return state.insert(entry, forKey: key)
        }
        withExtendedLifetime(outcome) {}
        return value
    }
}
