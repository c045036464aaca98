// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A FIFO whose hand goes from the oldest key to the newest, evicts the first one not used since it last passed, and stays there.
/// Unlike CLOCK, it inserts at the head, not at the hand, so newcomers are soon met.
///
/// Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE is Simpler than LRU, NSDI 2024.
struct SievePolicy: ReplacementPolicy {
    private let capacity: Int
    private var slots = KeySlots()
    /// One list, the newest key first. The mark is 1 if the key has been used.
    private var lists = SlotLists(count: 1)
    /// Where to look for the next victim; `nil` stands for the oldest key.
    private var hand: Int?

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }

    mutating func access(_ key: UInt64) -> Bool {
        if let slot = slots.slot(of: key) {
            lists[mark: slot] = 1
            return true
        }
        if slots.count == capacity { evict() }
        lists.prepend(slots.insert(key), to: 0)
        return false
    }

    private mutating func evict() {
        while let candidate = hand ?? lists.last(0) {
            hand = lists.before(candidate)
            if lists[mark: candidate] == 0 {
                lists.remove(candidate)
                slots.remove(candidate)
                return
            }
            lists[mark: candidate] = 0
        }
    }
}
