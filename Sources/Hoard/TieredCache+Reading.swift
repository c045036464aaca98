// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// The fresh value of a key, from memory or a store. Counts as a use. Suspends only if memory does not have it.
    ///
    /// Never throws: a store that fails is passed by. A caller that is cancelled gets `nil`.
    public func value(forKey key: Key) async -> Value? {
        guard let lookup = await lookup(forKey: key), lookup.isFresh else { return nil }
        return lookup.value
    }

    /// Like ``value(forKey:)``, but with the value's provenance, and also for a stale value that is still kept.
    ///
    /// When memory has only a stale value, the stores are asked for a fresher one.
    public func lookup(forKey key: Key) async -> Lookup<Value>? {
        let inMemory = memoryLookup(forKey: key)
        if let inMemory, inMemory.isFresh || tiers.isEmpty { return counted(inMemory) }
        let inStores = await storeLookup(forKey: key)
        return counted(inStores?.isFresh == true ? inStores : inMemory ?? inStores)
    }

    /// The value in memory, fresh or stale. Counts as a use of the memory tier only. Never suspends.
    package func memoryLookup(forKey key: Key) -> Lookup<Value>? {
        memory.value(forKey: key).map { lookup($0) }
    }

    /// Reads the stores, together with whoever else reads them for this key.
    func storeLookup(forKey key: Key) async -> Lookup<Value>? {
        do {
            var (lookup, isCoalesced) = try await storeReads.run(key) { [self] in await readStores(key) }
            lookup?.isCoalesced = isCoalesced
            return lookup
        } catch {
            // Cancelled, or a store that asks the cache above it.
            return nil
        }
    }

    /// The fresh value in memory, without counting as a use.
    ///
    /// - Parameter seen: Keeps the entry alive for a caller that holds a lock.
    func freshMemoryLookup(forKey key: Key, seen: inout MemoryEntry?) -> Lookup<Value>? {
        seen = memory.peek(key)
        guard let found = seen.map({ lookup($0) }), found.isFresh else { return nil }
        return found
    }

    func lookup(_ entry: MemoryEntry) -> Lookup<Value> {
        Lookup(entry.cached, tier: .memory, isFresh: ticker.nanoseconds() < entry.freshDeadline)
    }

    private func counted(_ lookup: Lookup<Value>?) -> Lookup<Value>? {
        counters.withLock { counters in
            switch lookup {
            case nil: counters.misses += 1
            case let lookup? where !lookup.isFresh: counters.staleHits += 1
            case let lookup? where lookup.tier == .memory: counters.memoryHits += 1
            case .some: counters.storeHits += 1
            }
        }
        return lookup
    }

    /// Asks the stores in order, and copies what it finds to the tiers above, as long as nobody writes or removes the key.
    private func readStores(_ key: Key) async -> Lookup<Value>? {
        let fence = fences.withLock { $0.openForCopy(key) }
        defer { if let fence { closeFence(fence) } }
        let recordKey = recordKey(key)
        var stale: (record: Record, cached: CachedValue<Value>, tierIndex: Int)?
        for (index, tier) in tiers.enumerated() {
            guard let record = await tier.record(forKey: recordKey) else { continue }
            guard let cached = await decode(record, recordKey: recordKey, from: tier, fence: fence) else { continue }
            if record.isFresh(at: clock.now()) {
                await promote(record, cached, key: key, recordKey: recordKey, from: index, fence: fence)
                return Lookup(cached, tier: .store(tier.store.name), isFresh: true)
            }
            if stale.map({ $0.record.created < record.created }) ?? true { stale = (record, cached, index) }
        }
        guard let stale else { return nil }
        await promote(stale.record, stale.cached, key: key, recordKey: recordKey, from: stale.tierIndex, fence: fence)
        return Lookup(stale.cached, tier: .store(tiers[stale.tierIndex].store.name), isFresh: false)
    }

    private func decode(
        _ record: Record,
        recordKey: RecordKey,
        from tier: StoreTier,
        fence: FenceTable<Key>.Fence?
    ) async -> CachedValue<Value>? {
        let underlyingError: (any Error)?
        if record.schemaFingerprint == codec.schemaFingerprint {
            do {
                return CachedValue(
                    try codec.decode(record.payload),
                    created: record.created,
                    freshUntil: record.freshUntil,
                    staleUntil: record.staleUntil.map { .date($0) } ?? .forever,
                    tags: record.tags,
                    validator: record.validator
                )
            } catch {
                underlyingError = error
            }
        } else {
            underlyingError = nil
        }
        counters.withLock { $0.rejectedRecords += 1 }
        let name = tier.store.name
        report(
            TieredCacheEvent(
                kind: .recordRejected,
                store: name,
                description: "A record in the \(name) store has another schema or does not decode; it was removed.",
                underlyingError: underlyingError
            )
        )
        // If the key has been written since, there is another record by now.
        await tier.removeRecord(forKey: recordKey) { [self] in fence.map { isIntact($0) } ?? false }
        return nil
    }

    private func promote(
        _ record: Record,
        _ cached: CachedValue<Value>,
        key: Key,
        recordKey: RecordKey,
        from index: Int,
        fence: FenceTable<Key>.Fence?
    ) async {
        guard let fence, publishToMemory(cached, forKey: key, fence: fence, isPromotion: true) else { return }
        for tier in tiers[..<index] {
            await tier.insert(record, forKey: recordKey) { [self] in isIntact(fence) }
        }
    }
}
