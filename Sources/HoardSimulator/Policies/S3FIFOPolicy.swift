// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Three FIFO queues: a small one that newcomers must leave with two uses or more, a main one with a counter of two bits,
/// and a ghost queue of keys that left the small one; who comes back from there goes to the main queue at once.
///
/// Yang, Zhang, Qiu, Yue, Rashmi: FIFO queues are all you need for cache eviction, SOSP 2023. The paper does not say where newcomers go
/// while the cache fills; here they go to the main queue once the small one is full, as in the authors' simulator. Otherwise a loop a
/// little larger than the cache would never get a key into the main queue.
struct S3FIFOPolicy: ReplacementPolicy {
    private static let small = 0
    private static let main = 1
    private static let ghost = 2
    private static let maximum = 3

    private let capacity: Int
    private let smallCapacity: Int
    private let ghostCapacity: Int
    /// Whether the cache has been full once.
    private var hasBeenFull = false
    private var slots = KeySlots()
    /// Newest key first. The mark counts the uses.
    private var lists = SlotLists(count: 3)

    init(capacity: Int) {
        self.capacity = capacity
        self.smallCapacity = max(1, capacity / 10)
        self.ghostCapacity = capacity * 9 / 10
    }

    var count: Int { lists.count(Self.small) + lists.count(Self.main) }

    mutating func access(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key) else {
            makeRoom()
            let isMainOpen = !hasBeenFull && lists.count(Self.small) >= smallCapacity
            lists.prepend(slots.insert(key), to: isMainOpen ? Self.main : Self.small)
            return false
        }
        if lists.list(of: slot) == Self.ghost {
            lists.remove(slot)
            makeRoom()
            lists.prepend(slot, to: Self.main)
            return false
        }
        lists[mark: slot] = min(lists[mark: slot] + 1, Self.maximum)
        return true
    }

    private mutating func makeRoom() {
        while count >= capacity {
            hasBeenFull = true
            if lists.count(Self.small) >= smallCapacity { evictFromSmall() } else { evictFromMain() }
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
        guard ghostCapacity > 0 else { return slots.remove(slot) }
        if lists.count(Self.ghost) == ghostCapacity, let oldest = lists.last(Self.ghost) {
            lists.remove(oldest)
            slots.remove(oldest)
        }
        lists.prepend(slot, to: Self.ghost)
    }
}
