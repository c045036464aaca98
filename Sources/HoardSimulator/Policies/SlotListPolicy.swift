// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A policy that has all keys in one list, and differs from others of its kind in the effect of a use and in the choice of a victim.
///
/// A type that conforms gets ``ReplacementPolicy`` for keys and for bytes from here. Its newcomers go to the beginning of the list.
protocol SlotListPolicy: ReplacementPolicy {
    associatedtype Sizes: SlotSizes

    var keys: KeyList<Sizes> { get set }

    init(keys: KeyList<Sizes>)

    /// Notes a hit. O(1).
    mutating func noteUse(of slot: Int)

    /// Chooses the next key to leave, which stays for now; `nil` if there is none.
    mutating func nextVictim() -> Int?

    /// Notes that a key, of which the slot is still in the list, is about to leave it. Default: nothing is done. O(1).
    mutating func prepareToRemove(_ slot: Int)
}

/// The keys of a ``SlotListPolicy``, and how much it may hold.
struct KeyList<Sizes: SlotSizes>: Sendable {
    let capacity: Int
    var slots = KeySlots()
    /// One list, the newest key first unless the policy moves keys.
    var lists = SlotLists<Sizes>(count: 1)
    /// The keys that were evicted, for the replay to take away; `nil` if it does not need them.
    var evicted: [UInt64]?

    fileprivate mutating func noteEviction(of slot: Int) {
        if evicted != nil { evicted?.append(slots.key(of: slot)) }
    }
}

extension SlotListPolicy {
    var count: Int { keys.slots.count }
    var size: Int { keys.lists.size(ofList: 0) }

    func prepareToRemove(_ slot: Int) {}

    mutating func access(_ key: UInt64, size: Int) -> Bool {
        if let slot = keys.slots.slot(of: key) {
            noteUse(of: slot)
            if Sizes.differ, keys.lists.size(of: slot) != size { resize(slot, to: size) }
            return true
        }
        if Sizes.differ {
            guard size <= keys.capacity else { return false }
            makeRoom(for: size)
        } else if keys.slots.count == keys.capacity, let victim = nextVictim() {
            prepareToRemove(victim)
            keys.noteEviction(of: victim)
            keys.slots.replaceKey(in: victim, with: key)
            keys.lists.moveToFirst(victim, of: 0)
            return false
        }
        let slot = keys.slots.insert(key)
        keys.lists.setSize(size, of: slot)
        keys.lists.prepend(slot, to: 0)
        return false
    }

    mutating func remove(_ key: UInt64) -> Bool {
        guard let slot = keys.slots.slot(of: key) else { return false }
        discard(slot)
        return true
    }

    private mutating func resize(_ slot: Int, to size: Int) {
        keys.lists.setSize(size, of: slot)
        if size > keys.capacity { evict(slot) } else { makeRoom(for: 0) }
    }

    private mutating func makeRoom(for size: Int) {
        while self.size + size > keys.capacity, let victim = nextVictim() { evict(victim) }
    }

    private mutating func evict(_ slot: Int) {
        keys.noteEviction(of: slot)
        discard(slot)
    }

    private mutating func discard(_ slot: Int) {
        prepareToRemove(slot)
        keys.lists.remove(slot)
        keys.slots.remove(slot)
    }
}

extension SlotListPolicy where Sizes == UnitSizes {
    /// A cache that counts keys.
    init(capacity: Int) { self.init(keys: KeyList(capacity: capacity)) }
}

extension SlotListPolicy where Sizes == ByteSizes {
    /// A cache that counts bytes.
    init(byteCapacity: Int) { self.init(keys: KeyList(capacity: byteCapacity)) }
}
