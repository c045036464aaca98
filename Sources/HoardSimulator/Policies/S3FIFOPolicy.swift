// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A policy with three FIFO queues: a small one that newcomers must leave with two uses or more, a main one with a counter of two bits, and a ghost
/// queue. The ghost queue has keys that left the small one. A key that comes back from it goes to the main queue at once.
///
/// Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for cache eviction, SOSP 2023. The paper does not say where newcomers go
/// while the cache fills; here they go to the main queue once the small one is full, as in the authors' simulator. Otherwise a loop a
/// little larger than the cache would never get a key into the main queue. In bytes, as there, an object that does not fit into the small
/// queue beside another is not admitted, and ghosts are charged as if they were objects.
struct S3FIFOPolicy<Sizes: SlotSizes>: ReplacementPolicy {
    private static var small: Int { 0 }
    private static var main: Int { 1 }
    private static var ghost: Int { 2 }
    private static var maximum: Int { 3 }

    private let capacity: Int
    private let smallCapacity: Int
    private let ghostCapacity: Int
    /// Whether the cache has been full once.
    private var hasBeenFull = false
    private var slots = KeySlots()
    /// Newest key first. The mark counts the uses.
    private var lists = SlotLists<Sizes>(count: 3)

    private init(_: Sizes.Type, capacity: Int) {
        self.capacity = capacity
        self.smallCapacity = max(1, capacity / 10)
        self.ghostCapacity = capacity * 9 / 10
    }

    var count: Int { lists.count(Self.small) + lists.count(Self.main) }

    var size: Int { lists.size(ofList: Self.small) + lists.size(ofList: Self.main) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        let known = slots.slot(of: key)
        if let slot = known, lists.list(of: slot) != Self.ghost {
            lists[mark: slot] = min(lists[mark: slot] + 1, Self.maximum)
            if Sizes.differ, lists.size(of: slot) != size { resize(slot, to: size) }
            return true
        }
        if let slot = known { lists.remove(slot) }
        if Sizes.differ, size >= smallCapacity {
            if let slot = known { slots.remove(slot) }
            return false
        }
        makeRoom(for: size)
        let slot = known ?? slots.insert(key)
        lists.setSize(size, of: slot)
        let isMainOpen = !hasBeenFull && lists.size(ofList: Self.small) >= smallCapacity
        lists.prepend(slot, to: known != nil || isMainOpen ? Self.main : Self.small)
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key), lists.list(of: slot) != Self.ghost else { return false }
        lists.remove(slot)
        slots.remove(slot)
        return true
    }

    private mutating func resize(_ slot: Int, to size: Int) {
        lists.setSize(size, of: slot)
        if size > capacity {
            lists.remove(slot)
            slots.remove(slot)
        } else {
            makeRoom(for: 0)
        }
    }

    private mutating func makeRoom(for size: Int) {
        while self.size + size > capacity {
            hasBeenFull = true
            if lists.size(ofList: Self.small) >= smallCapacity || lists.isEmpty(Self.main) { evictFromSmall() } else { evictFromMain() }
        }
    }

    private mutating func evictFromSmall() {
        while let oldest = lists.last(Self.small) {
            lists.remove(oldest)
            if lists[mark: oldest] > 1 {
                lists.prepend(oldest, to: Self.main)
            } else {
                return remember(oldest)
            }
        }
    }

    private mutating func evictFromMain() {
        while let oldest = lists.last(Self.main) {
            lists.remove(oldest)
            guard lists[mark: oldest] > 0 else { return slots.remove(oldest) }
            lists.prepend(oldest, to: Self.main, mark: lists[mark: oldest] - 1)
        }
    }

    private mutating func remember(_ slot: Int) {
        let size = lists.size(of: slot)
        guard size <= ghostCapacity else { return slots.remove(slot) }
        while lists.size(ofList: Self.ghost) + size > ghostCapacity, let oldest = lists.last(Self.ghost) {
            lists.remove(oldest)
            slots.remove(oldest)
        }
        lists.prepend(slot, to: Self.ghost)
    }
}

extension S3FIFOPolicy<UnitSizes> {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(UnitSizes.self, capacity: capacity) }
}

extension S3FIFOPolicy<ByteSizes> {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(ByteSizes.self, capacity: byteCapacity) }
}
