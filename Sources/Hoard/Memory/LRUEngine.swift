// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The records of a ``MemoryStore`` and the order in which they leave: least recently used first.
///
/// A hash table of slot numbers and a doubly linked list threaded through one array of slots: plain, exact, and fast enough for a store.
/// ``Cache`` has an engine of its own. Not thread-safe: the store calls it under its lock. It runs no user code but the key's `==` and
/// `hash(into:)`.
///
/// Pinned entries (weight 0) are in the table but not in the list.
struct LRUEngine<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    struct Entry: Sendable {
        var value: Value
        var weight: Int
        /// The tick at which the entry expires; `Int64.max` for never, `Int64.min` for an entry that must not be kept.
        var deadline: Int64
    }

    /// The outcome of an insertion. The engine's owner keeps it until the lock is released, so that the deinitialiser of a
    /// value that left never runs under the lock.
    struct InsertionOutcome: Sendable {
        var wasKept = true
        /// The older entry of the key.
        var replaced: Entry?
        /// Entries that left to make room.
        var evicted: [Entry] = []
    }

    private struct Slot: Sendable {
        var key: Key
        var entry: Entry
        var previous: Int
        var next: Int
    }

    let maximumCount: Int
    let maximumWeight: Int

    private(set) var totalWeight = 0
    private var slotNumbers: [Key: Int] = [:]
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    /// The most recently used entry that is not pinned, or -1.
    private var head = -1
    /// The least recently used entry that is not pinned, or -1.
    private var tail = -1

    init(maximumCount: Int?, maximumWeight: Int?) {
        self.maximumCount = maximumCount ?? .max
        self.maximumWeight = maximumWeight ?? .max
    }

    var count: Int { slotNumbers.count }

    /// The value, made the most recently used one; or the expired entry that was removed instead.
    mutating func value(forKey key: Key, now: Int64) -> (value: Value?, expired: Entry?) {
        guard let number = slotNumbers[key], let entry = slots[number]?.entry else { return (nil, nil) }
        guard entry.deadline > now else { return (nil, removeSlot(number)) }
        if entry.weight > 0, head != number {
            unlink(number)
            linkAtHead(number)
        }
        return (entry.value, nil)
    }

    func peek(_ key: Key, now: Int64) -> Value? {
        guard let number = slotNumbers[key], let entry = slots[number]?.entry, entry.deadline > now else { return nil }
        return entry.value
    }

    /// Changes a value where it lies. Neither its weight nor its place changes.
    mutating func update(_ key: Key, _ body: (inout Value) -> Void) {
        guard let number = slotNumbers[key], var slot = slots[number] else { return }
        // One reference while it is changed, so that nothing is copied.
        slots[number] = nil
        body(&slot.entry.value)
        slots[number] = slot
    }

    mutating func insert(_ entry: Entry, forKey key: Key) -> InsertionOutcome {
        var outcome = InsertionOutcome(replaced: remove(key))
        guard entry.deadline > .min, entry.weight <= maximumWeight, maximumCount > 0 else {
            outcome.wasKept = false
            return outcome
        }
        while count >= maximumCount || entry.weight > maximumWeight - totalWeight {
            guard tail >= 0, let victim = removeSlot(tail) else {
                // Only pinned entries are left.
                outcome.wasKept = false
                return outcome
            }
            outcome.evicted.append(victim)
        }
        let number = allocate(Slot(key: key, entry: entry, previous: -1, next: -1))
        slotNumbers[key] = number
        totalWeight += entry.weight
        if entry.weight > 0 { linkAtHead(number) }
        return outcome
    }

    mutating func remove(_ key: Key) -> Entry? {
        guard let number = slotNumbers[key] else { return nil }
        return removeSlot(number)
    }

    /// Empties the engine and returns its entries, to be released outside the lock.
    mutating func removeAll() -> some Sendable {
        let old = (slots, slotNumbers)
        self = LRUEngine(maximumCount: maximumCount, maximumWeight: maximumWeight)
        return old
    }

    /// Removes the entries whose value satisfies `predicate`. O(*n*).
    mutating func removeAll(where predicate: (Entry) -> Bool) -> [Entry] {
        slots.indices.compactMap { number in
            guard let slot = slots[number], predicate(slot.entry) else { return nil }
            return removeSlot(number)
        }
    }
}

extension LRUEngine {
    /// The keys of the entries whose value satisfies `predicate`, least recently used first. Pinned ones are not among them. O(*n*).
    func leastRecentlyUsedKeys(where predicate: (Value) -> Bool) -> [Key] {
        var keys: [Key] = []
        var number = tail
        while number >= 0, let slot = slots[number] {
            if predicate(slot.entry.value) { keys.append(slot.key) }
            number = slot.previous
        }
        return keys
    }

    /// The entries in some slots, and the number of the slot after them; `nil` after the last one. No use of any.
    func entries(inSlotsFrom start: Int, limit: Int) -> (entries: [(key: Key, value: Value)], next: Int?) {
        guard start < slots.count else { return ([], nil) }
        let end = limit < slots.count - start ? start + limit : slots.count
        let entries = slots[start..<end].compactMap { slot in slot.map { (key: $0.key, value: $0.entry.value) } }
        return (entries, end < slots.count ? end : nil)
    }

    private mutating func allocate(_ slot: Slot) -> Int {
        if let number = freeSlots.popLast() {
            slots[number] = slot
            return number
        }
        slots.append(slot)
        return slots.count - 1
    }

    private mutating func removeSlot(_ number: Int) -> Entry? {
        guard let slot = slots[number] else { return nil }
        if slot.entry.weight > 0 { unlink(number) }
        slotNumbers[slot.key] = nil
        totalWeight -= slot.entry.weight
        slots[number] = nil
        freeSlots.append(number)
        return slot.entry
    }

    private mutating func unlink(_ number: Int) {
        guard let slot = slots[number] else { return }
        if slot.previous >= 0 { slots[slot.previous]?.next = slot.next } else { head = slot.next }
        if slot.next >= 0 { slots[slot.next]?.previous = slot.previous } else { tail = slot.previous }
    }

    private mutating func linkAtHead(_ number: Int) {
        slots[number]?.previous = -1
        slots[number]?.next = head
        if head >= 0 { slots[head]?.previous = number } else { tail = number }
        head = number
    }

    /// Checks that the table, the list, the free slots and the totals agree. For tests.
    func checkInvariants() {
        precondition(count <= maximumCount && totalWeight <= maximumWeight, "over a limit")
        precondition(totalWeight == slots.reduce(0) { $0 + ($1?.entry.weight ?? 0) }, "wrong total weight")
        precondition(slotNumbers.count + freeSlots.count == slots.count, "a slot is lost")
        precondition(freeSlots.allSatisfy { slots[$0] == nil }, "a free slot is in use")
        precondition(slotNumbers.allSatisfy { slots[$0.value]?.key == $0.key }, "the table names a wrong slot")
        var linked = 0
        var previous = -1
        var number = head
        while number >= 0, let slot = slots[number] {
            precondition(slot.previous == previous && slot.entry.weight > 0, "the list is broken")
            linked += 1
            previous = number
            number = slot.next
        }
        precondition(tail == previous, "the list ends elsewhere")
        precondition(linked == slots.count { ($0?.entry.weight ?? 0) > 0 }, "an entry is missing from the list")
    }
}
