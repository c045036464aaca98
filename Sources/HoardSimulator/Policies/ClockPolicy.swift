// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Goes round the keys and evicts the first one whose counter is 0; counts the others down on its way. A hit counts up, to 3.
///
/// Corbató: A Paging Experiment with the Multics System, MIT Project MAC, 1968, in the variant with two bits that
/// Smith: Sequentiality and Prefetching in Database Systems, ACM TODS 3(3), 1978, calls a generalized clock.
struct ClockPolicy<Sizes: SlotSizes>: SlotListPolicy {
    private static var maximum: Int { 3 }

    /// The keys round the clock, from the one just behind the hand to the one before it. The mark is the counter.
    var keys: KeyList<Sizes>

    mutating func noteUse(of slot: Int) { keys.lists[mark: slot] = min(keys.lists[mark: slot] + 1, Self.maximum) }

    /// Moves the hand to a key whose counter is 0.
    mutating func nextVictim() -> Int? {
        while let slot = keys.lists.last(0), keys.lists[mark: slot] > 0 {
            keys.lists[mark: slot] -= 1
            keys.lists.moveToFirst(slot, of: 0)
        }
        return keys.lists.last(0)
    }
}
