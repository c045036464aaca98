// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Values that are shown before their source has confirmed them.
extension TieredCache {
    /// A value that memory shows until its source has confirmed or refused it.
    package struct ProvisionalValue: Sendable {
        let key: Key
        /// `nil`: memory had nothing.
        let old: TieredEntry<Value>?
        let oldWeight: Int?
        let new: TieredEntry<Value>
        /// Any other write or removal of the key breaks it.
        let fence: FenceTable<Key>.Fence
    }

    /// Shows a value for a key in memory until its source has decided. Neither stores nor other caches are told, so it ends with the process.
    ///
    /// Loads that began before do not replace it; later writes and loads do. It stays fresh for as long as the old value. Suspends if memory does
    /// not have the key.
    ///
    /// - Parameter change: Makes the new value from the old one, fresh or stale. Returns `nil` to change nothing.
    /// - Returns: `nil` if nothing was changed, as for a caller that is cancelled before the stores have answered.
    package func showProvisionally(forKey key: Key, _ change: @Sendable (Value?) -> Value?) async -> ProvisionalValue? {
        for _ in 0..<10_000 {
            let fence = openFence(forKey: key)
            // Promotes a store's value to memory, if memory takes it.
            let found = await lookup(forKey: key)
            let old = memory.peek(key).flatMap { checked($0, key: key) }
            // A cancelled caller finds nothing, whatever the stores have. A value made of nothing would take the record's tags and partition with it.
            if old == nil, found == nil, Task.isCancelled {
                closeFence(fence)
                return nil
            }
            guard let value = change(old?.value ?? found?.value) else {
                closeFence(fence)
                return nil
            }
            let base = old ?? entry(value, terms: found?.terms ?? newTerms(configuration.policy))
            var terms = base.terms
            terms.validator = nil
            let new = TieredEntry<Value>(value: value, terms: terms, ticks: base.ticks, era: base.bornEra, isProvisional: true)
            let newEntry = memoryEntry(new, forKey: key)
            let oldWeight = old == nil ? nil : memory.weight(forKey: key)
            interleavingPoint()
            // Entries that leave memory are released after the lock.
            let left = fences.withLock { fences -> Departures<Key, TieredEntry<Value>>? in
                guard memory.peek(key) === old, fences.isIntact(fence, tags: terms.labels, isCopy: old == nil) else { return nil }
                fences.breakFences(forKey: key, sparing: fence)
                return memory.insert(newEntry, forKey: key)
            }
            guard let left else {
                closeFence(fence)
                // Another change has come between, or is still under way.
                if Task.isCancelled { return nil }
                await Task.yield()
                continue
            }
            memory.report(left)
            detach(key)
            noteProvisionalChange(of: key)
            return ProvisionalValue(key: key, old: old, oldWeight: oldWeight, new: new, fence: fence)
        }
        return nil
    }

    /// Writes a value that the source has confirmed to every tier, with the provisional value's tags and partition. If the key was written, removed
    /// or invalidated since, nothing is written, and the key is marked stale. Suspends.
    package func confirm(_ value: Value, for provisional: ProvisionalValue) async {
        let policy = configuration.policy
        var terms = newTerms(policy)
        (terms.tags, terms.partition) = (provisional.new.terms.tags, provisional.new.terms.partition)
        let publication = Publication(key: provisional.key, fence: provisional.fence, value: value, terms: terms, policy: policy)
        guard await publish(publication) else { return await abandon(provisional) }
        forgetFailure(of: provisional.key)
    }

    /// Ends a provisional value that the source has accepted without returning the new value. Suspends.
    package func outdate(_ provisional: ProvisionalValue) async {
        closeFence(provisional.fence)
        await abandon(provisional)
    }

    /// Brings back the entry from before a provisional value. If memory has another entry by now, that one is marked stale, as it may rest on the
    /// provisional value. Suspends.
    package func takeBack(_ provisional: ProvisionalValue) async {
        closeFence(provisional.fence)
        if replace(provisional.new, with: provisional.old, key: provisional.key, weight: provisional.oldWeight) {
            noteProvisionalChange(of: provisional.key)
        } else {
            await abandon(provisional)
        }
    }

    /// Drops a key's provisional entry from memory, and marks the key stale in every tier.
    private func abandon(_ provisional: ProvisionalValue) async {
        let key = provisional.key
        while let current = memory.peek(key), current.isProvisional {
            if replace(current, with: nil, key: key) { noteProvisionalChange(of: key) }
        }
        await markStale(forKey: key)
    }

    /// The present age of a value that was found earlier.
    package func age(of lookup: Lookup<Value>) -> Duration { lookup.created.duration(to: clock.now()) }

    private func noteProvisionalChange(of key: Key) {
        guard observers.isInUse else { return }
        observers.note(key, labels: nil) { $0.writes += 1 }
    }
}
