// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The way of a value into the tiers. What every publication needs can be inlined, like the way of a hit.
extension TieredCache {
    /// A value, or the knowledge that there is none, on its way into the tiers.
    @usableFromInline struct Publication: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var fence: FenceTable<Key>.Fence
        @usableFromInline let value: Value?
        @usableFromInline let terms: EntryTerms
        @usableFromInline let policy: CachePolicy
        /// The weight in memory. `nil`: the weigher's.
        @usableFromInline var weight: Int?
        /// Given back when the stores have the value.
        @usableFromInline var lease: HeldLease?

        @inlinable init(key: Key, fence: FenceTable<Key>.Fence, value: Value?, terms: EntryTerms, policy: CachePolicy) {
            self.key = key
            self.fence = fence
            self.value = value
            self.terms = terms
            self.policy = policy
        }

        var cached: CachedValue<Value>? { value.map { CachedValue($0, terms: terms) } }
    }

    /// Writes a value to every tier, unless its key has been written or removed since `fence` was opened. Closes the fence.
    ///
    /// - Parameters:
    ///   - skipping: Tiers that do not get the value, whatever the cache's policy says.
    ///   - behind: Return when memory has the value, and write to the stores in the background.
    /// - Returns: Whether the value was published.
    @discardableResult
    @inlinable package func publish(
        _ cached: CachedValue<Value>,
        forKey key: Key,
        fence: FenceTable<Key>.Fence,
        skipping: CachePolicy.Skipping = [],
        behind: Bool = false
    ) async -> Bool {
        var policy = configuration.policy
        policy.skipping.formUnion(skipping)
        if behind { policy.storeWriting = .behind }
        return await publish(Publication(key: key, fence: fence, value: cached.value, terms: cached.terms, policy: policy))
    }

    /// - Parameter isLoad: The value comes from the load that new callers would join.
    @discardableResult
    @inlinable func publish(_ publication: Publication, isLoad: Bool = true) async -> Bool {
        guard let published = publishToMemory(publication, isLoad: isLoad) else { return false }
        if tiers.isEmpty { endInMemory(published, isLoad: isLoad) } else { await spread([published], isLoad: isLoad) }
        return true
    }

    /// ``publish(_:forKey:fence:skipping:behind:)`` behind, without suspending.
    ///
    /// - Returns: Whether the value was published; `nil`: too many wait for the stores already. Then nothing has been done, and the fence is open.
    @inlinable package func publishAtOnce(_ cached: CachedValue<Value>, forKey key: Key, fence: FenceTable<Key>.Fence) -> Bool? {
        guard hasRoomBehind else { return nil }
        var policy = configuration.policy
        policy.storeWriting = .behind
        let publication = Publication(key: key, fence: fence, value: cached.value, terms: cached.terms, policy: policy)
        guard let published = publishToMemory(publication, isLoad: true) else { return false }
        if tiers.isEmpty { endInMemory(published, isLoad: true) } else { spreadBehind(published) }
        return true
    }

    /// Whether a value can be left to the writer in the background without waiting for it.
    @usableFromInline var hasRoomBehind: Bool { tiers.isEmpty || writesBehind.hasRoom }

    /// Leaves the value of a load, which memory has got, to the writer in the background.
    @usableFromInline func spreadBehind(_ published: Publication) {
        leaveBehind([published])
        detach(published.key)
    }

    /// Writes values of different keys to every tier, each unless its fence has been broken. Closes the fences.
    ///
    /// - Parameter isLoad: The values come from the load that new callers would join.
    /// - Returns: Whether any of them was published.
    @discardableResult
    func publish(_ publications: [Publication], isLoad: Bool = true) async -> Bool {
        let published = publications.compactMap { publishToMemory($0, isLoad: isLoad) }
        if published.isEmpty { return false }
        if tiers.isEmpty {
            for publication in published { endInMemory(publication, isLoad: isLoad) }
        } else {
            await spread(published, isLoad: isLoad)
        }
        return true
    }

    /// Ends the publication of a value for which there are no stores.
    @inlinable func endInMemory(_ published: Publication, isLoad: Bool) {
        if !isLoad { detach(published.key) }
        endChange(published)
        detach(published.key)
        if isLoad { return }
        noteEnd(of: published.key, labels: published.terms.labels)
    }

    /// Writes what memory has got to the stores too.
    @usableFromInline func spread(_ published: [Publication], isLoad: Bool) async {
        // A load that is still writing to the stores has something older, which nobody must get who has seen this.
        if !isLoad { for publication in published { detach(publication.key) } }
        let behind = published.filter { $0.policy.storeWriting == .behind }
        let through = published.filter { $0.policy.storeWriting != .behind }
        if !behind.isEmpty { await writeBehind(behind) }
        if !through.isEmpty { await publishToStores(through) }
        // A load that began before may return something older.
        for publication in published { detach(publication.key) }
    }

    /// Writes a value to memory if its fence is intact. That breaks all other fences of its key. Otherwise closes the fence.
    ///
    /// A load whose value's tags have been invalidated meanwhile leaves everything as it is. A caller's own write does not: what it replaces must not
    /// be seen any more. Its entry may be older than the invalidation and is judged when it is read. Nor can it be kept back by a load that publishes, or by a
    /// change that somebody else is said to have made, a moment before: it comes after them.
    ///
    /// - Returns: The publication with the fence of its change; `nil` if it was not published.
    @inlinable func publishToMemory(_ publication: Publication, isLoad: Bool) -> Publication? {
        var publication = publication
        while true {
            if let left = tryToPublishToMemory(publication, isLoad: isLoad) {
                memory.report(left)
                if observers.isInUse { notePublication(publication, left, isLoad: isLoad) }
                if isObserved { record(publication) }
                if !isLoad { forgetFailure(of: publication.key) }
                detachReads(publication.key)
                return publication
            }
            if isLoad { break }
            publication.fence = openFence(forKey: publication.key, .none)
        }
        counters.withLock { $0.fencedPublications += 1 }
        closeFence(publication.fence)
        publication.lease?.release()
        return nil
    }

    /// - Returns: What has left memory for it; `nil` if the fence is broken, and nothing was done.
    @inlinable func tryToPublishToMemory(_ publication: Publication, isLoad: Bool) -> Departures<Key, TieredEntry<Value>>? {
        let (key, policy) = (publication.key, publication.policy)
        let isKept = !policy.skipping.contains(.memoryWrites)
        var new: NewEntry<TieredEntry<Value>>?
        if isKept {
            let entry = entry(publication.value, terms: publication.terms, earlyRefresh: policy.earlyRefresh)
            new = memoryEntry(entry, forKey: key, weight: publication.weight)
        }
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

    @inlinable func endChange(_ publication: Publication) {
        interleavingPoint()
        fences.withLock { $0.endChange(publication.fence) }
        publication.lease?.release()
    }

    /// Leaves values to a writer in the background, together with others that have come while the stores were busy. Waits if too many are left already.
    private func writeBehind(_ publications: [Publication]) async {
        leaveBehind(publications)
        await writesBehind.waitForRoom()
    }

    private func leaveBehind(_ publications: [Publication]) {
        interleavingPoint()
        if writesBehind.add(publications) {
            startDetachedTask { [self] in
                while case let batch = writesBehind.takeBatch(), !batch.isEmpty {
                    await publishToStores(batch, maximumByteCount: Self.maximumBatchByteCount)
                }
            }
        }
    }

    /// So many bytes of payloads are written behind in one call of a store at most, unless a single one is longer: all of them have one deadline.
    private static var maximumBatchByteCount: Int { 1 << 20 }

    private func publishToStores(_ publications: [Publication], maximumByteCount: Int = .max) async {
        defer {
            for publication in publications {
                endChange(publication)
                // Observers that look now must not join a read that began during the change.
                detachReads(publication.key)
                noteEnd(of: publication.key, labels: publication.terms.labels)
            }
        }
        let newest = Self.newest(publications)
        let records = newest.map { $0.policy.skipping.contains(.storeWrites) ? nil : record($0.value, terms: $0.terms) }
        for (index, tier) in tiers.enumerated() {
            var removals: [StoreTier.Removal] = []
            var insertions: [StoreTier.Insertion] = []
            var byteCount = 0
            for (publication, record) in zip(newest, records) {
                guard let key = naming.recordKey(for: publication.key) else { continue }
                guard let record else {
                    removals.append(removal(of: key, fromTier: index, change: publication.fence))
                    continue
                }
                if !insertions.isEmpty, byteCount + record.payload.count > maximumByteCount {
                    await tier.insert(insertions)
                    insertions = []
                    byteCount = 0
                }
                byteCount += record.payload.count
                insertions.append(insertion(of: record, forKey: key, publication, intoTier: index))
            }
            if !insertions.isEmpty { await tier.insert(insertions) }
            if !removals.isEmpty { await tier.remove(removals) }
        }
    }

    /// Of each key the newest publication alone: who published it last need not have come here last.
    private static func newest(_ publications: [Publication]) -> [Publication] {
        guard publications.count > 1 else { return publications }
        var newest: [Key: Publication] = [:]
        newest.reserveCapacity(publications.count)
        for publication in publications {
            if let other = newest[publication.key], other.fence.id > publication.fence.id { continue }
            newest[publication.key] = publication
        }
        return newest.count == publications.count ? publications : Array(newest.values)
    }

    private func insertion(of record: Record, forKey key: RecordKey, _ publication: Publication, intoTier index: Int) -> StoreTier.Insertion {
        .init(key: key, record: record, guarded: storeGuard(of: publication.fence, forKey: publication.key, tier: index)) { [self] in
            fences.withLock { fences in
                guard fences.mayReach(tier: index, change: publication.fence) else { return .unwanted }
                // The record that it replaces must go, even if a tag of the new one has been invalidated in the tier.
                return fences.isOutdated(publication.fence, tags: publication.terms.labels, inTier: index) ? .outdated : .wanted
            }
        }
    }

    /// The guard that keeps a record of a key out of a store that has changed the key since the fence was opened; `nil`: the fence does not know the store's position.
    func storeGuard(of fence: FenceTable<Key>.Fence, forKey key: Key, tier index: Int) -> StoreTier.Guard? {
        fence.positions[index].map { position in
            StoreTier.Guard(position: position) { [self] in refused(key, inTier: index) }
        }
    }
}
