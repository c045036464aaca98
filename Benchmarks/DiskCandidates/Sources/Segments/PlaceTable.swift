// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// One shard of the index: places in ascending order of their hashes, in a table with gaps (linear probing that keeps its order).
///
/// A hash has a home in proportion to its value, so the order of the hashes is that of the table. A search ends at the first greater hash, and places that are
/// added in ascending order touch memory in ascending order. The table grows by a quarter, not by double: at 5/8 to 7/8 full, a place costs 18 to 26 bytes.
///
/// Unsafe because a place must cost no more than its 16 bytes. Its owner, ``PlaceIndex``, guards it with the shard's lock.
struct PlaceTable: ~Copyable {
    private var slots: UnsafeMutablePointer<HashedPlace>
    /// The number of homes. Behind them there is room for the neighbours of the last homes.
    private var capacity: Int
    private var slotCount: Int
    private(set) var count = 0

    private static let spare = 64
    private static let shardBits: UInt64 = 8

    init() {
        capacity = 64
        slotCount = 64 + Self.spare
        slots = Self.allocate(slotCount)
    }

    deinit { slots.deallocate() }

    var allocatedByteCount: Int { slotCount * HashedPlace.byteCount }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<HashedPlace> {
        let slots = UnsafeMutablePointer<HashedPlace>.allocate(capacity: count)
        slots.initialize(repeating: HashedPlace(hash: 0, place: Place(bits: 0)), count: count)
        return slots
    }

    @inline(__always)
    private func home(of hash: UInt64) -> Int { Self.home(of: hash, among: capacity) }

    @inline(__always)
    private static func home(of hash: UInt64, among homes: Int) -> Int {
        Int(truncatingIfNeeded: (hash << shardBits).multipliedFullWidth(by: UInt64(homes)).high)
    }

    /// The first slot from the hash's home on that is empty or has no smaller hash.
    @inline(__always)
    private func search(_ hash: UInt64) -> Int {
        var slot = home(of: hash)
        while slot < slotCount, slots[slot].place.bits != 0, slots[slot].hash < hash { slot += 1 }
        return slot
    }

    @inline(__always)
    private func holds(_ slot: Int, _ hash: UInt64) -> Bool {
        slot < slotCount && slots[slot].place.bits != 0 && slots[slot].hash == hash
    }

    /// Returns the place of a hash, and counts a use of it if `isUse`.
    @inline(__always)
    mutating func find(_ hash: UInt64, isUse: Bool) -> Place? {
        let slot = search(hash)
        guard holds(slot, hash) else { return nil }
        let place = slots[slot].place
        if isUse, !place.isRemoval, place.frequency < Place.maximumFrequency { slots[slot].place.bits &+= 1 }
        return place
    }

    /// Gives a hash a place.
    ///
    /// - Parameter frequency: Gives the frequency, from the place that the hash had.
    /// - Returns: The place that it had.
    mutating func set(_ hash: UInt64, to place: Place, frequency: (Place?) -> UInt64) -> Place? {
        while true {
            let slot = search(hash)
            if holds(slot, hash) {
                let former = slots[slot].place
                slots[slot].place = place.withFrequency(frequency(former))
                return former
            }
            if count * 8 >= capacity * 7 {
                grow()
                continue
            }
            var end = slot
            while end < slotCount, slots[end].place.bits != 0 { end += 1 }
            guard end < slotCount else {
                grow()
                continue
            }
            if end > slot { (slots + slot + 1).update(from: slots + slot, count: end - slot) }
            slots[slot] = HashedPlace(hash: hash, place: place.withFrequency(frequency(nil)))
            count += 1
            return nil
        }
    }

    /// Changes the place of a hash if it still is `place`; `nil` removes it.
    mutating func replace(_ hash: UInt64, _ place: Place, with new: Place?) -> Bool {
        let slot = search(hash)
        guard holds(slot, hash), slots[slot].place.isSameEntry(as: place) else { return false }
        if let new { slots[slot].place = new } else { remove(at: slot) }
        return true
    }

    /// Removes a hash.
    ///
    /// - Returns: The place that it had.
    mutating func remove(_ hash: UInt64) -> Place? {
        let slot = search(hash)
        guard holds(slot, hash) else { return nil }
        let place = slots[slot].place
        remove(at: slot)
        return place
    }

    private mutating func remove(at slot: Int) {
        var gap = slot
        while gap + 1 < slotCount, slots[gap + 1].place.bits != 0, home(of: slots[gap + 1].hash) <= gap {
            slots[gap] = slots[gap + 1]
            gap += 1
        }
        slots[gap].place = Place(bits: 0)
        count -= 1
    }

    /// Removes all places that fulfil a condition.
    mutating func removeAll(where isUnwanted: (HashedPlace) -> Bool) {
        var slot = 0
        while slot < slotCount {
            // The place that moves into the gap is looked at next.
            if slots[slot].place.bits != 0, isUnwanted(slots[slot]) { remove(at: slot) } else { slot += 1 }
        }
    }

    private mutating func grow() {
        let old = slots
        let oldCount = slotCount
        capacity += max(capacity / 4, 16)
        var room = capacity + Self.spare
        while true {
            let new = Self.allocate(room)
            if Self.fill(new, room, from: old, oldCount, homes: capacity) {
                slots = new
                slotCount = room
                old.deallocate()
                return
            }
            new.deallocate()
            room += Self.spare + room / 8
        }
    }

    /// Copies the places in their order, each to its home or behind its predecessor.
    private static func fill(
        _ new: UnsafeMutablePointer<HashedPlace>,
        _ newCount: Int,
        from old: UnsafeMutablePointer<HashedPlace>,
        _ oldCount: Int,
        homes: Int
    ) -> Bool {
        var next = 0
        for slot in 0..<oldCount where old[slot].place.bits != 0 {
            next = max(next, home(of: old[slot].hash, among: homes))
            guard next < newCount - 1 else { return false }
            new[next] = old[slot]
            next += 1
        }
        return true
    }
}
