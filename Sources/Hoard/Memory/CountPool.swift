// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The part of a cache's limit by count that no shard has taken yet.
///
/// Hashes spread keys evenly but not exactly. Each shard begins with three quarters of an equal part of the limit, and when it is full takes
/// one entry after the other from here, for good. So a cache holds as many entries as its limit says, to the last one, though each shard
/// evicts for itself; and no shard ever gets less than three quarters of an equal part.
@usableFromInline final class CountPool: Sendable {
    private let available: Atomic<Int>

    @usableFromInline init(_ count: Int) {
        available = Atomic(count)
    }

    /// Takes one entry, if there is one left.
    func takeOne() -> Bool {
        var count = available.load(ordering: .relaxed)
        while count > 0 {
            let (exchanged, original) = available.weakCompareExchange(expected: count, desired: count - 1, ordering: .relaxed)
            if exchanged { return true }
            count = original
        }
        return false
    }

    /// Puts entries back, or takes them even if they are not there yet: what shards give up for a lower limit may come later.
    func add(_ count: Int) { available.wrappingAdd(count, ordering: .relaxed) }

    /// The rest; negative if the shards have more than a limit allows that is being changed.
    var count: Int { available.load(ordering: .relaxed) }
}
