// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The order in which entries would leave.
extension EvictionPolicy {
    /// All entries: main from the hand on, then the window from its oldest, then the pinned ones.
    func coldestFirst(in whole: SlotTable) -> [Slot] {
        let table = whole.links
        var slots: [Slot] = []
        slots.reserveCapacity(whole.count)
        forEach(in: table) { slots.append($0) }
        return slots + whole.usedSlots.filter { table.flags(of: $0).segment == .pinned }
    }

    /// The entries that would leave first if no entry was used meanwhile.
    ///
    /// First come those of main, in the order in which the hand finds them without uses, then those of the window from its oldest.
    ///
    /// - Complexity: O(*n*).
    func nextToLeave(in table: SlotLinks, atMost maximumCount: Int, where isWanted: (Slot) -> Bool) -> [Slot] {
        var slots: [Slot] = []
        for round in 0...SlotFlags.maximumUses where slots.count < maximumCount {
            forEach(in: table, window: false) { slot in
                if slots.count < maximumCount, table.flags(of: slot).uses == round, isWanted(slot) { slots.append(slot) }
            }
        }
        forEach(in: table, main: false) { if slots.count < maximumCount, isWanted($0) { slots.append($0) } }
        return slots
    }

    private func forEach(in table: SlotLinks, main isInMain: Bool = true, window isInWindow: Bool = true, _ body: (Slot) -> Void) {
        var slot = main.hand
        for _ in 0..<(isInMain ? main.count : 0) {
            body(slot)
            slot = table.next(of: slot)
        }
        if isInWindow { window.forEach(in: table, body) }
    }
}
