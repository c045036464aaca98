// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts the least recently used key.
///
/// Mattson, Gecsei, Slutz, Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems Journal 9(2), 1970.
struct LRUPolicy: ReplacementPolicy {
    private let capacity: Int
    private var slots = KeySlots()
    /// One list, the last use first.
    private var lists = SlotLists(count: 1)

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }

    mutating func access(_ key: UInt64) -> Bool {
        if let slot = slots.slot(of: key) {
            lists.moveToFirst(slot, of: 0)
            return true
        }
        if slots.count == capacity, let victim = lists.last(0) {
            slots.replaceKey(in: victim, with: key)
            lists.moveToFirst(victim, of: 0)
        } else {
            lists.prepend(slots.insert(key), to: 0)
        }
        return false
    }
}
