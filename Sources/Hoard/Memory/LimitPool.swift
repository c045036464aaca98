// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The part of a cache's limit, by count or by weight, that no shard has taken yet.
///
/// Hashes spread keys evenly but not exactly. *By count*, each shard begins with three quarters of an equal part of the limit, and when it is
/// full takes one entry after the other from here, for good. So a cache holds as many entries as its limit says, to the last one, though each
/// shard evicts for itself; and no shard ever gets less than three quarters of an equal part. *By weight*, a shard
/// takes the weight that its entries need, and gives back the weight that they leave beyond an equal part: see
/// ``EvictionPolicy/giveBackWeight()``.
@usableFromInline final class LimitPool: Sendable {
    private let available: Atomic<Int>

    @usableFromInline init(_ amount: Int) {
        available = Atomic(amount)
    }

    /// Takes as much as there is, up to `amount`, and returns it.
    @inline(__always)
    func take(upTo amount: Int) -> Int {
        var rest = available.load(ordering: .relaxed)
        while rest > 0, amount > 0 {
            let taken = min(rest, amount)
            let (exchanged, original) = available.weakCompareExchange(expected: rest, desired: rest - taken, ordering: .relaxed)
            if exchanged { return taken }
            rest = original
        }
        return 0
    }

    /// Puts back, or takes even if there is not enough: the part that shards give up for a lower limit may come later.
    func add(_ amount: Int) { available.wrappingAdd(amount, ordering: .relaxed) }

    /// The rest; negative if the shards have more than a limit allows that is being changed.
    var rest: Int { available.load(ordering: .relaxed) }
}
