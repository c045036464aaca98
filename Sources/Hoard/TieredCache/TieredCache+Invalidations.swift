// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Changes that other processes, or other caches, make to the stores.
extension TieredCache {
    /// A change made by others, as it concerns this cache.
    package enum ForeignChange: Sendable {
        case key(Key)
        case tags(Set<String>)
        case partition(String)
        case everything
    }

    /// Sets the handler that is told of each change by others once memory has it. It is called on the thread that hears of the change, so it must
    /// be quick and must not block.
    package func setForeignChangeHandler(_ handler: (@Sendable (ForeignChange) -> Void)?) {
        let old = foreignChangeHandler.withLock { current in
            defer { current = handler }
            return current
        }
        withExtendedLifetime(old) {}
    }

    /// Listens to the stores that report changes, for as long as the cache lives.
    func watchStores() {
        var tasks: [Task<Void, Never>] = []
        var watches: [StoreWatch] = []
        for (index, tier) in tiers.enumerated() {
            if let store = tier.sharedStore {
                watches.append(store.watch { [weak self] in self?.drop($0, changedIn: index) })
            } else if let stream = tier.store.invalidations() {
                tasks.append(
                    startTask { [weak self] in
                        for await invalidation in stream {
                            guard let self else { return }
                            self.drop(invalidation, changedIn: index)
                        }
                    }
                )
            }
        }
        watchers.withLock { $0 = tasks }
        self.watches.withLock { $0 = watches }
    }

    /// Drops a store's changes from memory and from the stores above that store, which has the change already.
    ///
    /// The change holds in memory when this returns. A store above begins to remove its outdated records at once, and is not read for them until
    /// it has. O(number of tags). Calls no store.
    func drop(_ invalidation: StoreInvalidation, changedIn tier: Int) {
        guard let change = foreignChange(invalidation) else { return }
        switch change {
        case .key(let key): dropKey(key, changedIn: tier)
        case .tags(let tags): dropTags(tags, .tags(naming.storeTagsToInvalidate(tags)), changedIn: tier)
        case .partition(let partition):
            dropTags([EntryTerms.label(ofPartition: partition)], .partition(naming.storePartition(for: partition)), changedIn: tier)
        case .everything:
            dropEverything(changedIn: tier)
            // A store that may have missed something has been away. Usually it is back now.
            if invalidation.isOfEverything { tiers[tier].endPause() }
        }
        if let handler = foreignChangeHandler.withLock({ $0 }) { handler(change) }
    }

    /// Translates an invalidation into a change of this cache; `nil` if it concerns others only.
    private func foreignChange(_ invalidation: StoreInvalidation) -> ForeignChange? {
        if let recordKey = invalidation.key {
            return switch naming.origin(of: recordKey) {
            case .foreign: nil
            case .unknown: .everything
            case .key(let key): .key(key)
            }
        }
        if let storePartition = invalidation.partition { return naming.partition(ofRecord: storePartition).map { .partition($0) } }
        if invalidation.tags.isEmpty { return .everything }
        if let name, invalidation.tags.contains(StoreStack.namespaceTag(name)) { return .everything }
        let tags = naming.tags(ofRecord: invalidation.tags)
        return tags.isEmpty ? nil : .tags(tags)
    }

    /// Drops a key from all other tiers after a store has refused its value: another process has changed the key or one of its tags meanwhile.
    func refused(_ key: Key, inTier tier: Int) {
        counters.withLock { $0.refusedPublications += 1 }
        dropKey(key, changedIn: tier, alsoBelow: true)
    }

    /// Drops keys from memory, and keeps their loads, reads and writes under way from publishing. Calls no store.
    package func dropFromMemory(_ keys: some Collection<Key>) {
        for key in keys { dropKey(key, changedIn: 0) }
    }

    /// Drops a key from the tiers above a store. Loads, reads and writes that began before do not publish there.
    ///
    /// - Parameter alsoBelow: Whether the tiers below the store drop it as well.
    private func dropKey(_ key: Key, changedIn tier: Int, alsoBelow: Bool = false) {
        func isConcerned(_ index: Int) -> Bool { index < tier || alsoBelow && index > tier }
        let (fence, departure) = fences.withLock { fences in
            let fence = fences.open(key)
            _ = fences.beginChange(fence)
            for index in tiers.indices where isConcerned(index) { _ = fences.mayReach(tier: index, change: fence) }
            return (fence, memory.removeEntry(forKey: key).departure)
        }
        if let departure {
            memory.report(departure)
            if isObserved { recordRemoval(of: key) }
        }
        forgetFailure(of: key)
        detach(key)
        // Until the change has ended, no record is copied from one tier to another.
        let hasOthers = tier > 0 || alsoBelow && tiers.count > 1
        if hasOthers, let recordKey = naming.recordKey(for: key) {
            for index in tiers.indices where isConcerned(index) { tiers[index].outdate(recordKey) }
        }
        fences.withLock { $0.endChange(fence) }
        if hasOthers { detach(key) }
        noteInvalidation(of: key, labels: departure?.value?.terms.labels, isForeign: true)
    }

    private func dropTags(_ tags: Set<String>, _ extent: StoreSweep.Extent, changedIn tier: Int) {
        let change = beginChange(ofTags: tags) { $0.remove(tags) }
        for (index, upper) in tiers[..<tier].enumerated() {
            fences.withLock { $0.reach(tier: index, change: change) }
            upper.outdate(extent)
        }
        endChange(change)
    }

    private func dropEverything(changedIn tier: Int) {
        let extent: StoreSweep.Extent = name.map { .tags([StoreStack.namespaceTag($0)]) } ?? .everything
        let (change, removed) = beginChangeOfEverything(isForeign: true)
        for (index, upper) in tiers[..<tier].enumerated() {
            fences.withLock { $0.reach(tier: index, change: change) }
            upper.outdate(extent)
        }
        endChangeOfEverything(isForeign: true)
        if isObserved { recordRemoval(of: nil) }
        // Releasing many values takes time, which the thread that reports changes does not have.
        startTask { [memory, isObserved] in
            if isObserved { memory.report(removed.departures()) }
            withExtendedLifetime(removed) {}
        }
    }
}
