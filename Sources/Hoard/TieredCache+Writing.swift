// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension TieredCache {
    /// Writes a value to memory and to every store, replacing any other of its key. Suspends until the stores have it, unless it is written behind.
    ///
    /// Never throws: a store that fails is passed by, and holds nothing older under the key when it is next read.
    ///
    /// - Parameters:
    ///   - policy: How long the value is fresh and kept, and which tiers get it. By default the cache's policy.
    ///   - tags: Labels by which it can be removed or marked stale with others.
    ///   - partition: The group that owns the value, such as a user, by which it is removed with all others of it. `nil`: none.
    ///   - validator: What a revalidation would send to the source.
    public func insert(
        _ value: Value,
        forKey key: Key,
        policy: CachePolicy? = nil,
        tags: Set<String> = [],
        partition: String? = nil,
        validator: String? = nil
    ) async {
        let policy = policy ?? configuration.policy
        var terms = newTerms(policy)
        terms.tags = tags
        terms.partition = partition
        terms.validator = validator
        await publish([Publication(key: key, fence: openFence(forKey: key, .none), value: value, terms: terms, policy: policy)], isLoad: false)
    }

    /// Writes several values as ``insert(_:forKey:policy:tags:partition:validator:)`` does, with one call of each store.
    public func insert(contentsOf values: [Key: Value], policy: CachePolicy? = nil, tags: Set<String> = [], partition: String? = nil) async {
        let policy = policy ?? configuration.policy
        let publications = values.map { key, value in
            var terms = newTerms(policy)
            terms.tags = tags
            terms.partition = partition
            return Publication(key: key, fence: openFence(forKey: key, .none), value: value, terms: terms, policy: policy)
        }
        await publish(publications, isLoad: false)
    }

    // MARK: Fences

    /// Marks the moment at which somebody begins to obtain a value for `key` outside the cache. Close it or publish with it.
    ///
    /// What is published with it does not replace anything that others have written to a shared store since.
    package func openFence(forKey key: Key) -> FenceTable<Key>.Fence {
        openFence(forKey: key, stack.positions)
    }

    /// The same, for a value whose obtaining has begun when the shared stores stood there; ``StorePositions/none``: whatever others have written.
    package func openFence(forKey key: Key, _ positions: StorePositions) -> FenceTable<Key>.Fence {
        interleavingPoint()
        return fences.withLock { $0.open(key, positions) }
    }

    /// Whether the fence's key has been neither written nor removed since the fence was opened.
    package func isIntact(_ fence: FenceTable<Key>.Fence) -> Bool {
        fences.withLock { $0.isIntact(fence) }
    }

    /// The same, also for invalidations of these tags.
    package func isIntact(_ fence: FenceTable<Key>.Fence, tags: Set<String>, isCopy: Bool = false) -> Bool {
        fences.withLock { $0.isIntact(fence, tags: tags, isCopy: isCopy) }
    }

    /// Whether a write or removal of the key is under way. If so, the stores may have what it is about to replace or remove.
    package func isBeingChanged(_ key: Key) -> Bool {
        fences.withLock { $0.isBeingChanged(key) }
    }

    /// Gives up a fence that was not used to publish.
    package func closeFence(_ fence: FenceTable<Key>.Fence) {
        fences.withLock { $0.close(fence) }
    }

    /// Keeps what is under way for a key from being published, but for one, and leaves alone what the tiers have.
    package func breakFences(forKey key: Key, sparing spared: FenceTable<Key>.Fence? = nil) {
        interleavingPoint()
        fences.withLock { $0.breakFences(forKey: key, sparing: spared) }
    }

    /// Keeps what is under way for a key from being published, until ``endRemoval(ofKey:sparing:)``: see ``FenceTable``.
    package func beginRemoval(ofKey key: Key, sparing spared: FenceTable<Key>.Fence? = nil) {
        interleavingPoint()
        fences.withLock { $0.beginRemoval(ofKey: key, sparing: spared) }
    }

    package func endRemoval(ofKey key: Key, sparing spared: FenceTable<Key>.Fence? = nil) {
        interleavingPoint()
        fences.withLock { $0.endRemoval(ofKey: key, sparing: spared) }
    }

    /// The removal of a record from a tier, unless a newer change of the key has reached the tier.
    func removal(of key: RecordKey, fromTier tier: Int, change fence: FenceTable<Key>.Fence) -> StoreTier.Removal {
        StoreTier.Removal(key: key) { [self] in fences.withLock { $0.mayReach(tier: tier, change: fence) } ? .wanted : .unwanted }
    }

    // MARK: Publication

    /// A value, or the knowledge that there is none, on its way into the tiers.
    struct Publication: Sendable {
        let key: Key
        var fence: FenceTable<Key>.Fence
        let value: Value?
        let terms: EntryTerms
        let policy: CachePolicy
        /// Given back when the stores have the value.
        var lease: HeldLease?

        var cached: CachedValue<Value>? { value.map { CachedValue($0, terms: terms) } }
    }

    /// Writes a value to every tier, unless its key has been written or removed since `fence` was opened. Closes the fence.
    ///
    /// - Parameters:
    ///   - skipping: Tiers that do not get the value, whatever the cache's policy says.
    ///   - behind: Return when memory has the value, and write to the stores in the background.
    /// - Returns: Whether the value was published.
    @discardableResult
    package func publish(
        _ cached: CachedValue<Value>,
        forKey key: Key,
        fence: FenceTable<Key>.Fence,
        skipping: CachePolicy.Skipping = [],
        behind: Bool = false
    ) async -> Bool {
        let policy = configuration.policy.with { policy in
            policy.skipping.formUnion(skipping)
            if behind { policy.storeWriting = .behind }
        }
        return await publish([Publication(key: key, fence: fence, value: cached.value, terms: cached.terms, policy: policy)])
    }

    /// Writes values of different keys to every tier, each unless its fence has been broken. Closes the fences.
    ///
    /// - Parameter isLoad: The values come from the load that new callers would join.
    /// - Returns: Whether any of them was published.
    @discardableResult
    func publish(_ publications: [Publication], isLoad: Bool = true) async -> Bool {
        let published = publications.compactMap { publication -> Publication? in
            if let published = publishToMemory(publication, isLoad: isLoad) { return published }
            closeFence(publication.fence)
            publication.lease?.release()
            return nil
        }
        if published.isEmpty { return false }
        // A load that is still writing to the stores has something older, which nobody must get who has seen this.
        if !isLoad { for publication in published { detach(publication.key) } }
        if tiers.isEmpty {
            endChanges(published)
        } else {
            let behind = published.filter { $0.policy.storeWriting == .behind }
            let through = published.filter { $0.policy.storeWriting != .behind }
            if !behind.isEmpty { await storeWrites.run { [self] in await publishToStores(behind) } }
            if !through.isEmpty { await publishToStores(through) }
        }
        // Whoever began to load before may return something older.
        for publication in published { detach(publication.key) }
        return true
    }

    /// Writes a value to memory if its fence is intact. That breaks all other fences of its key.
    ///
    /// A load whose value's tags have been invalidated meanwhile leaves everything as it is. A caller's own write does not: what it replaces must not
    /// be seen any more. Its entry may be older than the invalidation and is judged when it is read. Nor can it be kept back by a load that publishes, or by a
    /// change that somebody else is said to have made, a moment before: it comes after them.
    ///
    /// - Returns: The publication with the fence of its change; `nil` if it was not published.
    private func publishToMemory(_ publication: Publication, isLoad: Bool) -> Publication? {
        var publication = publication
        while true {
            if let left = tryToPublishToMemory(publication, isLoad: isLoad) {
                memory.report(left)
                detachReads(publication.key)
                return publication
            }
            if isLoad { break }
            publication.fence = openFence(forKey: publication.key, .none)
        }
        counters.withLock { $0.fencedPublications += 1 }
        return nil
    }

    /// - Returns: What has left memory for it; `nil` if the fence is broken, and nothing was done.
    private func tryToPublishToMemory(_ publication: Publication, isLoad: Bool) -> Departures<Key, TieredEntry<Value>>? {
        let (key, policy) = (publication.key, publication.policy)
        let isKept = !policy.skipping.contains(.memoryWrites)
        let new = isKept ? memoryEntry(entry(publication.value, terms: publication.terms, earlyRefresh: policy.earlyRefresh), forKey: key) : nil
        interleavingPoint()
        // The check of the fence and the publication are one step. What leaves memory is released after it.
        return fences.withLock { fences in
            guard fences.beginChange(publication.fence, tags: isLoad ? publication.terms.labels : nil, isWrite: true) else { return nil }
            if let new { return memory.insert(new, forKey: key) }
            var departures = Departures<Key, TieredEntry<Value>>()
            if let departure = memory.removeEntry(forKey: key).departure { departures.append(departure) }
            return departures
        }
    }

    /// Writes a copy of what a store has to memory if its fence is intact. It replaces nothing newer, and does not keep anybody else from publishing.
    ///
    /// - Parameter closesFence: Whether the fence is not needed any more.
    /// - Returns: Whether the copy may go on to other tiers.
    func promoteToMemory(
        _ entry: TieredEntry<Value>,
        forKey key: Key,
        fence: FenceTable<Key>.Fence,
        skipsMemory: Bool,
        closesFence: Bool
    ) -> Bool {
        let new = skipsMemory ? nil : memoryEntry(entry, forKey: key)
        interleavingPoint()
        let outcome = fences.withLock { fences -> PromotionOutcome in
            let isIntact = fences.isIntact(fence, tags: entry.terms.labels)
            if closesFence { fences.close(fence) }
            guard isIntact else { return .fenced }
            guard let new else { return .skipped }
            if let current = memory.peek(key), current.terms.created >= entry.terms.created, current.isAsGood(as: entry) {
                return .superseded(by: current)
            }
            return .published(left: memory.insert(new, forKey: key))
        }
        switch outcome {
        case .fenced:
            counters.withLock { $0.fencedPublications += 1 }
            return false
        case .published(let left): memory.report(left)
        case .skipped, .superseded: break
        }
        return true
    }

    /// What came of a promotion to memory. Keeps what left alive until the lock has been released.
    private enum PromotionOutcome {
        case published(left: Departures<Key, TieredEntry<Value>>)
        case superseded(by: TieredEntry<Value>)
        case skipped
        case fenced
    }

    private func publishToStores(_ publications: [Publication]) async {
        defer {
            endChanges(publications)
            for publication in publications { detachReads(publication.key) }
        }
        let records = publications.map { $0.policy.skipping.contains(.storeWrites) ? nil : record($0.value, terms: $0.terms) }
        for (index, tier) in tiers.enumerated() {
            var removals: [StoreTier.Removal] = []
            var insertions: [StoreTier.Insertion] = []
            for (publication, record) in zip(publications, records) {
                guard let key = naming.recordKey(for: publication.key) else { continue }
                guard let record else {
                    removals.append(removal(of: key, fromTier: index, change: publication.fence))
                    continue
                }
                let guarded = publication.fence.positions[index].map { position in
                    StoreTier.Guard(position: position) { [self] in refused(publication.key, inTier: index) }
                }
                insertions.append(
                    .init(key: key, record: record, guarded: guarded) { [self] in
                        fences.withLock { fences in
                            guard fences.mayReach(tier: index, change: publication.fence) else { return .unwanted }
                            // The record that it replaces must go, even if a tag of the new one has been invalidated in the tier.
                            return fences.isOutdated(publication.fence, tags: publication.terms.labels, inTier: index) ? .outdated : .wanted
                        }
                    }
                )
            }
            if !insertions.isEmpty { await tier.insert(insertions) }
            if !removals.isEmpty { await tier.remove(removals) }
        }
    }

    private func endChanges(_ publications: [Publication]) {
        interleavingPoint()
        fences.withLock { fences in
            for publication in publications { fences.endChange(publication.fence) }
        }
        for publication in publications { publication.lease?.release() }
    }
}

extension TieredEntry {
    /// Whether this entry is fresh for as long as another one of the same age, or longer.
    fileprivate func isAsGood(as other: TieredEntry) -> Bool { ticks.fresh >= other.ticks.fresh || terms.created > other.terms.created }
}
