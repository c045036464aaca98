// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A FIFO whose hand goes from the oldest key to the newest, evicts the first one not used since it last passed, and stays there.
/// Unlike CLOCK, it inserts at the head, not at the hand, so newcomers are soon met.
///
/// Zhang, Yang, Yue, Vigfusson, Rashmi: SIEVE is Simpler than LRU, NSDI 2024.
struct SievePolicy<Sizes: SlotSizes>: SlotListPolicy {
    /// The newest key first. The mark is 1 if the key has been used.
    var keys: KeyList<Sizes>
    /// Where to look for the next victim; `nil` stands for the oldest key.
    private var hand: Int?

    init(keys: KeyList<Sizes>) { self.keys = keys }

    mutating func noteUse(of slot: Int) { keys.lists[mark: slot] = 1 }

    /// Moves the hand to a key that has not been used.
    mutating func nextVictim() -> Int? {
        while let candidate = hand ?? keys.lists.last(0) {
            hand = candidate
            if keys.lists[mark: candidate] == 0 { return candidate }
            keys.lists[mark: candidate] = 0
            hand = keys.lists.before(candidate)
        }
        return nil
    }

    mutating func prepareToRemove(_ slot: Int) {
        if hand == slot { hand = keys.lists.before(slot) }
    }
}
