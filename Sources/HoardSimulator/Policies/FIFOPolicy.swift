// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts the key that came first, used or not.
///
/// Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
struct FIFOPolicy: ReplacementPolicy {
    private let capacity: Int
    private var slots = KeySlots()
    /// The slot of the oldest key, once the cache is full. Slots are handed out in order, so age goes round with them.
    private var oldest = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }

    mutating func access(_ key: UInt64) -> Bool {
        if slots.slot(of: key) != nil { return true }
        if slots.count < capacity {
            _ = slots.insert(key)
        } else {
            slots.replaceKey(in: oldest, with: key)
            oldest = oldest + 1 == capacity ? 0 : oldest + 1
        }
        return false
    }
}
