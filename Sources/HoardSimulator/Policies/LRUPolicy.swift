// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts the least recently used key.
///
/// Mattson, Gecsei, Slutz, Traiger: Evaluation Techniques for Storage Hierarchies, IBM Systems Journal 9(2), 1970.
struct LRUPolicy<Sizes: SlotSizes>: SlotListPolicy {
    /// The last use first.
    var keys: KeyList<Sizes>

    mutating func noteUse(of slot: Int) { keys.lists.moveToFirst(slot, of: 0) }

    func nextVictim() -> Int? { keys.lists.last(0) }

    /// Whether a key is held. It is no use of it.
    func holds(_ key: UInt64) -> Bool { keys.slots.slot(of: key) != nil }
}
