// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Ranks keys by the time between their last two uses, not by the last one. Most of the cache holds keys with a short such time (LIR);
/// a small rest (HIR) holds the others for a try.
///
/// Jiang, Zhang: LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy, SIGMETRICS 2002. The paper leaves the number
/// of remembered keys open; here there are at most as many as entries.
struct LIRSPolicy: ReplacementPolicy {
    /// The share of the cache for HIR keys: one in this many, and at least one.
    private static let queueShare = 100

    /// The kind of a key, its mark in ``recency``.
    private enum Kind {
        static let hir = 0
        static let lir = 1
    }
    private static let stack = 0
    private static let queue = 0
    private static let ghosts = 1

    private let capacity: Int
    private let lirCapacity: Int
    private var lirCount = 0
    private var slots = KeySlots()
    /// The stack of the paper, the last use first. The mark is the kind.
    private var recency = SlotLists<UnitSizes>(count: 1)
    /// The keys that are not LIR: entries in the order they leave in, and ghosts, the oldest first. Every ghost is in the stack.
    private var others = SlotLists<UnitSizes>(count: 2)

    init(capacity: Int) {
        self.capacity = capacity
        self.lirCapacity = capacity - max(1, capacity / Self.queueShare)
    }

    var count: Int { lirCount + others.count(Self.queue) }

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        guard let slot = slots.slot(of: key) else {
            insert(key)
            return false
        }
        switch others.list(of: slot) {
        case nil:
            recency.moveToFirst(slot, of: Self.stack)
            prune()
            return true
        case Self.queue:
            others.remove(slot)
            use(slot)
            return true
        default:
            others.remove(slot)
            makeRoom()
            use(slot)
            return false
        }
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = slots.slot(of: key), others.list(of: slot) != Self.ghosts else { return false }
        if others.list(of: slot) == Self.queue { others.remove(slot) } else { lirCount -= 1 }
        if recency.list(of: slot) != nil { recency.remove(slot) }
        slots.remove(slot)
        prune()
        return true
    }

    private mutating func insert(_ key: UInt64) {
        makeRoom()
        let slot = slots.insert(key)
        if lirCount < lirCapacity {
            recency.prepend(slot, to: Self.stack, mark: Kind.lir)
            lirCount += 1
            prune()
        } else {
            use(slot)
        }
    }

    /// Uses a HIR key that is neither in the queue nor among the ghosts: one in the stack becomes LIR.
    private mutating func use(_ slot: Int) {
        guard recency.list(of: slot) != nil else {
            if lirCapacity > 0 { recency.prepend(slot, to: Self.stack, mark: Kind.hir) }
            others.append(slot, to: Self.queue)
            return
        }
        recency[mark: slot] = Kind.lir
        recency.moveToFirst(slot, of: Self.stack)
        lirCount += 1
        while lirCount > lirCapacity, let bottom = recency.last(Self.stack) {
            recency.remove(bottom)
            others.append(bottom, to: Self.queue)
            lirCount -= 1
            prune()
        }
        // Where the last LIR key was removed, HIR keys may have come to the bottom.
        prune()
    }

    /// Evicts the first key of the queue if the cache is full. It is remembered while it is in the stack.
    private mutating func makeRoom() {
        guard count == capacity, let victim = others.first(Self.queue) else { return }
        others.remove(victim)
        guard recency.list(of: victim) != nil else { return slots.remove(victim) }
        others.append(victim, to: Self.ghosts)
        if others.count(Self.ghosts) > capacity, let oldest = others.first(Self.ghosts) {
            others.remove(oldest)
            recency.remove(oldest)
            slots.remove(oldest)
        }
    }

    /// Takes HIR keys off the bottom of the stack until an LIR key is there.
    private mutating func prune() {
        while let bottom = recency.last(Self.stack), recency[mark: bottom] == Kind.hir {
            recency.remove(bottom)
            if others.list(of: bottom) == Self.ghosts {
                others.remove(bottom)
                slots.remove(bottom)
            }
        }
    }
}
