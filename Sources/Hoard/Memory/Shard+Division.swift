// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How the one shard of a cache becomes several.
///
/// The number of entries that fit into a limit by weight is known only once there are entries. Such a cache begins with one shard, and is divided once.
extension Shard {
    /// With fewer entries a cache is not worth dividing.
    @inlinable static var countWorthDividing: Int { 1_024 }

    /// The number of entries that the limits allow, if others weigh as much as those that are there.
    func expectedCount(maximumCount: Int?) -> Int {
        let averageWeight = max(1, policy.totalWeight / UInt(max(1, count)))
        return min((rules.maximumWeight ?? .max) / Int(clamping: averageWeight), maximumCount ?? .max)
    }

    /// An empty shard for keys that have been another one's.
    ///
    /// - Parameter belongsHere: Whether a key is the new shard's.
    init(besides first: borrowing Shard, rules: Rules, belongsHere: (Key) -> Bool) {
        self.init(rules: rules)
        departureLog = first.departureLog
        (fences, updates) = (first.fences, first.updates)
        keepOperations(where: belongsHere)
        policy.maximumWeight = 0
        if let wheel = first.wheel { beginUsingTimes(wheel.time) }
        adopt(first.adoptedChoice)
        beginRecording(into: first.recording?.sibling())
    }

    /// Moves an entry here from another shard, with all that is known of it.
    mutating func takeOver(_ slot: Slot, from other: inout Shard) {
        let (hash, flags, weight) = (other.table.slots.hash(of: slot), other.table.slots.flags(of: slot), other.table.slots.weight(of: slot))
        let (deadline, written) = (other.table.slots.deadline(of: slot), other.table.slots.writeTime(of: slot) ?? 0)
        let details = other.details[slot]
        let frequency = other.policy.sketch.estimate(hash)
        let (key, value) = other.moveOut(slot)
        policy.grant(other.policy.giveAway(upTo: UInt(weight)))
        if table.slots.isFull {
            table.grow(to: nextCapacity)
            policy.tableDidGrow(table.slots)
        }
        let new = table.insert(key, value: value, hash: hash)
        policy.noteUses(frequency, hash: hash)
        policy.didTakeOver(new, flags, weight: weight, in: table.slots.links)
        if hasTimes { setTimes(of: new, deadline: deadline, written: written) }
        if let details { setDetails(details, of: new) }
    }

    /// Takes an entry out that does not leave the cache.
    private mutating func moveOut(_ slot: Slot) -> (key: Key, value: Value?) {
        policy.willRemove(slot, in: table.slots.links)
        cancelTimer(of: slot)
        if table.slots.flags(of: slot).hasDetails { details.remove(slot) }
        return table.remove(slot)
    }

    /// Forgets the fences and updates of keys that are another shard's from now on.
    mutating func keepOperations(where belongsHere: (Key) -> Bool) {
        fences = fences.filtered(by: belongsHere)
        updates.updates = updates.updates.filter { belongsHere($0.key) }
    }

    /// The shard's keys have been divided: its limits are its part from now on.
    mutating func didDivide(_ rules: Rules, nominalWeight: Int) {
        self.rules = rules
        // If the tuner watches this shard, it begins again with fewer keys.
        tunedCapacity = 0
        isDueForDivision = false
        policy.didDivide(rules.maximumCount, pool: rules.pool, nominalWeight: nominalWeight, shardCount: rules.shardCount)
    }
}

extension EvictionPolicy {
    /// An entry has come from another shard, where it had these flags. The order in which several come stays.
    mutating func didTakeOver(_ slot: Slot, _ old: SlotFlags, weight: Int, in table: SlotLinks) {
        table.setWeight(weight, of: slot)
        switch old.segment {
        case .pinned: pin(slot, in: table)
        case .main: main.insert(slot, .behindHand, in: table)
        case .window, .free: window.append(slot, in: table)
        }
        guard window.generations == nil else { return }
        var flags = table.flags(of: slot)
        flags.uses = old.uses
        table.setFlags(flags, of: slot)
    }

    /// Puts the shard's part of the limits in force.
    mutating func didDivide(_ count: Int, pool: LimitPool?, nominalWeight: Int, shardCount: Int) {
        self.shardCount = shardCount
        self.pool = pool
        nominalCount = Self.nominalCount(count)
        maximumCount = pool == nil ? nominalCount : Self.ownPart(of: nominalCount)
        if let pool, self.count > maximumCount { maximumCount += pool.take(upTo: self.count - maximumCount) }
        self.nominalWeight = UInt(nominalWeight)
        tune(tuning)
    }
}
