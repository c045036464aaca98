// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Shard {
    /// At most so many expired entries are reclaimed by one write, so that no write takes long.
    @inlinable static var reclaimedPerWrite: Int { 16 }

    /// Writes an entry and makes room for it.
    ///
    /// - Parameters:
    ///   - now: The time. Not looked at unless the shard has entries that expire.
    ///   - departures: Takes in the entries that left.
    /// - Returns: Whether the entry was kept.
    @inlinable mutating func insert(
        _ entry: NewEntry<Value>,
        forKey key: Key,
        hash: UInt64,
        now: Int64,
        tuner: WindowTuner,
        departures: inout Departures<Key, Value>
    ) -> Bool {
        if entry.deadline < .max || rules.keepsWriteTimes { beginUsingTimes(now) }
        if hasTimes { reclaim(now: now, atMost: Self.reclaimedPerWrite, departures: &departures) }
        let shortHash = UInt32(truncatingIfNeeded: hash)
        var slot = table.find(key, hash: shortHash)
        if slot != .none, table.slots.deadline(of: slot) <= now, hasTimes {
            departures.append(remove(slot, cause: .expired))
            otherStatistics.expirations &+= 1
            slot = .none
        }
        // Without a limit by weight, entries are pinned or not; their exact weight does not matter.
        let weight = rules.maximumWeight == nil ? min(entry.weight, 1) : entry.weight
        if recording != nil { recordWrite(hash, weight: entry.weight, deadline: entry.deadline, writeTime: entry.writeTime) }
        guard entry.deadline > .min, weight <= rules.maximumWeight ?? .max, rules.maximumCount > 0 else {
            if slot != .none {
                departures.append(remove(slot, cause: .replaced))
                otherStatistics.replacements &+= 1
            }
            otherStatistics.refusals &+= 1
            return false
        }
        let isNew = slot == .none
        if isNew {
            slot = add(entry, weight: weight, forKey: key, hash: shortHash)
        } else {
            replace(slot, with: entry, weight: weight, departures: &departures)
        }
        if hasTimes { setTimes(of: slot, deadline: entry.deadline, written: entry.writeTime) }
        if let details = entry.details { setDetails(details, of: slot) }
        if table.slots.generation != SlotTable.countsUses { policy.age(&table.slots, isNew: isNew) }
        // A pinned entry that had been there needs no room, though there may be more of them than a limit that was lowered.
        let newcomer = isNew || table.slots.flags(of: slot).segment != .pinned ? slot : .none
        let wasKept = makeRoom(for: newcomer, now: now, tuner: tuner, departures: &departures)
        if wasKept { otherStatistics.insertions &+= 1 } else { otherStatistics.refusals &+= 1 }
        return wasKept
    }

    @inlinable mutating func add(_ entry: NewEntry<Value>, weight: Int, forKey key: Key, hash: UInt32) -> Slot {
        if table.slots.isFull {
            if rules.maximumWeight != nil, rules.shardCount == 1, count >= Self.countWorthDividing { isDueForDivision = true }
            table.grow(to: nextCapacity)
            policy.tableDidGrow(table.slots, newcomer: hash)
        }
        let slot = table.insert(key, value: entry.value, hash: hash)
        policy.didInsert(slot, in: table.slots.links, weight: weight)
        return slot
    }

    @inlinable mutating func replace(
        _ slot: Slot,
        with entry: NewEntry<Value>,
        weight: Int,
        departures: inout Departures<Key, Value>
    ) {
        let old = table.exchangeValue(at: slot, with: entry.value)
        let oldDetails = table.slots.flags(of: slot).hasDetails ? forgetDetails(of: slot) : nil
        departures.append(.init(key: table.key(at: slot), value: old, cause: .replaced, details: oldDetails))
        otherStatistics.replacements &+= 1
        policy.willReplace(slot, weight: weight, in: &table.slots)
    }

    /// Evicts until the limits hold. Returns whether `newcomer` is still there.
    @inlinable mutating func makeRoom(for newcomer: Slot, now: Int64, tuner: WindowTuner, departures: inout Departures<Key, Value>) -> Bool {
        var wasKept = true
        while true {
            let evicted = policy.nextEvicted(in: table.slots.links, sparing: wasKept ? newcomer : .none)
            if evicted == .none { break }
            let hasExpired = hasTimes && table.slots.deadline(of: evicted) <= now
            let departure = takeOut(evicted, cause: hasExpired ? .expired : .size)
            if evicted == newcomer {
                // Refused: it has never been there for others. The caller has its value still, so that nothing is released here.
                wasKept = false
            } else {
                if hasExpired { otherStatistics.expirations &+= 1 } else { otherStatistics.evictions &+= 1 }
                departures.append(departure)
            }
            if adoptedChoice != tuner.currentChoice || hasOutgrownTuner { adopt(tuner) }
        }
        policy.giveBackWeight()
        return wasKept
    }

    /// Removes an entry from all lists and from the table.
    @inlinable mutating func remove(_ slot: Slot, cause: RemovalCause) -> Departures<Key, Value>.Departure {
        policy.willRemove(slot, in: table.slots.links)
        policy.giveBackWeight()
        return takeOut(slot, cause: cause)
    }

    /// Removes an entry that is in no list of the policy any more.
    @inlinable mutating func takeOut(_ slot: Slot, cause: RemovalCause) -> Departures<Key, Value>.Departure {
        departureLog.note(table.slots.hash(of: slot), cause)
        if hasTimes { cancelTimer(of: slot) }
        let oldDetails = table.slots.flags(of: slot).hasDetails ? details.remove(slot) : nil
        if hasUpdates { updates.interrupt(table.key(at: slot)) }
        let (key, value) = table.remove(slot)
        return .init(key: key, value: value, cause: cause, details: oldDetails)
    }

    /// Removes expired entries.
    @inlinable mutating func reclaim(now: Int64, atMost limit: Int, departures: inout Departures<Key, Value>) {
        var reclaimed = 0
        advanceWheel(to: now)
        while reclaimed < limit {
            let slot = nextExpired(at: now)
            if slot == .none { return }
            departures.append(remove(slot, cause: .expired))
            otherStatistics.expirations &+= 1
            reclaimed &+= 1
        }
    }

    /// Removes everything. The old table and the details go to the caller, which releases values and errors outside the lock.
    @inlinable mutating func removeAll() -> (table: EntryTable<Key, Value>, details: EntryDetailsTable) {
        let old = (table, details)
        otherStatistics.removals &+= table.slots.count
        breakAllFences()
        table = EntryTable(capacity: min(16, Self.greatestCapacity(rules)), hasWeights: rules.maximumWeight != nil)
        forgetAll()
        return old
    }
}

// MARK: Code that does not depend on the caller's types, compiled here once.

extension Shard {
    @usableFromInline mutating func beginUsingTimes(_ now: Int64) {
        guard wheel == nil else { return }
        wheel = TimerWheel(time: now)
        table.slots.addTimes(hasWriteTimes: rules.keepsWriteTimes)
        noteHorizon()
    }

    private mutating func noteHorizon() {
        // Uses put deadlines off, which no mark says.
        table.slots.horizon = rules.accessLifetime > 0 ? SlotTicks.always : wheel?.horizon ?? SlotTicks.never
    }

    @usableFromInline mutating func setTimes(of slot: Slot, deadline: Int64, written: Int64) {
        table.slots.setDeadline(deadline, of: slot)
        table.slots.setWriteTime(written, of: slot)
        if let timers = table.slots.timerColumns { wheel?.schedule(slot, in: timers) }
    }

    @usableFromInline mutating func advanceWheel(to now: Int64) {
        guard let timers = table.slots.timerColumns else { return }
        wheel?.advance(to: now, in: timers)
        noteHorizon()
    }

    @usableFromInline mutating func nextExpired(at now: Int64) -> Slot {
        table.slots.timerColumns.flatMap { wheel?.nextExpired(at: now, in: $0) } ?? .none
    }

    @usableFromInline mutating func cancelTimer(of slot: Slot) {
        if let timers = table.slots.timerColumns { wheel?.cancel(slot, in: timers) }
    }

    @usableFromInline mutating func setDetails(_ new: EntryDetails, of slot: Slot) {
        details.set(new, of: slot)
        var flags = table.slots.flags(of: slot)
        flags.hasDetails = true
        table.slots.setFlags(flags, of: slot)
    }

    @usableFromInline mutating func forgetDetails(of slot: Slot) -> EntryDetails? {
        var flags = table.slots.flags(of: slot)
        flags.hasDetails = false
        table.slots.setFlags(flags, of: slot)
        return details.remove(slot)
    }

    @usableFromInline mutating func forgetAll() {
        policy.removeAll()
        policy.showGeneration(in: &table.slots)
        policy.giveBackWeight()
        details.removeAll()
        if hasUpdates { updates.interruptAll() }
        // The log would give the wrong cause for keys that had left before and were there again.
        departureLog = DepartureLog()
        if wheel != nil {
            wheel?.removeAll()
            table.slots.addTimes(hasWriteTimes: rules.keepsWriteTimes)
            noteHorizon()
        }
    }

    /// Takes over the tuner's choice. Offers itself to the tuner when it is full for the first time; if the tuner watches it, begins again when
    /// the number of its entries has changed much.
    @usableFromInline mutating func adopt(_ tuner: WindowTuner) {
        if hasOutgrownTuner {
            let isWatched = sampleThreshold > 0 || tunedCapacity == 0 && tuner.choosesToWatch()
            tunedCapacity = max(1, count)
            if isWatched {
                sampleThreshold = WindowTuner.sampleThreshold(forShardOf: tunedCapacity, shardCount: rules.shardCount)
                tuner.watch(policy.sample(of: table.slots, threshold: sampleThreshold))
            }
        }
        adopt(tuner.currentChoice)
    }

    /// Takes over the tuning with this number.
    mutating func adopt(_ choice: Int) {
        guard choice != adoptedChoice else { return }
        adoptedChoice = choice
        policy.tune(WindowTuner.candidates[choice])
        policy.showGeneration(in: &table.slots)
    }
}
