// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Shard {
    /// Removes all entries with a tag, and keeps loads under way from publishing others.
    mutating func remove(taggedWith tag: String, now: Int64, departures: inout Departures<Key, Value>) -> Int {
        fences.breakFences(taggedWith: tag)
        var removed = 0
        for slot in details.slots(taggedWith: tag) {
            let isAlive = table.slots.deadline(of: slot) > now
            if isAlive { removed += 1 } else { otherStatistics.expirations += 1 }
            departures.append(remove(slot, cause: isAlive ? .explicit : .expired))
        }
        otherStatistics.removals += removed
        return removed
    }

    /// Removes all entries whose time is up, to the nanosecond.
    mutating func reclaimAll(now: Int64, departures: inout Departures<Key, Value>) {
        advanceWheel(to: now)
        if let timers = table.slots.timerColumns { wheel?.collectPresentBucket(in: timers) }
        reclaim(now: now, atMost: .max, departures: &departures)
    }

    /// Evicts the coldest entries. Returns how many left.
    mutating func trim(toFraction fraction: Double, now: Int64, departures: inout Departures<Key, Value>) -> Int {
        // Great weights are rounded below.
        guard fraction < 1 else { return 0 }
        let count = Int(Double(policy.evictableCount) * fraction)
        let weight = UInt(Double(policy.totalWeight) * fraction)
        guard policy.evictableCount > count || policy.totalWeight > weight else { return 0 }
        var evicted = reclaimFirst(now: now, atMost: .max, departures: &departures)
        while policy.evictableCount > count || policy.totalWeight > weight {
            guard evictColdest(now: now, departures: &departures) else { break }
            evicted += 1
        }
        policy.giveBackWeight()
        return evicted
    }

    /// Removes expired entries before living ones have to leave. Returns how many left.
    private mutating func reclaimFirst(now: Int64, atMost limit: Int, departures: inout Departures<Key, Value>) -> Int {
        let before = count
        reclaim(now: now, atMost: limit, departures: &departures)
        return before - count
    }

    /// - Returns: Whether there was an entry to evict.
    private mutating func evictColdest(now: Int64, departures: inout Departures<Key, Value>) -> Bool {
        let slot = policy.evictColdest(in: table.slots.links)
        if slot == .none { return false }
        let hasExpired = table.slots.deadline(of: slot) <= now
        departures.append(takeOut(slot, cause: hasExpired ? .expired : .size))
        if hasExpired { otherStatistics.expirations += 1 } else { otherStatistics.evictions += 1 }
        return true
    }

    /// Evicts the entries of a part of the table that cannot stay in any case, so that no others leave in vain.
    ///
    /// - Returns: Where the next part begins; `nil` if there is none.
    mutating func evictHeavier(
        than weight: Int,
        from start: Slot,
        slotCount: Slot,
        now: Int64,
        departures: inout Departures<Key, Value>
    ) -> Slot? {
        let used = table.slots.usedSlots.upperBound
        let end = min(used, start &+ slotCount)
        for slot in min(start, end)..<end {
            guard table.slots.flags(of: slot).segment != .free, table.slots.links.weight(of: slot) > weight else { continue }
            let hasExpired = table.slots.deadline(of: slot) <= now
            departures.append(remove(slot, cause: hasExpired ? .expired : .size))
            if hasExpired { otherStatistics.expirations += 1 } else { otherStatistics.evictions += 1 }
        }
        return end < used ? end : nil
    }

    /// Changes the shard's equal part of the limit by count, once the entries that can leave are within the new limit.
    ///
    /// - Parameters:
    ///   - givesBack: Whether the shard gives back its surplus beyond its part, as far as the pool is overdrawn.
    ///   - maximumCount: So many entries at most are evicted for that.
    /// - Returns: Whether the new limit is in force.
    mutating func setMaximumCount(
        _ count: Int,
        givesBack: Bool,
        now: Int64,
        atMost maximumCount: Int,
        departures: inout Departures<Key, Value>
    ) -> Bool {
        let limit = policy.maximumCount(ofPart: count, givesBack: givesBack)
        if policy.count > limit, rules.maximumWeight == nil { policy.shrinkWindow(forLimit: count) }
        var evicted = policy.count > limit ? reclaimFirst(now: now, atMost: maximumCount, departures: &departures) : 0
        while policy.count > limit, evicted < maximumCount, evictColdest(now: now, departures: &departures) { evicted += 1 }
        guard policy.count <= limit || policy.evictableCount == 0 else { return false }
        rules.maximumCount = count
        policy.setMaximumCount(limit, ofPart: count)
        return true
    }

    /// Changes the limit by weight, once the shard has no more than an equal part of it, or the pool is not overdrawn.
    ///
    /// - Parameters:
    ///   - part: The equal part.
    ///   - maximumCount: So many entries at most are evicted for that.
    /// - Returns: Whether the new limit is in force.
    mutating func setMaximumWeight(
        _ weight: Int,
        part: Int,
        now: Int64,
        atMost maximumCount: Int,
        departures: inout Departures<Key, Value>
    ) -> Bool {
        rules.maximumWeight = weight
        policy.setNominalWeight(part)
        let mustShrink = policy.unusedWeight < policy.overdrawnWeight
        var evicted = mustShrink ? reclaimFirst(now: now, atMost: maximumCount, departures: &departures) : 0
        while policy.unusedWeight < policy.overdrawnWeight, evicted < maximumCount, evictColdest(now: now, departures: &departures) { evicted += 1 }
        policy.giveBackWeight()
        return policy.overdrawnWeight == 0
    }

    /// Gives a part of the limit by weight to another shard, and evicts for that as much as has to be.
    mutating func giveAwayWeight(upTo amount: UInt, now: Int64, departures: inout Departures<Key, Value>) -> UInt {
        // Expired entries leave their room to the other shard, not to the pool.
        policy.keepsRoom = true
        while policy.unusedWeight < amount, reclaimFirst(now: now, atMost: Self.reclaimedPerWrite, departures: &departures) > 0 {}
        while policy.unusedWeight < amount, evictColdest(now: now, departures: &departures) {}
        policy.keepsRoom = false
        // An entry may have been heavier than the wanted amount.
        defer { policy.giveBackWeight() }
        return policy.giveAway(upTo: amount)
    }

    /// The entries with a value that have not expired, in the order in which the policy has them.
    func coldestFirst(now: Int64) -> [Slot] {
        policy.coldestFirst(in: table.slots).filter { hasValue($0, at: now) }
    }

    /// Those of them that the policy would evict next.
    func nextToLeave(now: Int64, atMost maximumCount: Int) -> [Slot] {
        policy.nextToLeave(in: table.slots.links, atMost: maximumCount) { hasValue($0, at: now) }
    }

    func hasValue(_ slot: Slot, at now: Int64) -> Bool { !table.slots.flags(of: slot).isNegative && table.slots.deadline(of: slot) > now }

    // MARK: Fences

    @usableFromInline mutating func breakFences(forKey key: Key) {
        fences.breakFences(forKey: key)
    }

    @usableFromInline mutating func breakAllFences() {
        fences.breakAll()
    }

    mutating func openFence(forKey key: Key) -> FenceTable<Key>.Fence {
        fences.open(key)
    }

    mutating func closeFence(_ fence: FenceTable<Key>.Fence) {
        fences.close(fence)
    }

    /// Closes the fence of a load whose result may be published, and breaks those of its key's older loads.
    ///
    /// - Returns: Whether the fence was intact, also for these tags.
    mutating func closeForPublication(_ fence: FenceTable<Key>.Fence, tags: Set<String>) -> Bool {
        let isIntact = fences.isIntact(fence, tags: tags)
        // A load that all its callers have left may still run, beside a later one of the same key.
        if isIntact { fences.closeAndBreakOlder(than: fence) } else { fences.close(fence) }
        return isIntact
    }

    /// Checks everything. For tests.
    func checkInvariants(hash: (Key) -> UInt32) {
        table.checkInvariants(hash: hash)
        policy.checkInvariants(in: table.slots)
        wheel?.checkInvariants(in: table.slots)
        details.checkInvariants()
        precondition(hasFences == !fences.isEmpty, "the mark for fences is wrong")
        for slot in table.slots.usedSlots where table.slots.flags(of: slot).segment != .free {
            precondition(table.slots.flags(of: slot).hasDetails == (details[slot] != nil), "the mark for details is wrong")
        }
    }
}
