// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// Writes a value to memory and to every store, replacing any other of its key. Suspends until the stores have it.
    ///
    /// Never throws: a store that fails is passed by, and holds nothing older under the key when it is next read.
    ///
    /// - Parameters:
    ///   - freshFor: How long the value is fresh. By default ``Configuration/freshFor`` decides.
    ///   - staleFor: How long it is kept after that. By default ``Configuration/staleFor`` decides.
    ///   - tags: Labels of the records in the stores.
    ///   - validator: What a revalidation would send to the source.
    public func insert(
        _ value: Value,
        forKey key: Key,
        freshFor: Duration? = nil,
        staleFor: Duration? = nil,
        tags: Set<String> = [],
        validator: String? = nil
    ) async {
        var cached = newValue(value, freshFor: freshFor, staleFor: staleFor)
        cached.tags = tags
        cached.validator = validator
        let fence = openFence(forKey: key)
        // Only a write or removal that overtook this one can have broken the fence.
        await publish(cached, forKey: key, fence: fence)
    }

    /// Removes a key from every tier. Suspends until the stores have removed it. A store that fails removes it before it is next read.
    public func removeValue(forKey key: Key) async {
        let (_, brokeFence) = fences.withLock { fences in
            (memory.removeValue(forKey: key), fences.breakFences(forKey: key))
        }
        if brokeFence { detach(key) }
        let recordKey = recordKey(key)
        for tier in tiers { await tier.removeRecord(forKey: recordKey) }
    }

    /// Removes everything from every tier, including what other caches keep in the same stores.
    public func removeAll() async {
        forgetEverything()
        for tier in tiers { await tier.removeAll() }
    }

    /// Empties the memory tier, and keeps everything under way from publishing.
    func forgetEverything() {
        // What leaves memory is released after the lock, here and below.
        _ = fences.withLock { fences in
            fences.breakAll()
            return memory.removeAllEntries()
        }
        storeReads.detachAll()
        loads.detachAll()
    }

    /// Marks the moment at which somebody begins to obtain a value for `key` outside the cache. Close it or publish with it.
    package func openFence(forKey key: Key) -> FenceTable<Key>.Fence {
        fences.withLock { $0.open(key) }
    }

    /// Whether the fence's key has been neither written nor removed since the fence was opened.
    package func isIntact(_ fence: FenceTable<Key>.Fence) -> Bool {
        fences.withLock { $0.isIntact(fence) }
    }

    /// Gives up a fence that was not used to publish.
    package func closeFence(_ fence: FenceTable<Key>.Fence) {
        fences.withLock { $0.close(fence) }
    }

    /// Writes a value to every tier, unless its key has been written or removed since `fence` was opened. Closes the fence.
    ///
    /// - Parameter behind: Return when memory has the value, and write to the stores in the background.
    /// - Returns: Whether the value was published.
    @discardableResult
    package func publish(
        _ cached: CachedValue<Value>,
        forKey key: Key,
        fence: FenceTable<Key>.Fence,
        behind: Bool = false
    ) async -> Bool {
        guard publishToMemory(cached, forKey: key, fence: fence) else {
            closeFence(fence)
            return false
        }
        guard behind, !tiers.isEmpty else {
            await publishToStores(cached, forKey: key, fence: fence)
            return true
        }
        await storeWrites.run { [self] in await publishToStores(cached, forKey: key, fence: fence) }
        return true
    }

    private func publishToStores(_ cached: CachedValue<Value>, forKey key: Key, fence: FenceTable<Key>.Fence) async {
        defer { closeFence(fence) }
        guard !tiers.isEmpty else { return }
        let recordKey = recordKey(key)
        guard let record = record(cached) else {
            for tier in tiers { await tier.removeRecord(forKey: recordKey) }
            return
        }
        for tier in tiers {
            await tier.insert(record, forKey: recordKey) { [self] in isIntact(fence) }
        }
    }

    func newValue(_ value: Value, freshFor: Duration?, staleFor: Duration?) -> CachedValue<Value> {
        let now = clock.now()
        let freshUntil = (freshFor ?? configuration.freshFor).map { now.advanced(by: $0) }
        let staleUntil = freshUntil.map { $0.advanced(by: staleFor ?? configuration.staleFor) }
        return CachedValue(value, created: now, freshUntil: freshUntil, staleUntil: staleUntil.map { .date($0) } ?? .forever)
    }

    /// Writes a value to memory if `fence` is intact.
    ///
    /// - Parameter isPromotion: The value is a copy of what a store has. It replaces nothing newer, and does not keep
    ///   anybody else from publishing. Any other value is a write, which breaks all other fences of the key.
    func publishToMemory(_ cached: CachedValue<Value>, forKey key: Key, fence: FenceTable<Key>.Fence, isPromotion: Bool = false) -> Bool {
        let entry = memoryEntry(cached, forKey: key)
        // The check of the fence and the publication are one step.
        let outcome = fences.withLock { fences -> (left: LRUEngine<Key, MemoryEntry>.InsertionOutcome?, brokeFence: Bool)? in
            guard fences.isIntact(fence) else { return nil }
            guard isPromotion else {
                return (memory.insert(entry, forKey: key), fences.breakFences(forKey: key, except: fence))
            }
            if let current = memory.peek(key), current.cached.created >= cached.created { return (nil, false) }
            return (memory.insert(entry, forKey: key), false)
        }
        guard let outcome else {
            counters.withLock { $0.fencedPublications += 1 }
            return false
        }
        if outcome.brokeFence { detach(key) }
        return true
    }

    /// The entry for the memory tier, its lifetime measured in ticks from now on. Runs the weigher.
    private func memoryEntry(_ cached: CachedValue<Value>, forKey key: Key) -> LRUEngine<Key, MemoryEntry>.Entry {
        let now = clock.now()
        let freshDeadline = cached.freshUntil.map { freshUntil in
            let (deadline, overflowed) = ticker.nanoseconds().addingReportingOverflow(now.duration(to: freshUntil).saturatingNanoseconds)
            return overflowed ? .max : deadline
        }
        return memory.entry(
            for: MemoryEntry(cached: cached, freshDeadline: freshDeadline ?? .max),
            key: key,
            weight: configuration.weigher?(key, cached.value),
            expiresAfter: cached.staleUntil.map { now.duration(to: $0) }
        )
    }

    private func record(_ cached: CachedValue<Value>) -> Record? {
        do {
            return Record(
                payload: try codec.encode(cached.value),
                created: cached.created,
                freshUntil: cached.freshUntil,
                staleUntil: cached.staleUntil.map { .date($0) } ?? .forever,
                tags: cached.tags,
                validator: cached.validator,
                contentType: codec.contentType,
                schemaFingerprint: codec.schemaFingerprint
            )
        } catch {
            report(
                TieredCacheEvent(
                    kind: .valueNotEncoded,
                    store: "all",
                    description: "\(error.message) It is kept in memory only.",
                    underlyingError: error
                )
            )
            return nil
        }
    }

    private func detach(_ key: Key) {
        storeReads.detach(key)
        loads.detach(key)
    }
}

extension Date {
    /// The date after `duration`; beyond the range of dates, the last or first one.
    fileprivate func advanced(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        return addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// The time from this date to `end`; negative if that is earlier. Saturates at about 292 years.
    fileprivate func duration(to end: Date) -> Duration {
        let seconds = end.timeIntervalSince(self)
        guard abs(seconds) < 9_000_000_000 else { return .nanoseconds(seconds > 0 ? Int64.max : .min) }
        return .nanoseconds(Int64(seconds * 1e9))
    }
}
