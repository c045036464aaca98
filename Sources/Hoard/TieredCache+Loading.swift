// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension TieredCache {
    /// The fresh value of a key, from memory, a store or the loader, with at most one load for all callers that ask meanwhile.
    ///
    /// The load runs in a task of its own: a caller that is cancelled gets `CancellationError` at once, and the load is
    /// cancelled when its last caller has left. Callers get the value when memory and the stores have it.
    ///
    /// - Throws: What `load` throws; `CancellationError`; ``CacheError/Code/recursiveLoad``. Never an error of a store.
    public func value(forKey key: Key, load: @escaping @Sendable (Key) async throws -> Value) async throws -> Value {
        try await lookup(forKey: key, load: load).value
    }

    /// Like ``value(forKey:load:)``, but with the value's provenance.
    public func lookup(forKey key: Key, load: @escaping @Sendable (Key) async throws -> Value) async throws -> Lookup<Value> {
        if let found = memoryLookup(forKey: key), found.isFresh {
            counters.withLock { $0.memoryHits += 1 }
            return found
        }
        var seen: MemoryEntry?
        var (lookup, isCoalesced) = try await loads.run(key, existing: { freshMemoryLookup(forKey: key, seen: &seen) }) { [self] in
            if let found = await storeLookup(forKey: key), found.isFresh { return found }
            // The last caller may have left while the stores were read.
            try Task.checkCancellation()
            return try await loadAndPublish(key, load: load)
        }
        withExtendedLifetime(seen) {}
        if isCoalesced { lookup.isCoalesced = true }
        counters.withLock { counters in
            switch lookup.tier {
            case .memory: counters.memoryHits += 1
            case .loader: counters.misses += 1
            default: counters.storeHits += 1
            }
        }
        return lookup
    }

    private func loadAndPublish(_ key: Key, load: @Sendable (Key) async throws -> Value) async throws -> Lookup<Value> {
        let fence = openFence(forKey: key)
        let value: Value
        do {
            value = try await load(key)
        } catch {
            closeFence(fence)
            counters.withLock { $0.loadFailures += 1 }
            throw error
        }
        counters.withLock { $0.loads += 1 }
        let cached = newValue(value, freshFor: nil, staleFor: nil)
        await publish(cached, forKey: key, fence: fence)
        return Lookup(cached, tier: .loader, isFresh: true)
    }
}
