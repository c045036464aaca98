// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Publishes values to the tiers. The code that every publication runs can be inlined, like the code of a hit.
extension TieredCache {
    /// A value, or the knowledge that there is none, that is about to be written to the tiers.
    @usableFromInline struct Publication: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var fence: FenceTable<Key>.Fence
        @usableFromInline let value: Value?
        @usableFromInline let terms: EntryTerms
        @usableFromInline let policy: CachePolicy
        /// The weight in memory. `nil`: the weigher computes it.
        @usableFromInline var weight: Int?
        /// The lease of the load, released when the stores have the value.
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
    ///   - behind: Whether to return when memory has the value, and write to the stores in the background.
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

    /// - Parameter isLoad: Whether the value comes from the load that new callers would join.
    @discardableResult
    @inlinable func publish(_ publication: Publication, isLoad: Bool = true) async -> Bool {
        guard let published = publishToMemory(publication, isLoad: isLoad) else { return false }
        if tiers.isEmpty { endInMemory(published, isLoad: isLoad) } else { await spread([published], isLoad: isLoad) }
        return true
    }

    /// Publishes like ``publish(_:forKey:fence:skipping:behind:)`` with `behind`, without suspending.
    ///
    /// - Returns: Whether the value was published; `nil` if too many values wait for the stores already. Nothing is done then, and the fence
    ///   stays open.
    @inlinable package func publishAtOnce(_ cached: CachedValue<Value>, forKey key: Key, fence: FenceTable<Key>.Fence) -> Bool? {
        guard hasRoomBehind else { return nil }
        var policy = configuration.policy
        policy.storeWriting = .behind
        let publication = Publication(key: key, fence: fence, value: cached.value, terms: cached.terms, policy: policy)
        guard let published = publishToMemory(publication, isLoad: true) else { return false }
        if tiers.isEmpty { endInMemory(published, isLoad: true) } else { spreadBehind(published) }
        return true
    }

    /// Publishes a value to memory, and leaves the stores what they have: a form of the value that may be used in its place. Never suspends.
    ///
    /// - Returns: Whether the value was published.
    @inlinable package func publishToMemoryAlone(_ cached: CachedValue<Value>, forKey key: Key, fence: FenceTable<Key>.Fence) -> Bool {
        let publication = Publication(key: key, fence: fence, value: cached.value, terms: cached.terms, policy: configuration.policy)
        guard let published = publishToMemory(publication, isLoad: true) else { return false }
        endInMemory(published, isLoad: true)
        return true
    }

    /// Whether the writer in the background can take a value without a wait.
    @usableFromInline var hasRoomBehind: Bool { tiers.isEmpty || writesBehind.hasRoom }

    /// Leaves a loaded value that memory already has to the writer in the background.
    @usableFromInline func spreadBehind(_ published: Publication) {
        leaveBehind([published])
        detach(published.key)
    }

    /// Writes the values of different keys to every tier, except those whose fence is broken. Closes the fences.
    ///
    /// - Parameter isLoad: Whether the values come from the load that new callers would join.
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

    /// Ends a publication that no store gets.
    @inlinable func endInMemory(_ published: Publication, isLoad: Bool) {
        if !isLoad { detach(published.key) }
        endChange(published)
        detach(published.key)
        if isLoad {
            // An observer that has looked since the publication may have found the key being changed.
            noteLook(at: published.key)
        } else {
            noteEnd(of: published.key, labels: published.terms.labels)
        }
    }

    /// Writes to the stores the values that memory already has.
    @usableFromInline func spread(_ published: [Publication], isLoad: Bool) async {
        // A load that is still writing to the stores has an older value. A caller that has seen this one must not join it.
        if !isLoad { for publication in published { detach(publication.key) } }
        let behind = published.filter { $0.policy.storeWriting == .behind }
        let through = published.filter { $0.policy.storeWriting != .behind }
        if !behind.isEmpty { await writeBehind(behind) }
        if !through.isEmpty {
            let order = storeChanges.begin()
            await publishToStores(through)
            storeChanges.finished(order)
        }
        // A load that began before this write may return an older value.
        for publication in published { detach(publication.key) }
    }

    /// Writes a value to memory if its fence is intact, and breaks all other fences of its key. Closes the fence if it is broken.
    ///
    /// A load changes nothing if a tag of its value has been invalidated meanwhile. A caller's own write always replaces the old value, which
    /// must not be seen any more. If its entry is older than an invalidation of its tags, readers find out. If a load or another process's change
    /// breaks the write's fence a moment before, the write opens a new one and comes after them.
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
            // A write under a key that does not equal itself, such as NaN, would never succeed.
            if isLoad || publication.key != publication.key { break }
            publication.fence = openFence(forKey: publication.key, .none)
        }
        counters.withLock { $0.fencedPublications += 1 }
        closeFence(publication.fence)
        publication.lease?.release()
        return nil
    }

    /// - Returns: The entries that left memory because of it; `nil` if the fence is broken and nothing was done.
    @inlinable func tryToPublishToMemory(_ publication: Publication, isLoad: Bool) -> Departures<Key, TieredEntry<Value>>? {
        let (key, policy) = (publication.key, publication.policy)
        let isKept = !policy.skipping.contains(.memoryWrites)
        var new: NewEntry<TieredEntry<Value>>?
        if isKept {
            let entry = entry(publication.value, terms: publication.terms, earlyRefresh: policy.earlyRefresh)
            new = memoryEntry(entry, forKey: key, weight: publication.weight)
        }
        interleavingPoint()
        // The check of the fence and the publication are one step. Entries that leave memory are released after it.
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

    /// Leaves values to a writer in the background, which writes them together with others that came while the stores were busy. Waits while
    /// too many values wait already.
    private func writeBehind(_ publications: [Publication]) async {
        leaveBehind(publications)
        await writesBehind.waitForRoom()
    }

    private func leaveBehind(_ publications: [Publication]) {
        interleavingPoint()
        if let start = writesBehind.add(publications) { startWriter(start) }
    }

    /// Starts a writer of the values that are left behind.
    func startWriter(_ start: WriteBehindQueue<Publication>.Start) {
        switch start {
        case .later:
            let end = ticker.nanoseconds().addingSaturated(configuration.writeGathering.saturatingNanoseconds)
            _ = deadlines.schedule(at: end) { [self] in
                if let start = writesBehind.endGathering() { startWriter(start) }
            }
        case .now:
            startDetachedTask { [self] in
                var next = writesBehind.takeBatch(after: nil)
                while case .batch(let batch) = next {
                    await publishToStores(batch.elements, maximumByteCount: Self.maximumBatchByteCount)
                    next = writesBehind.takeBatch(after: batch)
                }
                if case .end(let start?) = next { startWriter(start) }
            }
        }
    }

    /// The most payload bytes written behind in one call of a store, as all of them share one deadline. A longer payload gets its own call.
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

    /// Keeps only the newest publication of each key. Publications may arrive here in another order than they were made.
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
                // The record that it replaces must go, even if the tier has invalidated a tag of the new record.
                return fences.isOutdated(publication.fence, tags: publication.terms.labels, inTier: index) ? .outdated : .wanted
            }
        }
    }

    /// Returns the guard that keeps a record out of a store where its key has changed since the fence was opened; `nil` if the fence does not
    /// know the store's position.
    func storeGuard(of fence: FenceTable<Key>.Fence, forKey key: Key, tier index: Int) -> StoreTier.Guard? {
        fence.positions[index].map { position in
            StoreTier.Guard(position: position) { [self] in refused(key, inTier: index) }
        }
    }
}
