// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A policy with three FIFO queues: a filter for newcomers, a staging queue for keys on trial, and a core. A ghost queue has keys that left the
/// filter, and goes on counting their uses.
///
/// A key goes from the filter to the core if it has the uses of a threshold, which follows the size of the core. Otherwise it takes the place of
/// the oldest key on trial, if that was not used and a sketch has met it less often; or else only its ghost stays. A ghost that is asked for comes
/// back into the core or on trial, by the same threshold. Keys that the core has no room for are put on trial, and a used one on trial returns to
/// the core.
///
/// Merlin: An Efficient Adaptive Cache Eviction Algorithm via Fine-Grained Characterization, OSDI 2026, after the simulator that its authors
/// published (<https://github.com/TELOS-syslab/MerlinOSDI26AE>), with their shares. In bytes, as there, an object that is larger than the filter
/// is not admitted. The sketch is that of W-TinyLFU with larger counters, and the threshold ends at 7, the most uses that are counted.
struct MerlinPolicy<Sizes: SlotSizes>: ReplacementPolicy {
    static var filter: Int { 0 }
    static var staging: Int { 1 }
    static var core: Int { 2 }
    static var ghost: Int { 0 }
    /// The sketch fades after as many times all keys have been evicted. A larger count is taken for a mistake of the sketch.
    static var fadingRounds: Int { 32 }

    let capacity: Int
    let filterCapacity: Int
    let coreCapacity: Int
    var slots = KeySlots()
    /// The newest key first. The mark counts the uses.
    var lists = SlotLists<Sizes>(count: 3)
    /// The newest ghost first. The mark counts the uses. A key on trial may have one.
    var ghosts = SlotLists<Sizes>(count: 1)
    var threshold = UseThreshold()
    var sketch = CountingSketch(maximum: .max, halvesByItself: false)
    /// The evictions of this round, and the rounds since the sketch has faded.
    var (evictions, rounds) = (0, 0)

    private init(_: Sizes.Type, capacity: Int) {
        self.capacity = capacity
        filterCapacity = max(1, capacity / 10)
        coreCapacity = capacity - filterCapacity - min(capacity - filterCapacity, max(1, capacity / 20))
    }

    var count: Int { lists.count(Self.filter) + lists.count(Self.staging) + lists.count(Self.core) }

    var size: Int { lists.size(ofList: Self.filter) + lists.size(ofList: Self.staging) + lists.size(ofList: Self.core) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        let known = slots.slot(of: key)
        if let slot = known, lists.list(of: slot) != nil {
            lists[mark: slot] = threshold.noteUse(after: lists[mark: slot])
            if Sizes.differ, lists.size(of: slot) != size { resize(slot, to: size) }
            return true
        }
        // The uses of the ghost, and whether it is hot, count before others leave for it.
        var (ghostUses, isHot): (Int?, Bool) = (nil, false)
        if let slot = known {
            let uses = threshold.noteUse(after: ghosts[mark: slot])
            ghosts[mark: slot] = uses
            (ghostUses, isHot) = (uses, uses >= threshold.value)
        }
        guard !Sizes.differ || size <= filterCapacity else { return false }
        while self.size + size > capacity { evict(for: size) }
        if let ghostUses {
            bringBack(key, size: size, uses: ghostUses, isHot: isHot)
        } else {
            // The core alone fills at first.
            let isFilling = lists.isEmpty(Self.filter) && lists.isEmpty(Self.staging)
            insert(slots.insert(key), size: size, into: isFilling ? Self.core : Self.filter, uses: 0)
        }
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key), lists.list(of: slot) != nil else { return false }
        discard(slot)
        return true
    }

    private mutating func insert(_ slot: Int, size: Int, into list: Int, uses: Int) {
        lists.setSize(size, of: slot)
        lists.prepend(slot, to: list, mark: uses)
        threshold.add(uses: uses)
    }

    /// Takes in the key of a ghost, which may have had to leave meanwhile.
    private mutating func bringBack(_ key: UInt64, size: Int, uses: Int, isHot: Bool) {
        let slot = slots.slot(of: key) ?? slots.insert(key)
        if isHot {
            insert(slot, size: size, into: Self.core, uses: uses)
            if ghosts.list(of: slot) != nil { forgetGhost(slot) }
        } else {
            sketch.add(key)
            insert(slot, size: size, into: Self.staging, uses: 0)
        }
    }

    private mutating func resize(_ slot: Int, to size: Int) {
        lists.setSize(size, of: slot)
        if size > capacity {
            discard(slot)
        } else {
            while self.size > capacity { evict(for: 0) }
        }
    }
}

extension MerlinPolicy<UnitSizes> {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(UnitSizes.self, capacity: capacity) }
}

extension MerlinPolicy<ByteSizes> {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(ByteSizes.self, capacity: byteCapacity) }
}
