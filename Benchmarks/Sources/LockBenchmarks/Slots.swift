// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The value of an entry.
final class Box: Sendable {
    let number: UInt64

    init(_ number: UInt64) {
        self.number = number
    }
}

/// One entry. `value` is the address of a box that the slot owns.
struct Slot: ~Copyable {
    var key: UInt64
    let value: Atomic<UInt>
}

/// An open-addressing table of a fixed set of keys; 0 is no key. Values are replaced, entries never come or go.
///
/// Unchecked because keys are written before any thread starts, and only threads that hold
/// the shard's guard write values.
struct Slots: @unchecked Sendable {
    private let slots: UnsafeMutablePointer<Slot>
    private let mask: Int

    init(capacity: Int) {
        precondition(capacity & (capacity - 1) == 0, "The capacity must be a power of two.")
        slots = .allocate(capacity: capacity)
        for index in 0..<capacity { (slots + index).initialize(to: Slot(key: 0, value: Atomic(0))) }
        mask = capacity - 1
    }

    func destroy() {
        for index in 0...mask where slots[index].key != 0 {
            Slots.box(slots[index].value.load(ordering: .relaxed)).release()
        }
        slots.deinitialize(count: mask + 1)
        slots.deallocate()
    }

    /// The slot in which the key is, or would be.
    @inline(__always)
    func find(_ key: UInt64, hash: UInt64) -> UnsafeMutablePointer<Slot> {
        var index = Int(truncatingIfNeeded: hash) & mask
        while slots[index].key != key, slots[index].key != 0 { index = (index + 1) & mask }
        return slots + index
    }

    static func box(_ address: UInt) -> Unmanaged<Box> {
        guard let pointer = UnsafeRawPointer(bitPattern: address) else { preconditionFailure("The key is not in the table.") }
        return Unmanaged.fromOpaque(pointer)
    }

    static func address(_ box: consuming Box) -> UInt {
        UInt(bitPattern: Unmanaged.passRetained(box).toOpaque())
    }
}

/// A mix good enough for whole numbers. The high bits choose the shard, the low ones the slot.
@inline(__always)
func mixed(_ key: UInt64) -> UInt64 {
    let product = key &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 32)
}

let shardBits = 6
let slotsPerShard = 4096
