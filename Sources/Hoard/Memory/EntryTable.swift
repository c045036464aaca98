// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Keys and values, side by side in one slab, and the ``SlotTable`` that finds them.
///
/// A handle: copies share the memory, which ``deallocate()`` frees. Not thread-safe; its shard's lock guards it.
/// It runs no user code but the keys' `==`, and only for keys that agree in 8 bits of their hash at least.
@usableFromInline struct EntryTable<Key: Hashable, Value> {
    @usableFromInline var slab: UnsafeMutableRawPointer
    @usableFromInline var slots: SlotTable

    @inlinable init(capacity: Int, hasWeights: Bool) {
        slots = SlotTable(capacity: capacity, hasWeights: hasWeights)
        slab = .allocate(byteCount: capacity &* Self.stride, alignment: Self.alignment)
    }

    @inlinable static var valueOffset: Int {
        let alignment = MemoryLayout<Value>.alignment
        return (MemoryLayout<Key>.size &+ alignment &- 1) & ~(alignment &- 1)
    }

    @inlinable static var alignment: Int { max(MemoryLayout<Key>.alignment, MemoryLayout<Value>.alignment) }

    @inlinable static var stride: Int {
        let size = valueOffset &+ MemoryLayout<Value>.size
        return max(1, (size &+ alignment &- 1) & ~(alignment &- 1))
    }

    @inlinable func keyPointer(_ slot: Slot) -> UnsafeMutablePointer<Key> {
        assert(slot < slots.capacity, "a slot beyond the table")
        return (slab + Int(slot) &* Self.stride).assumingMemoryBound(to: Key.self)
    }

    @inlinable func valuePointer(_ slot: Slot) -> UnsafeMutablePointer<Value> {
        assert(slot < slots.capacity, "a slot beyond the table")
        return (slab + (Int(slot) &* Self.stride &+ Self.valueOffset)).assumingMemoryBound(to: Value.self)
    }

    @inlinable @inline(__always)
    func find(_ key: Key, hash: UInt32) -> Slot {
        slots.find(hash) { keyPointer($0).pointee == key }
    }

    @inlinable func key(at slot: Slot) -> Key { keyPointer(slot).pointee }

    /// The value of an entry that is not negative.
    @inlinable func value(at slot: Slot) -> Value {
        assert(!slots.flags(of: slot).isNegative, "a negative entry has no value")
        return valuePointer(slot).pointee
    }

    /// Adds an entry, negative if `value` is `nil`. The key must not be there, and there must be a free slot.
    /// The caller puts the slot into a list.
    @inlinable mutating func insert(_ key: Key, value: Value?, hash: UInt32) -> Slot {
        let slot = slots.allocate(hash)
        keyPointer(slot).initialize(to: key)
        if let value {
            valuePointer(slot).initialize(to: value)
        } else {
            slots.setFlags(SlotFlags(bits: SlotFlags.negativeBit), of: slot)
        }
        return slot
    }

    /// Gives an entry another value, or makes it negative. Returns the old value, if it had one.
    @inlinable func exchangeValue(at slot: Slot, with value: Value?) -> Value? {
        var flags = slots.flags(of: slot)
        let old = flags.isNegative ? nil : valuePointer(slot).move()
        if let value { valuePointer(slot).initialize(to: value) }
        flags.isNegative = value == nil
        slots.setFlags(flags, of: slot)
        return old
    }

    /// Takes an entry out. It must be in no list any more, but its flags must still be there.
    @inlinable mutating func remove(_ slot: Slot) -> (key: Key, value: Value?) {
        let value = slots.flags(of: slot).isNegative ? nil : valuePointer(slot).move()
        let key = keyPointer(slot).move()
        slots.free(slot)
        return (key, value)
    }

    /// Makes room for more entries. Slots keep their numbers. O(*n*).
    @inlinable mutating func grow(to newCapacity: Int) {
        let new = UnsafeMutableRawPointer.allocate(byteCount: newCapacity &* Self.stride, alignment: Self.alignment)
        let old = self
        slots.grow(to: newCapacity)
        slab = new
        for slot in slots.usedSlots where slots.flags(of: slot).segment != .free {
            keyPointer(slot).moveInitialize(from: old.keyPointer(slot), count: 1)
            // A value without a size has no place of its own, but it has a stride, and moves are counted in strides.
            guard MemoryLayout<Value>.size > 0, !slots.flags(of: slot).isNegative else { continue }
            valuePointer(slot).moveInitialize(from: old.valuePointer(slot), count: 1)
        }
        old.slab.deallocate()
    }

    /// Releases all keys and values and frees the memory. The handle and its copies must not be used any more.
    @inlinable func deallocate() {
        for slot in slots.usedSlots {
            let flags = slots.flags(of: slot)
            guard flags.segment != .free else { continue }
            keyPointer(slot).deinitialize(count: 1)
            if !flags.isNegative { valuePointer(slot).deinitialize(count: 1) }
        }
        slab.deallocate()
        slots.deallocate()
    }

    /// Checks that every key is where its hash says. For tests.
    func checkInvariants(hash: (Key) -> UInt32) {
        slots.checkInvariants()
        for slot in slots.usedSlots where slots.flags(of: slot).segment != .free {
            precondition(slots.hash(of: slot) == hash(key(at: slot)), "an entry has another key's hash")
            precondition(find(key(at: slot), hash: slots.hash(of: slot)) == slot, "a key is there twice")
        }
    }
}
