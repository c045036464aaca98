// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A FIFO whose hand goes from the oldest key to the newest, evicts the first one not used since it last passed, and stays there.
/// Unlike CLOCK, it inserts at the head, not at the hand, so newcomers are soon met.
///
/// Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE is Simpler than LRU, NSDI 2024.
struct SievePolicy<Sizes: SlotSizes>: ReplacementPolicy {
    private let capacity: Int
    private var slots = KeySlots()
    /// One list, the newest key first. The mark is 1 if the key has been used.
    private var lists = SlotLists<Sizes>(count: 1)
    /// Where to look for the next victim; `nil` stands for the oldest key.
    private var hand: Int?

    private init(_: Sizes.Type, capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }
    var size: Int { lists.size(ofList: 0) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let slot = slots.slot(of: key) {
            lists[mark: slot] = 1
            if Sizes.differ, lists.size(of: slot) != size { resize(slot, to: size) }
            return true
        }
        guard !Sizes.differ || size <= capacity else { return false }
        makeRoom(for: size)
        let slot = slots.insert(key)
        lists.setSize(size, of: slot)
        lists.prepend(slot, to: 0)
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key) else { return false }
        evict(slot)
        return true
    }

    private mutating func resize(_ slot: Int, to size: Int) {
        lists.setSize(size, of: slot)
        if size > capacity { evict(slot) } else { makeRoom(for: 0) }
    }

    private mutating func makeRoom(for size: Int) {
        while self.size + size > capacity, let victim = nextVictim() { evict(victim) }
    }

    /// Moves the hand to a key that has not been used.
    private mutating func nextVictim() -> Int? {
        while let candidate = hand ?? lists.last(0) {
            hand = candidate
            if lists[mark: candidate] == 0 { return candidate }
            lists[mark: candidate] = 0
            hand = lists.before(candidate)
        }
        return nil
    }

    private mutating func evict(_ slot: Int) {
        if hand == slot { hand = lists.before(slot) }
        lists.remove(slot)
        slots.remove(slot)
    }
}

extension SievePolicy<UnitSizes> {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(UnitSizes.self, capacity: capacity) }
}

extension SievePolicy<ByteSizes> {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(ByteSizes.self, capacity: byteCapacity) }
}
