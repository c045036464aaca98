// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Invalidation: removes values or marks them stale, by key, by tag, by partition or all at once.
///
/// A *removed* value is gone. A value *marked stale* is kept for as long as before. The next reader loads it again, and may still get the stale
/// value by ``CachePolicy/staleWhileRevalidate`` or ``CachePolicy/staleIfError``. Both hold in every tier when they return. No load, copy or
/// write behind that began before undoes them.
extension TieredCache {
    /// Removes a key from every tier. Suspends until the stores have removed it. A store that fails removes it before it is next read.
    public func removeValue(forKey key: Key) async {
        await removeValues(forKeys: CollectionOfOne(key))
    }

    /// Removes several keys from every tier, with one call of each store. Suspends.
    public func removeValues(forKeys keys: some Collection<Key>) async {
        let order = storeChanges.begin()
        defer { storeChanges.finished(order) }
        let changes = Set(keys).map { key in change(key) { removeFromMemory(key) } }
        if changes.isEmpty { return }
        for (index, tier) in tiers.enumerated() {
            await tier.remove(
                changes.compactMap { change in
                    naming.recordKey(for: change.fence.key).map { removal(of: $0, fromTier: index, change: change.fence) }
                }
            )
        }
        end(changes)
    }

    /// Tells other processes, through the stores they share, of the removal of keys that this process does not have. Leaves memory and the loads and
    /// writes under way here alone. Suspends. A store that fails does it before it is next read.
    package func tellOthersOfRemoval(of keys: some Collection<Key>) async {
        let recordKeys = Set(keys.compactMap { naming.recordKey(for: $0) })
        if recordKeys.isEmpty { return }
        let order = storeChanges.begin()
        defer { storeChanges.finished(order) }
        for tier in tiers where tier.sharedStore != nil { await tier.remove(recordKeys.map { .init(key: $0) { .wanted } }) }
    }

    /// Marks the value of a key stale in every tier, if there is one. Suspends.
    public func markStale(forKey key: Key) async {
        let order = storeChanges.begin()
        defer { storeChanges.finished(order) }
        let (now, tick) = (clock.now(), ticker.nanoseconds())
        // The entry in memory is replaced by a stale copy. If another entry has come in between, it is removed from memory.
        let aged = memory.peek(key).flatMap { found in
            // The era is read before the entry is checked, so that an invalidation after the check also applies to the copy.
            let era = currentEra(hasTags: found.hasTags)
            return checked(found, key: key).map { entry -> (old: TieredEntry<Value>, new: NewEntry<TieredEntry<Value>>) in
                let copy = staleCopy(of: entry, since: min(tick, entry.ticks.fresh), era: era)
                return (old: entry, new: memoryEntry(copy, forKey: key, weight: memory.weight(forKey: key)))
            }
        }
        let change = change(key) {
            guard let aged, memory.peek(key) === aged.old else { return removeFromMemory(key) }
            return memory.insert(aged.new, forKey: key)
        }
        // A write that this change overtakes does not reach the stores any more. The record it would have replaced must go, not just become stale.
        let isOvertaking = fences.withLock { $0.isOvertaking(change.fence) }
        let recordKey = naming.recordKey(for: key)
        for (index, tier) in tiers.enumerated() {
            guard let recordKey else { break }
            let marking = removal(of: recordKey, fromTier: index, change: change.fence)
            if isOvertaking { await tier.remove([marking]) } else { await tier.markStale([marking], at: now) }
        }
        end([change])
    }

    /// Removes all values with a tag from every tier. Suspends. O(1) in memory, and one call of each store.
    public func removeValues(taggedWith tag: String) async {
        await removeValues(taggedWithAny: [tag])
    }

    /// Removes all values that have at least one of the tags from every tier. Suspends. O(number of tags) in memory, and one call of each store.
    public func removeValues(taggedWithAny tags: Set<String>) async {
        let storeTags = naming.storeTagsToInvalidate(tags)
        await changeTags(tags) {
            $0.remove(tags)
        } inTier: { tier, onTurn in
            await tier.removeRecords(taggedWith: storeTags, onTurn: onTurn)
        }
    }

    /// Marks all values with a tag stale in every tier. Suspends. O(1) in memory, and one call of each store.
    public func markStale(taggedWith tag: String) async {
        await markStale(taggedWithAny: [tag])
    }

    /// Marks all values that have at least one of the tags stale in every tier. Suspends. O(number of tags) in memory, and one call of each store.
    public func markStale(taggedWithAny tags: Set<String>) async {
        let (now, tick) = (clock.now(), ticker.nanoseconds())
        let storeTags = naming.storeTagsToInvalidate(tags)
        await changeTags(tags) {
            $0.markStale(tags, at: tick)
        } inTier: { tier, onTurn in
            await tier.markStale(taggedWith: storeTags, at: now, onTurn: onTurn)
        }
    }

    /// Removes all values of a partition from every tier. Suspends. O(1) in memory, and one call of each store, whatever it holds.
    ///
    /// Loads, copies and writes behind that began before or meanwhile do not publish values of the partition afterwards. An encrypted `DiskStore`
    /// destroys the partition's key. Values in memory are never found again; their room is freed when they are looked up or evicted. A store that
    /// fails does it before it is next read. A cache with a name leaves the records of other caches in the same stores alone.
    ///
    /// - Parameter partition: The partition that was given with the values. Values without a partition belong to none.
    public func removePartition(_ partition: String) async {
        let label: Set = [EntryTerms.label(ofPartition: partition)]
        let storePartition = naming.storePartition(for: partition)
        await changeTags(label, alsoAtTheEnd: true) {
            $0.remove(label)
        } inTier: { tier, onTurn in
            await tier.removePartition(storePartition, onTurn: onTurn)
        }
    }

    /// Removes everything this cache has from every tier. Suspends. One call of each store, whatever it holds.
    ///
    /// A cache with a name leaves the records of other caches in the same stores alone. A cache without a name removes everything from its stores.
    public func removeAll() async {
        let namespace = name.map { Set([StoreStack.namespaceTag($0)]) }
        await changeEverything { change in
            for (index, tier) in tiers.enumerated() {
                let onTurn: @Sendable () -> Void = { [self] in fences.withLock { $0.reach(tier: index, change: change) } }
                if let namespace {
                    await tier.removeRecords(taggedWith: namespace, onTurn: onTurn)
                } else {
                    await tier.removeAll(onTurn: onTurn)
                }
            }
        }
    }

    /// Marks everything this cache has stale, in every tier. Suspends. O(1) in memory, and one call of each store, whatever it holds.
    ///
    /// A cache with a name leaves the records of other caches in the same stores alone.
    public func markAllStale() async {
        let (now, tick) = (clock.now(), ticker.nanoseconds())
        let namespace = name.map { Set([StoreStack.namespaceTag($0)]) }
        await changeTags([FenceTable<Key>.tagOfEverything]) {
            $0.markAllStale(at: tick)
        } inTier: { tier, onTurn in
            if let namespace {
                await tier.markStale(taggedWith: namespace, at: now, onTurn: onTurn)
            } else {
                await tier.markAllStale(at: now, onTurn: onTurn)
            }
        }
    }

    // MARK: Changes

    /// A change of a key that has begun.
    private struct KeyChange {
        let fence: FenceTable<Key>.Fence
        /// The tags and partition of the entry that memory had; `nil` if it had none.
        let labels: Set<String>?
    }

    /// Begins to change a key: breaks its fences, and lets `body` change memory in the same step.
    private func change(_ key: Key, _ body: () -> Departures<Key, TieredEntry<Value>>) -> KeyChange {
        interleavingPoint()
        // Entries that leave memory are released after the lock, here and below.
        let (fence, departures) = fences.withLock { fences in
            let fence = fences.open(key)
            _ = fences.beginChange(fence)
            return (fence, body())
        }
        memory.report(departures)
        let labels = departures.value(forKey: key)?.terms.labels
        noteInvalidation(of: key, labels: labels)
        if isObserved { recordRemoval(of: key) }
        forgetFailure(of: key)
        detach(key)
        return KeyChange(fence: fence, labels: labels)
    }

    private func removeFromMemory(_ key: Key) -> Departures<Key, TieredEntry<Value>> {
        var departures = Departures<Key, TieredEntry<Value>>()
        if let departure = memory.removeEntry(forKey: key).departure { departures.append(departure) }
        return departures
    }

    private func end(_ changes: [KeyChange]) {
        interleavingPoint()
        fences.withLock { fences in
            for change in changes { fences.endChange(change.fence) }
        }
        // A read of the stores that began during the change may have seen a removed record.
        for change in changes {
            detach(change.fence.key)
            noteEnd(of: change.fence.key, labels: change.labels)
        }
    }

    /// Invalidates tags in memory, keeps loads and writes of values with these tags from publishing, and lets `inTier` do the same to each store.
    ///
    /// - Parameter alsoAtTheEnd: Whether loads that begin during the change do not publish either. They may rest on a record that a store still had.
    func changeTags(
        _ tags: Set<String>,
        alsoAtTheEnd: Bool = false,
        inMemory: (inout sending TagMarks) -> Void,
        inTier: (StoreTier, @escaping @Sendable () -> Void) async -> Void
    ) async {
        if tags.isEmpty { return }
        let order = storeChanges.begin()
        defer { storeChanges.finished(order) }
        let change = beginChange(ofTags: tags, inMemory: inMemory)
        for (index, tier) in tiers.enumerated() {
            await inTier(tier) { [self] in fences.withLock { $0.reach(tier: index, change: change) } }
        }
        endChange(change, alsoAtTheEnd: alsoAtTheEnd)
    }

    /// Invalidates tags in memory. ``endChange(_:alsoAtTheEnd:)`` must follow.
    func beginChange(ofTags tags: Set<String>, inMemory: (inout sending TagMarks) -> Void) -> FenceTable<Key>.ChangeOfTags {
        interleavingPoint()
        let change = fences.withLock { fences in
            let change = fences.beginChange(ofTags: tags)
            marks.withLock { marks in
                inMemory(&marks)
                announceEras(marks)
            }
            return change
        }
        interleavingPoint()
        detachAll()
        noteInvalidation(ofTags: tags, hasEnded: false)
        return change
    }

    func endChange(_ change: FenceTable<Key>.ChangeOfTags, alsoAtTheEnd: Bool = false) {
        interleavingPoint()
        fences.withLock { fences in
            fences.endChange(change)
            if alsoAtTheEnd { for tag in change.tags { fences.breakFences(taggedWith: tag) } }
        }
        interleavingPoint()
        // A read of the stores that began meanwhile may have seen an invalidated record.
        detachAll()
        noteInvalidation(ofTags: change.tags, hasEnded: true)
    }

    private func announceEras(_ marks: borrowing TagMarks) {
        era.store(marks.era, ordering: .releasing)
        if untaggedEra.load(ordering: .relaxed) < marks.eraOfEverything { untaggedEra.store(marks.eraOfEverything, ordering: .releasing) }
    }

    /// Empties the memory tier, keeps all loads and writes under way from publishing, and lets `body` do the same to the stores.
    func changeEverything(_ body: (FenceTable<Key>.ChangeOfEverything) async -> Void) async {
        let order = storeChanges.begin()
        defer { storeChanges.finished(order) }
        let (change, removed) = beginChangeOfEverything()
        if isObserved {
            memory.report(removed.departures())
            recordRemoval(of: nil)
        }
        await body(change)
        endChangeOfEverything()
    }

    /// Empties the memory tier. ``endChangeOfEverything()`` must follow.
    ///
    /// - Returns: The change, and the entries that left memory, which are not reported yet.
    func beginChangeOfEverything(isForeign: Bool = false) -> (
        change: FenceTable<Key>.ChangeOfEverything, removed: RemovedTables<Key, TieredEntry<Value>>
    ) {
        let (change, removed) = fences.withLock { fences in
            let change = fences.beginChangeOfEverything()
            marks.withLock { marks in
                marks.removeAll()
                announceEras(marks)
            }
            return (change, memory.removeAllEntries())
        }
        throttle.withLock { $0.forgetAll() }
        detachAll()
        noteChangeOfEverything(hasEnded: false, isForeign: isForeign)
        return (change, removed)
    }

    func endChangeOfEverything(isForeign: Bool = false) {
        fences.withLock { $0.endChangeOfEverything() }
        detachAll()
        noteChangeOfEverything(hasEnded: true, isForeign: isForeign)
    }

    /// Makes later callers start reads and loads of their own instead of joining those under way.
    @usableFromInline func detach(_ key: Key) {
        detachReads(key)
        loads.detach(key)
    }

    /// Makes later callers start reads of their own. The reads under way may return an older record.
    @usableFromInline func detachReads(_ key: Key) {
        storeReads.detach(key)
        coldStarts.detach(key)
    }

    func detachAll() {
        storeReads.detachAll()
        coldStarts.detachAll()
        loads.detachAll()
    }
}
