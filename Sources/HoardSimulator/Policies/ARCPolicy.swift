// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Two LRU lists, one for keys seen once and one for keys seen again, with a ghost list for each.
/// A hit in a ghost list moves the border between the two.
///
/// Megiddo, Modha: ARC: A Self-Tuning, Low Overhead Replacement Cache, FAST 2003, figure 4.
struct ARCPolicy: ReplacementPolicy {
    // The paper's T1, T2, B1 and B2.
    private static let once = 0
    private static let often = 1
    private static let onceGhost = 2
    private static let oftenGhost = 3

    private let capacity: Int
    /// How many keys seen once to hold; the paper's *p*.
    private var target = 0.0
    private var slots = KeySlots()
    /// The last use first.
    private var lists = SlotLists<UnitSizes>(count: 4)

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { lists.count(Self.once) + lists.count(Self.often) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        guard let slot = slots.slot(of: key) else {
            makeRoom()
            lists.prepend(slots.insert(key), to: Self.once)
            return false
        }
        switch lists.list(of: slot) {
        case Self.onceGhost:
            let step = max(1, Double(lists.count(Self.oftenGhost)) / Double(lists.count(Self.onceGhost)))
            target = min(target + step, Double(capacity))
            replace(isReturnToOften: false)
            lists.moveToFirst(slot, of: Self.often)
            return false
        case Self.oftenGhost:
            let step = max(1, Double(lists.count(Self.onceGhost)) / Double(lists.count(Self.oftenGhost)))
            target = max(target - step, 0)
            replace(isReturnToOften: true)
            lists.moveToFirst(slot, of: Self.often)
            return false
        default:
            lists.moveToFirst(slot, of: Self.often)
            return true
        }
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key), let list = lists.list(of: slot), list == Self.once || list == Self.often else { return false }
        lists.remove(slot)
        slots.remove(slot)
        return true
    }

    /// Case IV of the paper: a key that no list knows.
    private mutating func makeRoom() {
        let seenOnce = lists.count(Self.once) + lists.count(Self.onceGhost)
        if seenOnce == capacity {
            if lists.count(Self.once) < capacity {
                forget(Self.onceGhost)
                replace(isReturnToOften: false)
            } else {
                forget(Self.once)
            }
        } else if slots.count >= capacity {
            if slots.count == 2 * capacity { forget(Self.oftenGhost) }
            replace(isReturnToOften: false)
        }
    }

    /// Makes a ghost of the least recently used key of one of the two lists.
    private mutating func replace(isReturnToOften: Bool) {
        guard count >= capacity else { return }
        let onceCount = Double(lists.count(Self.once))
        if onceCount >= 1, onceCount > target || (isReturnToOften && onceCount == target) || lists.isEmpty(Self.often) {
            if let victim = lists.last(Self.once) { lists.moveToFirst(victim, of: Self.onceGhost) }
        } else if let victim = lists.last(Self.often) {
            lists.moveToFirst(victim, of: Self.oftenGhost)
        }
    }

    private mutating func forget(_ list: Int) {
        guard let victim = lists.last(list) else { return }
        lists.remove(victim)
        slots.remove(victim)
    }
}
