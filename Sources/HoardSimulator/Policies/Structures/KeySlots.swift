// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Gives each key that a policy knows a slot: a small number, from 0, to index its other structures with.
struct KeySlots: Sendable {
    private var table = KeyTable()
    private var keys: [UInt64] = []
    private var freeSlots: [UInt32] = []

    /// The number of keys that have a slot.
    var count: Int { table.count }

    /// The slot of a key. O(1).
    func slot(of key: UInt64) -> Int? { table[key] }

    /// The key that has a slot. O(1).
    func key(of slot: Int) -> UInt64 { keys[slot] }

    /// Gives a new key a slot. O(1), amortized.
    mutating func insert(_ key: UInt64) -> Int {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = Int(free)
            keys[slot] = key
        } else {
            slot = keys.count
            keys.append(key)
        }
        table.insert(key, slot)
        return slot
    }

    /// Takes the slot from its key. O(1).
    mutating func remove(_ slot: Int) {
        table.remove(keys[slot])
        freeSlots.append(UInt32(slot))
    }

    /// Gives a slot to a new key instead of the one that has it. O(1).
    mutating func replaceKey(in slot: Int, with key: UInt64) {
        table.remove(keys[slot])
        keys[slot] = key
        table.insert(key, slot)
    }
}
