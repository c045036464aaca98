// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension MerlinPolicy {
    /// Evicts a key, or makes sure that the next call does.
    mutating func evict(for size: Int) {
        sketch.reserve(Sizes.differ ? count : capacity)
        noteEviction()
        threshold.adjust(room: lists.count(Self.core))
        if !lists.isEmpty(Self.filter), lists.size(ofList: Self.filter) + size > filterCapacity { evictFromFilter() } else { evictFromStaging() }
        while ghosts.size(ofList: Self.ghost) > capacity, let oldest = ghosts.last(Self.ghost) { forgetGhost(oldest) }
    }

    private mutating func noteEviction() {
        evictions += 1
        guard evictions >= count else { return }
        (evictions, rounds) = (0, rounds + 1)
        guard rounds >= Self.fadingRounds else { return }
        rounds = 0
        sketch.halve()
    }

    private mutating func evictFromFilter() {
        while let oldest = lists.last(Self.filter) {
            let uses = lists[mark: oldest]
            guard uses < threshold.value else {
                setUses(0, of: oldest)
                lists.moveToFirst(oldest, of: Self.core)
                sketch.add(slots.key(of: oldest))
                continue
            }
            if putOnTrialIfBetter(oldest) { return evictOldestOnTrial() }
            keepGhost(of: oldest, uses: uses)
            sketch.add(slots.key(of: oldest))
            return release(oldest)
        }
    }

    private mutating func evictFromStaging() {
        shrinkCore()
        while let oldest = lists.last(Self.staging) {
            guard lists[mark: oldest] > 0 else {
                // The one that leaves is the oldest, also if a newcomer takes its place.
                if let newcomer = lists.last(Self.filter) { putOnTrialIfBetter(newcomer) }
                return evictOldestOnTrial()
            }
            if ghosts.list(of: oldest) != nil { forgetGhost(oldest) }
            sketch.add(slots.key(of: oldest))
            setUses(lists[mark: oldest] - 1, of: oldest)
            lists.moveToFirst(oldest, of: Self.core)
            if lists.isEmpty(Self.staging) { shrinkCore() }
        }
    }

    /// Puts the keys on trial that the core has no room for.
    private mutating func shrinkCore() {
        while lists.size(ofList: Self.core) > coreCapacity, let oldest = lists.last(Self.core) { lists.moveToFirst(oldest, of: Self.staging) }
    }

    /// Puts a key of the filter on trial if the oldest key there was not used, and the sketch has met it less often.
    @discardableResult
    private mutating func putOnTrialIfBetter(_ newcomer: Int) -> Bool {
        guard let oldest = lists.last(Self.staging), lists[mark: oldest] == 0 else { return false }
        let key = slots.key(of: newcomer)
        let uses = sketch.count(of: key)
        guard uses <= Self.fadingRounds, uses > sketch.count(of: slots.key(of: oldest)) else { return false }
        sketch.add(key)
        keepGhost(of: newcomer, uses: lists[mark: newcomer])
        setUses(0, of: newcomer)
        lists.moveToFirst(newcomer, of: Self.staging)
        return true
    }

    private mutating func evictOldestOnTrial() {
        if let oldest = lists.last(Self.staging) { release(oldest) }
    }
}

// Keys that leave, and their ghosts.
extension MerlinPolicy {
    /// Takes a key out for good, and its ghost.
    mutating func discard(_ slot: Int) {
        if ghosts.list(of: slot) != nil { forgetGhost(slot) }
        release(slot)
    }

    /// Takes a key out of the cache. A ghost stays.
    private mutating func release(_ slot: Int) {
        threshold.remove(uses: lists[mark: slot])
        lists.remove(slot)
        if ghosts.list(of: slot) == nil { slots.remove(slot) }
    }

    /// Forgets the ghost of a key, which stays if it is in the cache.
    mutating func forgetGhost(_ slot: Int) {
        threshold.remove(uses: ghosts[mark: slot])
        ghosts.remove(slot)
        if lists.list(of: slot) == nil { slots.remove(slot) }
    }

    private mutating func keepGhost(of slot: Int, uses: Int) {
        ghosts.setSize(lists.size(of: slot), of: slot)
        ghosts.prepend(slot, to: Self.ghost, mark: uses)
        threshold.add(uses: uses)
    }

    private mutating func setUses(_ uses: Int, of slot: Int) {
        threshold.remove(uses: lists[mark: slot])
        lists[mark: slot] = uses
        threshold.add(uses: uses)
    }
}
