// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The *main* part of a cache: a ring of entries and a hand that looks for one to evict. A hit moves nothing.
///
/// An entry that was read since the hand last passed is passed over, and one use of up to three is taken from its counter. This is the generalised
/// CLOCK (Smith, "Sequentiality and Prefetching in Database Systems", ACM Transactions on Database Systems 3(3), 1978, after Corbató 1968). With
/// ``Placement/atNewest`` new entries go to the young end instead of behind the hand, which makes it SIEVE (Zhang et al., "SIEVE is Simpler than
/// LRU", NSDI 2024) with a wider counter.
///
/// Its links are the ``SlotLinks`` that each operation is given.
struct ClockRing {
    /// Where a new entry enters the ring.
    enum Placement: Sendable {
        /// Just behind the hand, which reaches it last.
        case behindHand
        /// After the entry that was added last.
        case atNewest
    }

    /// The entry that the hand will look at next. The hand moves from older to newer entries.
    private(set) var hand: Slot = .none
    private var newest: Slot = .none
    private(set) var count = 0
    /// Unsigned, so that the weights of all entries and of a newcomer can be added without overflow.
    private(set) var weight: UInt = 0

    mutating func insert(_ slot: Slot, _ placement: Placement, in table: SlotLinks) {
        var flags = table.flags(of: slot)
        flags.segment = .main
        table.setFlags(flags, of: slot)
        count += 1
        weight &+= UInt(table.weight(of: slot))
        guard hand != .none else {
            table.setPrevious(slot, of: slot)
            table.setNext(slot, of: slot)
            hand = slot
            newest = slot
            return
        }
        let before = placement == .behindHand ? table.previous(of: hand) : newest
        let after = table.next(of: before)
        table.setPrevious(before, of: slot)
        table.setNext(after, of: slot)
        table.setNext(slot, of: before)
        table.setPrevious(slot, of: after)
        newest = slot
    }

    mutating func remove(_ slot: Slot, in table: SlotLinks) {
        count -= 1
        weight &-= UInt(table.weight(of: slot))
        let (before, after) = (table.previous(of: slot), table.next(of: slot))
        guard before != slot else {
            hand = .none
            newest = .none
            return
        }
        table.setNext(after, of: before)
        table.setPrevious(before, of: after)
        if hand == slot { hand = after }
        if newest == slot { newest = before }
    }

    /// The next entry, from `start` on, that has no uses left; takes a use from each entry it passes, and tells the sketch.
    ///
    /// Amortised O(1): each step consumes a use that a hit has made.
    mutating func passOver(from start: Slot, in table: SlotLinks, telling sketch: inout FrequencySketch) -> Slot {
        var slot = start
        while true {
            var flags = table.flags(of: slot)
            if flags.uses == 0 { return slot }
            flags.uses -= 1
            table.setFlags(flags, of: slot)
            sketch.add(table.hash(of: slot))
            slot = table.next(of: slot)
        }
    }

    mutating func moveHand(to slot: Slot) { hand = slot }

    /// An entry is about to weigh `new` instead of `old`.
    mutating func changeWeight(from old: Int, to new: Int) { weight = weight &- UInt(old) &+ UInt(new) }

    /// Checks the links. For tests.
    func checkInvariants(in table: SlotLinks) {
        guard hand != .none else {
            precondition(count == 0 && weight == 0 && newest == .none, "an empty ring with totals")
            return
        }
        var (slot, found, foundWeight, hasNewest) = (hand, 0, UInt(0), false)
        repeat {
            precondition(table.flags(of: slot).segment == .main, "a stranger in the ring")
            precondition(table.previous(of: table.next(of: slot)) == slot, "the ring's links disagree")
            found += 1
            foundWeight += UInt(table.weight(of: slot))
            hasNewest = hasNewest || slot == newest
            precondition(found <= count, "the ring is longer than its count")
            slot = table.next(of: slot)
        } while slot != hand
        precondition(found == count && foundWeight == weight && hasNewest, "the ring's totals are wrong")
    }
}
