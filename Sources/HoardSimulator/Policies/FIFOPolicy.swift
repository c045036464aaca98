// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Evicts the key that came first, used or not.
///
/// Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer, IBM Systems Journal 5(2), 1966.
struct FIFOPolicy<Sizes: SlotSizes>: SlotListPolicy {
    var keys: KeyList<Sizes>

    func noteUse(of slot: Int) {}

    func nextVictim() -> Int? { keys.lists.last(0) }
}
