// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The last known sizes and times to live, of a bounded number of keys: a key takes the place of another one whose hash
/// ends alike.
struct WrittenValues {
    private struct Slot {
        var key: UInt64
        /// `Int.max` if it is not known.
        var size: Int
        /// In milliseconds; 0 if it is not known, or is for ever.
        var lifetime: UInt64
    }

    /// Empty until there is something to know.
    private var slots: [Slot] = []

    /// Each takes 24 bytes.
    private static let slotCount = 1 << 20

    /// Takes notice of a write.
    ///
    /// - Parameters:
    ///   - size: `nil` if the line does not say.
    ///   - lifetime: In seconds; 0 is for ever.
    mutating func write(key: UInt64, size: Int?, lifetime: UInt64) {
        let place = place(key)
        let known = slots[place].key == key ? slots[place].size : .max
        slots[place] = Slot(key: key, size: size ?? known, lifetime: .milliseconds(seconds: lifetime))
    }

    /// The request of a read.
    ///
    /// - Parameters:
    ///   - size: As in the line; `nil` if the value was not there.
    ///   - lifetime: As in the line, in seconds; 0 if it does not say.
    mutating func request(key: UInt64, size: Int?, lifetime: UInt64, time: UInt64?) -> AccessRequest {
        let place = place(key)
        var slot = slots[place].key == key ? slots[place] : Slot(key: key, size: .max, lifetime: 0)
        if let size, size != slot.size {
            slot.size = size
            slots[place] = slot
        }
        let milliseconds = lifetime > 0 ? UInt64.milliseconds(seconds: lifetime) : slot.lifetime
        return AccessRequest(
            key: key,
            size: slot.size == .max ? nil : slot.size,
            time: time,
            lifetime: milliseconds > 0 ? milliseconds : nil
        )
    }

    /// The place of a key, for which there is memory from now on.
    private mutating func place(_ key: UInt64) -> Int {
        if slots.isEmpty { slots = Array(repeating: Slot(key: 0, size: .max, lifetime: 0), count: Self.slotCount) }
        return Int(truncatingIfNeeded: mixed(key)) & (Self.slotCount - 1)
    }
}
