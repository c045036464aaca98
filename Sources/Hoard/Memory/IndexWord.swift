// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A word of the index of a ``SlotTable``. From its lowest bit on, it has 8 bits of a key's hash, the word's distance from its home, up to 14, in 4
/// bits, and the number of a slot in 20. In a table of more than a million slots the number takes the place of the distance.
@usableFromInline enum IndexWord {
    @usableFromInline static let maximumCapacity = 1 << 24 - 2
    @inlinable static var empty: UInt32 { .max }

    /// Where the parts of a table's words are.
    @usableFromInline struct Layout {
        @usableFromInline let slotShift: UInt32

        @usableFromInline init(capacity: Int) {
            slotShift = capacity > 1 << 20 - 2 ? 8 : 12
        }

        @inlinable @inline(__always)
        func slot(of word: UInt32) -> Slot { word &>> slotShift }

        @inline(__always)
        func word(_ slot: Slot, hash: UInt32, distance: UInt32) -> UInt32 {
            word(slot << slotShift | hash & 0xFF, distance: distance)
        }

        /// A word with another distance.
        @inline(__always)
        func word(_ word: UInt32, distance: UInt32) -> UInt32 {
            slotShift == 8 ? word : word & ~0xF00 | min(distance, 15) << 8
        }

        /// How far a word is from its home, if it says so.
        @inline(__always)
        func distance(of word: UInt32) -> UInt32? {
            let distance = word >> 8 & 15
            return slotShift == 8 || distance == 15 ? nil : distance
        }
    }
}
