// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts the least recently used key.
///
/// Mattson, Gecsei, Slutz, Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems Journal 9(2), 1970.
struct LRUPolicy<Sizes: SlotSizes>: ReplacementPolicy {
    private let capacity: Int
    private var slots = KeySlots()
    /// One list, the last use first.
    private var lists = SlotLists<Sizes>(count: 1)

    private init(_: Sizes.Type, capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }
    var size: Int { lists.size(ofList: 0) }

    /// Whether a key is held. It is no use of it.
    func holds(_ key: UInt64) -> Bool { slots.slot(of: key) != nil }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let slot = slots.slot(of: key) {
            lists.moveToFirst(slot, of: 0)
            if Sizes.differ, lists.size(of: slot) != size { resize(slot, to: size) }
            return true
        }
        if Sizes.differ {
            guard size <= capacity else { return false }
            makeRoom(for: size)
        } else if slots.count == capacity, let victim = lists.last(0) {
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
        while self.size + size > capacity, let victim = lists.last(0) { evict(victim) }
    }

    private mutating func evict(_ slot: Int) {
        lists.remove(slot)
        slots.remove(slot)
    }
}

extension LRUPolicy<UnitSizes> {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(UnitSizes.self, capacity: capacity) }
}

extension LRUPolicy<ByteSizes> {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(ByteSizes.self, capacity: byteCapacity) }
}
