// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The last value of each key, of a bounded number of keys: a key takes the place of another one whose hash ends alike.
struct RecentValues {
    private struct Slot {
        var key: UInt64
        var value: UInt64
    }

    /// Empty until there is a value, as most access traces need no memory of this kind.
    private var slots: [Slot] = []
    private let slotCount: Int

    /// - Parameter slotCount: A power of two. Each takes 16 bytes.
    init(slotCount: Int) {
        self.slotCount = slotCount
    }

    subscript(key: UInt64) -> UInt64? {
        get {
            guard !slots.isEmpty else { return nil }
            let slot = slots[place(key)]
            return slot.key == key && slot.value != .max ? slot.value : nil
        }
        set {
            guard let newValue else { return }
            if slots.isEmpty { slots = Array(repeating: Slot(key: 0, value: .max), count: slotCount) }
            slots[place(key)] = Slot(key: key, value: newValue)
        }
    }

    private func place(_ key: UInt64) -> Int { Int(truncatingIfNeeded: mixed(key)) & (slotCount - 1) }
}
