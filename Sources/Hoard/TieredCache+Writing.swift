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
        // What leaves memory is released after the lock, here and below.
        let (fence, _) = fences.withLock { fences in
            let fence = fences.open(key)
            _ = fences.beginChange(fence)
            return (fence, memory.removeEntry(forKey: key))
        }
        detach(key)
        let recordKey = recordKey(key)
        for (index, tier) in tiers.enumerated() {
            await tier.removeRecord(forKey: recordKey) { [self] in mayReach(tier: index, change: fence) }
        }
        fences.withLock { $0.endChange(fence) }
        // Whoever began to read the stores during the removal may have seen what has been removed.
        detach(key)
    }

    /// Removes everything from every tier, including what other caches keep in the same stores.
    public func removeAll() async {
        await changeEverything { change in
            for (index, tier) in tiers.enumerated() {
                await tier.removeAll { [self] in fences.withLock { $0.reach(tier: index, change: change) } }
            }
        }
    }

    /// Empties the memory tier, keeps everything under way from publishing, and lets `body` do the same to the stores.
    func changeEverything(_ body: (FenceTable<Key>.ChangeOfEverything) async -> Void) async {
        let (change, _) = fences.withLock { fences in
            (fences.beginChangeOfEverything(), memory.removeAllEntries())
        }
        detachAll()
        await body(change)
        fences.withLock { $0.endChangeOfEverything() }
        detachAll()
    }

    /// Marks the moment at which somebody begins to obtain a value for `key` outside the cache. Close it or publish with it.
    package func openFence(forKey key: Key) -> FenceTable<Key>.Fence {
        fences.withLock { $0.open(key) }
    }

    /// Whether the fence's key has been neither written nor removed since the fence was opened.
    package func isIntact(_ fence: FenceTable<Key>.Fence) -> Bool {
        fences.withLock { $0.isIntact(fence) }
    }

    /// Whether a write or removal of the key is under way. If so, the stores may have what it is about to replace or remove.
    package func isBeingChanged(_ key: Key) -> Bool {
        fences.withLock { $0.isBeingChanged(key) }
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
        if behind, !tiers.isEmpty {
            await storeWrites.run { [self] in await publishToStores(cached, forKey: key, fence: fence) }
        } else {
            await publishToStores(cached, forKey: key, fence: fence)
        }
        // Whoever began to load before may return something older.
        loads.detach(key)
        return true
    }

    private func publishToStores(_ cached: CachedValue<Value>, forKey key: Key, fence: FenceTable<Key>.Fence) async {
        defer {
            fences.withLock { $0.endChange(fence) }
            storeReads.detach(key)
        }
        guard !tiers.isEmpty else { return }
        let recordKey = recordKey(key)
        guard let record = record(cached) else {
            for (index, tier) in tiers.enumerated() {
                await tier.removeRecord(forKey: recordKey) { [self] in mayReach(tier: index, change: fence) }
            }
            return
        }
        for (index, tier) in tiers.enumerated() {
            await tier.insert(record, forKey: recordKey) { [self] in mayReach(tier: index, change: fence) }
        }
    }

    private func mayReach(tier: Int, change fence: FenceTable<Key>.Fence) -> Bool {
        fences.withLock { $0.mayReach(tier: tier, change: fence) }
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
        let outcome = fences.withLock { fences -> PublicationOutcome in
            guard isPromotion else {
                return fences.beginChange(fence) ? .published(left: memory.insert(entry, forKey: key)) : .fenced
            }
            guard fences.isIntact(fence) else { return .fenced }
            if let current = memory.peek(key), current.cached.created >= cached.created { return .superseded(by: current) }
            return .published(left: memory.insert(entry, forKey: key))
        }
        if case .fenced = outcome {
            counters.withLock { $0.fencedPublications += 1 }
            return false
        }
        if !isPromotion { storeReads.detach(key) }
        return true
    }

    /// What came of a publication to memory. Keeps what left alive until the lock has been released.
    private enum PublicationOutcome {
        case published(left: Departures<Key, MemoryEntry>)
        case superseded(by: MemoryEntry)
        case fenced
    }

    /// The entry for the memory tier, its lifetime measured in ticks from now on. Runs the weigher.
    private func memoryEntry(_ cached: CachedValue<Value>, forKey key: Key) -> NewEntry<MemoryEntry> {
        let now = clock.now()
        let freshDeadline = cached.freshUntil.map { freshUntil in
            let lifetime = now.duration(to: freshUntil).saturatingNanoseconds
            let (deadline, overflowed) = ticker.nanoseconds().addingReportingOverflow(lifetime)
            return overflowed ? (lifetime < 0 ? .min : .max) : deadline
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

    func detach(_ key: Key) {
        storeReads.detach(key)
        loads.detach(key)
    }

    private func detachAll() {
        storeReads.detachAll()
        loads.detachAll()
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
