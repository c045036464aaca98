// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts the key with the fewest uses for each byte. The priority of the key evicted last raises the priorities of all
/// keys that are used later, so that uses age.
///
/// Cherkasova: Improving WWW Proxies Performance with Greedy-Dual-Size-Frequency Caching Policy, HP Laboratories, 1998, with the cost 1
/// for each object.
struct GDSFPolicy: ReplacementPolicy {
    private let capacity: Int
    private(set) var size = 0
    /// The priority of the last victim.
    private var age = 0.0
    private var slots = KeySlots()
    private var heap = SlotHeap()
    private var sizes = ByteSizes()
    private var uses: [Int] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { slots.count }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let slot = slots.slot(of: key) {
            self.size += size - sizes[slot]
            uses[slot] += 1
            setPriority(of: slot, size: size)
            if size > capacity { discard(slot) } else { makeRoom(for: 0) }
            return true
        }
        guard size <= capacity else { return false }
        makeRoom(for: size)
        let slot = slots.insert(key)
        while uses.count <= slot { uses.append(0) }
        uses[slot] = 1
        self.size += size
        setPriority(of: slot, size: size)
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key) else { return false }
        discard(slot)
        return true
    }

    private mutating func setPriority(of slot: Int, size: Int) {
        sizes[slot] = size
        heap.set(age + Double(uses[slot]) / Double(size), of: slot)
    }

    private mutating func makeRoom(for size: Int) {
        while self.size + size > capacity, let victim = heap.first {
            age = victim.priority
            discard(victim.slot)
        }
    }

    private mutating func discard(_ slot: Int) {
        size -= sizes[slot]
        heap.remove(slot)
        slots.remove(slot)
    }
}
