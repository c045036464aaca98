// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Goes round the keys and evicts the first one whose counter is 0; counts the others down on its way. A hit counts up, to 3.
///
/// Corbató: A Paging Experiment with the Multics System, MIT Project MAC, 1968, in the variant with two bits that
/// Smith: Sequentiality and Prefetching in Database Systems, ACM TODS 3(3), 1978, calls a generalized clock.
struct ClockPolicy<Sizes: SlotSizes>: ReplacementPolicy {
    private static var maximum: Int { 3 }

    private let capacity: Int
    private var slots = KeySlots()
    /// The keys round the clock, from the one just behind the hand to the one before it. The mark is the counter.
    private var lists = SlotLists<Sizes>(count: 1)

    private init(_: Sizes.Type, capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }
    var size: Int { lists.size(ofList: 0) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let slot = slots.slot(of: key) {
            lists[mark: slot] = min(lists[mark: slot] + 1, Self.maximum)
            if Sizes.differ, lists.size(of: slot) != size { resize(slot, to: size) }
            return true
        }
        if Sizes.differ {
            guard size <= capacity else { return false }
            makeRoom(for: size)
        } else if slots.count == capacity, let victim = nextVictim() {
            slots.replaceKey(in: victim, with: key)
            lists.moveToFirst(victim, of: 0)
            return false
        }
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

    /// Moves the hand to a key whose counter is 0.
    private mutating func nextVictim() -> Int? {
        while let slot = lists.last(0), lists[mark: slot] > 0 {
            lists[mark: slot] -= 1
            lists.moveToFirst(slot, of: 0)
        }
        return lists.last(0)
    }

    private mutating func evict(_ slot: Int) {
        lists.remove(slot)
        slots.remove(slot)
    }
}

extension ClockPolicy<UnitSizes> {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(UnitSizes.self, capacity: capacity) }
}

extension ClockPolicy<ByteSizes> {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(ByteSizes.self, capacity: byteCapacity) }
}
