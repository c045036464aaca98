// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The choice of the entry that leaves when a limit is exceeded.
extension EvictionPolicy {
    /// When the window is to shrink, so many entries at most move to main for each insertion.
    private static let movesPerInsertion = 8
    /// So many entries at most are compared by their weight before one leaves.
    private static let comparedVictims = 8
    /// So many entries at most are looked at before it is decided whether a candidate takes their place.
    private static let weighedVictims = 128

    /// An entry to evict, if a limit is exceeded. It is in no list any more; the caller takes it out of the table and asks again.
    ///
    /// - Parameter newcomer: The entry just written, which does not compete.
    /// - Returns: `none` when the limits hold.
    @usableFromInline mutating func nextEvicted(in table: SlotLinks, sparing newcomer: Slot) -> Slot {
        var moves = 0
        while true {
            let isOverLimit = isOverLimit
            guard window.weight > windowLimit, window.count > 1 else {
                return isOverLimit ? evictFromMain(in: table, orElse: newcomer) : .none
            }
            if !isOverLimit, moves == Self.movesPerInsertion { return .none }
            let candidate = window.removeOldest(in: table)
            var flags = table.flags(of: candidate)
            let usesLeft = candidate == newcomer ? flags.uses : tuning.secondChance.usesLeft(of: flags.uses)
            if let usesLeft {
                flags.uses = usesLeft
                table.setFlags(flags, of: candidate)
                window.append(candidate, in: table)
                continue
            }
            moves += 1
            guard isOverLimit else {
                main.insert(candidate, tuning.placement, in: table)
                continue
            }
            guard wins(candidate, in: table) else { return candidate }
            // The hand stands at the first of its victims; the others are found when the caller asks again.
            let victim = main.hand
            main.remove(victim, in: table)
            flags.uses = 0
            table.setFlags(flags, of: candidate)
            main.insert(candidate, tuning.placement, in: table)
            return victim
        }
    }

    /// Whether a candidate has been seen more often than all the entries together that would have to leave main in its stead. If they are very many,
    /// that is estimated by the first of them.
    private mutating func wins(_ candidate: Slot, in table: SlotLinks) -> Bool {
        guard main.count > 0 else { return false }
        let rating = rating(candidate, in: table)
        // The candidate is in no list at this moment.
        let weight = totalWeight &+ UInt(table.weight(of: candidate))
        let missing = max(1, maximumWeight.map { weight > $0 ? weight &- $0 : 0 } ?? 0)
        // Not even all of main would make room for it.
        guard main.weight >= missing else { return false }
        var victim = nextVictim(from: main.hand, in: table)
        main.moveHand(to: victim)
        var victims = self.rating(victim, in: table)
        var freed: UInt = 0
        for _ in 0..<Self.weighedVictims {
            guard rating > victims else { return false }
            freed &+= UInt(table.weight(of: victim))
            if freed >= missing { return true }
            victim = nextVictim(from: table.next(of: victim), in: table)
            if victim == main.hand { return false }
            victims += self.rating(victim, in: table)
        }
        // A heavy candidate would displace very many light entries. The rest of them count as these do for their weight.
        return Double(rating) * Double(freed) > Double(victims) * Double(missing)
    }

    private mutating func nextVictim(from start: Slot, in table: SlotLinks) -> Slot {
        let first = main.passOver(from: start, in: table, telling: &sketch)
        return maximumWeight == nil || favouring == .bytes ? first : leastDense(from: first, in: table)
    }

    /// Of some entries that may leave, the one that has been seen least often for its weight.
    private func leastDense(from first: Slot, in table: SlotLinks) -> Slot {
        var (slot, best) = (first, (slot: first, density: Double.infinity))
        for _ in 0..<Self.comparedVictims {
            if table.flags(of: slot).uses == 0 {
                let density = Double(rating(slot, in: table) + 1) / Double(max(1, table.weight(of: slot)))
                if density < best.density { best = (slot, density) }
            }
            slot = table.next(of: slot)
            if slot == first { break }
        }
        return best.slot
    }

    /// Evicts the victim that the hand finds in main or, if main is empty, the oldest entry of the window. If all
    /// others are pinned, a newcomer leaves, be it pinned itself.
    private mutating func evictFromMain(in table: SlotLinks, orElse newcomer: Slot) -> Slot {
        if main.count > 0 {
            let victim = nextVictim(from: main.hand, in: table)
            main.moveHand(to: victim)
            main.remove(victim, in: table)
            return victim
        }
        guard window.count > 0 else {
            if newcomer != .none { willRemove(newcomer, in: table) }
            return newcomer
        }
        return removeOldestOfWindow(in: table, sparing: newcomer)
    }

    private mutating func removeOldestOfWindow(in table: SlotLinks, sparing newcomer: Slot) -> Slot {
        while window.oldest != newcomer, window.moveOldestUp(in: table) {}
        // All others have been used since it came.
        if window.oldest == newcomer, window.count > 1 { window.moveOldestToEnd(in: table) }
        return window.removeOldest(in: table)
    }

    /// The coldest entry by the policy's present opinion, whether the limits hold or not; `none` if only pinned entries are left.
    @usableFromInline mutating func evictColdest(in table: SlotLinks) -> Slot {
        if main.count == 0 || (window.count > 0 && window.weight > windowLimit) { return removeOldestOfWindow(in: table, sparing: .none) }
        return evictFromMain(in: table, orElse: .none)
    }
}
