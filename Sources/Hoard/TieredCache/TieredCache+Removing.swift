// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Invalidation: removing, and marking as stale, by key, by tag, by partition and altogether.
///
/// What is *removed* is gone. What is *marked stale* is kept for as long as it would have been: it is loaded again by the next reader, who
/// may still get it by ``CachePolicy/staleWhileRevalidate`` or ``CachePolicy/staleIfError``. Both hold in every tier when they return. Neither is undone by
/// a load, a copy or a write behind that began before.
extension TieredCache {
    /// Removes a key from every tier. Suspends until the stores have removed it. A store that fails removes it before it is next read.
    public func removeValue(forKey key: Key) async {
        await removeValues(forKeys: CollectionOfOne(key))
    }

    /// Removes several keys from every tier, with one call of each store. Suspends.
    public func removeValues(forKeys keys: some Collection<Key>) async {
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

    /// Has the stores that other processes use tell them of the removal of keys, under which this process has nothing. Memory and what is under way here are left alone.
    /// Suspends. A store that fails does it before it is next read.
    package func tellOthersOfRemoval(of keys: some Collection<Key>) async {
        let recordKeys = Set(keys.compactMap { naming.recordKey(for: $0) })
        if recordKeys.isEmpty { return }
        for tier in tiers where tier.sharedStore != nil { await tier.remove(recordKeys.map { .init(key: $0) { .wanted } }) }
    }

    /// Marks the value of a key stale in every tier, if there is one. Suspends.
    public func markStale(forKey key: Key) async {
        let (now, tick) = (clock.now(), ticker.nanoseconds())
        // What memory has is replaced by the same, aged. A value that comes in between has been published by a newer change.
        let aged = memory.peek(key).flatMap { found in
            // Read before the entry is checked: what is invalidated after the check concerns the copy, too.
            let era = currentEra(hasTags: found.hasTags)
            return checked(found, key: key).map { entry in
                (old: entry, new: memoryEntry(staleCopy(of: entry, since: min(tick, entry.ticks.fresh), era: era), forKey: key))
            }
        }
        let change = change(key) {
            guard let aged, memory.peek(key) === aged.old else { return removeFromMemory(key) }
            return memory.insert(aged.new, forKey: key)
        }
        // A write that is overtaken does not reach the stores any more, and what it would have replaced must not stay there, however stale.
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
    /// Nothing that is under way and belongs to it is published afterwards: not by loads, nor by copies or writes behind that began before or meanwhile. An
    /// encrypted `DiskStore` destroys the partition's key. Values in memory are never found again; the room they take is given back when they are looked for, or evicted.
    /// A store that fails does it before it is next read. A cache with a name leaves alone what others have in the same stores.
    ///
    /// - Parameter partition: As it was given with the values. Values without a partition belong to none.
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
    /// A cache with a name leaves alone what others have in the same stores; one without removes everything from its stores.
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
    /// A cache with a name leaves alone what others have in the same stores.
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
        /// Those of what memory had. `nil`: it had nothing.
        let labels: Set<String>?
    }

    /// Begins to change a key: breaks its fences, and lets `body` change memory in the same step.
    private func change(_ key: Key, _ body: () -> Departures<Key, TieredEntry<Value>>) -> KeyChange {
        interleavingPoint()
        // What leaves memory is released after the lock, here and below.
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
        // Whoever began to read the stores during the change may have seen what has been removed.
        for change in changes {
            detach(change.fence.key)
            noteEnd(of: change.fence.key, labels: change.labels)
        }
    }

    /// Invalidates tags in memory, keeps what is under way and has one of them from being published, and lets `inTier` do the same to each store.
    ///
    /// - Parameter alsoAtTheEnd: Loads that begin during the change do not publish either. What they load may rest on what a store still had.
    func changeTags(
        _ tags: Set<String>,
        alsoAtTheEnd: Bool = false,
        inMemory: (inout sending TagMarks) -> Void,
        inTier: (StoreTier, @escaping @Sendable () -> Void) async -> Void
    ) async {
        if tags.isEmpty { return }
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
        // Whoever began to read the stores meanwhile may have seen what has been invalidated.
        detachAll()
        noteInvalidation(ofTags: change.tags, hasEnded: true)
    }

    private func announceEras(_ marks: borrowing TagMarks) {
        era.store(marks.era, ordering: .releasing)
        if untaggedEra.load(ordering: .relaxed) < marks.eraOfEverything { untaggedEra.store(marks.eraOfEverything, ordering: .releasing) }
    }

    /// Empties the memory tier, keeps everything under way from publishing, and lets `body` do the same to the stores.
    func changeEverything(_ body: (FenceTable<Key>.ChangeOfEverything) async -> Void) async {
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
    /// - Returns: What has left memory, not reported yet.
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

    /// Makes later callers start reads of their own, of what may be an older record, instead of joining those under way.
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
