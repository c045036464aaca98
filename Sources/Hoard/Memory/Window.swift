// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where new entries stay first: a queue, oldest out first. A hit moves nothing.
///
/// The *window* of W-TinyLFU (Einziger, Friedman and Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", ACM Transactions on Storage 13(4),
/// 2017), as a FIFO queue instead of an LRU list.
///
/// Its links are the ``SlotLinks`` that each operation is given.
struct Window {
    var oldest: Slot = .none
    var newest: Slot = .none
    private(set) var count = 0
    /// Unsigned, so that the weights of all entries and of a newcomer can be added without overflow.
    private(set) var weight: UInt = 0
    /// Where generations begin, in a window that keeps the order of uses.
    var generations: Generations?

    mutating func append(_ slot: Slot, in table: SlotLinks) {
        var flags = table.flags(of: slot)
        flags.segment = .window
        if let present = generations?.present { flags.generation = present }
        table.setFlags(flags, of: slot)
        link(slot, before: .none, in: table)
        generations?.didAppend(slot)
        count += 1
        weight &+= UInt(table.weight(of: slot))
    }

    /// Removes the oldest entry and returns it; `none` if the window is empty.
    mutating func removeOldest(in table: SlotLinks) -> Slot {
        let slot = oldest
        if slot != .none { remove(slot, in: table) }
        return slot
    }

    mutating func remove(_ slot: Slot, in table: SlotLinks) {
        unlink(slot, in: table)
        count -= 1
        weight &-= UInt(table.weight(of: slot))
    }

    mutating func link(_ slot: Slot, before next: Slot, in table: SlotLinks) {
        let previous = next == .none ? newest : table.previous(of: next)
        table.setPrevious(previous, of: slot)
        table.setNext(next, of: slot)
        if previous == .none { oldest = slot } else { table.setNext(slot, of: previous) }
        if next == .none { newest = slot } else { table.setPrevious(slot, of: next) }
    }

    mutating func unlink(_ slot: Slot, in table: SlotLinks) {
        let (previous, next) = (table.previous(of: slot), table.next(of: slot))
        if previous == .none { oldest = next } else { table.setNext(next, of: previous) }
        if next == .none { newest = previous } else { table.setPrevious(previous, of: next) }
        generations?.willUnlink(slot, next: next)
    }

    /// An entry is about to weigh `new` instead of `old`.
    mutating func changeWeight(from old: Int, to new: Int) { weight = weight &- UInt(old) &+ UInt(new) }

    /// Checks the links. For tests.
    func checkInvariants(in table: SlotLinks) {
        var (slot, previous, found, foundWeight) = (oldest, Slot.none, 0, UInt(0))
        while slot != .none {
            precondition(table.flags(of: slot).segment == .window, "a stranger in the window")
            precondition(table.previous(of: slot) == previous, "the window's links disagree")
            found += 1
            foundWeight += UInt(table.weight(of: slot))
            precondition(found <= count, "the window is longer than its count")
            (previous, slot) = (slot, table.next(of: slot))
        }
        precondition(newest == previous && found == count && foundWeight == weight, "the window's totals are wrong")
        checkGenerations(in: table)
    }
}
