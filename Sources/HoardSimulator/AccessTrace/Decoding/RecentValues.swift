// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The last value of each key, of a bounded number of keys: a key takes the place of another one whose hash ends alike.
///
/// It has as much memory as its keys need, up to the limit, so that a short access trace does not pay for that of a long one.
struct RecentValues<Value: Sendable>: Sendable {
    private struct Slot {
        var key: UInt64
        var value: Value?
    }

    private var slots: [Slot] = []
    private var count = 0
    private let slotLimit: Int

    /// - Parameter slotLimit: A power of four.
    init(slotLimit: Int) {
        self.slotLimit = slotLimit
    }

    subscript(key: UInt64) -> Value? {
        get {
            guard !slots.isEmpty else { return nil }
            let slot = slots[place(key)]
            return slot.key == key ? slot.value : nil
        }
        set {
            if count * 2 >= slots.count, slots.count < slotLimit { grow() }
            let place = place(key)
            if slots[place].value == nil { count += 1 }
            slots[place] = Slot(key: key, value: newValue)
            if newValue == nil { count -= 1 }
        }
    }

    private func place(_ key: UInt64) -> Int { Int(truncatingIfNeeded: mixed(key)) & (slots.count - 1) }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(key: 0, value: nil), count: old.isEmpty ? min(4, slotLimit) : old.count * 4)
        count = 0
        for slot in old where slot.value != nil {
            let place = place(slot.key)
            if slots[place].value == nil { count += 1 }
            slots[place] = slot
        }
    }
}
