// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// How a shard has its part of the limit by weight.
///
/// The limits of all shards and the rest in the pool always add up to the cache's limit, and no shard is ever heavier
/// than its own.
extension EvictionPolicy {
    /// Takes from the pool the weight of the entries beyond the limit, as far as the pool has it.
    mutating func takeWeight() {
        guard let limit = maximumWeight, totalWeight > limit, let weightPool else { return }
        maximumWeight = limit &+ UInt(weightPool.take(upTo: Int(clamping: totalWeight &- limit)))
    }

    /// Gives back the weight that the entries do not use, as far as the limit is beyond three quarters of an equal
    /// part; for the only shard, beyond the whole.
    @usableFromInline mutating func giveBackWeight() {
        guard let limit = maximumWeight, let nominalWeight, let weightPool, !keepsRoom else { return }
        let ownPart = shardCount == 1 ? nominalWeight : nominalWeight &- nominalWeight / 4
        guard limit > ownPart, totalWeight < limit else { return }
        let new = max(ownPart, totalWeight)
        weightPool.add(Int(limit &- new))
        maximumWeight = new
    }

    /// Whether an entry is so heavy that the other shards should make room for it, too: a quarter of an equal part, or more than fits here.
    @usableFromInline func isHeavy(_ weight: Int) -> Bool {
        guard let maximumWeight, let nominalWeight, shardCount > 1 else { return false }
        return UInt(weight) > min(maximumWeight, nominalWeight / 4)
    }

    /// Whether the limit is enough for an entry, if all others leave.
    func canHold(_ weight: Int) -> Bool { UInt(weight) <= maximumWeight ?? .max }

    /// The part of the limit by weight that the entries do not use.
    var unusedWeight: UInt { maximumWeight.map { $0 > totalWeight ? $0 &- totalWeight : 0 } ?? 0 }

    /// Gives a part of the limit away that the entries do not use, and returns it.
    mutating func giveAway(upTo amount: UInt) -> UInt {
        let given = min(amount, unusedWeight)
        if let maximumWeight { self.maximumWeight = maximumWeight &- given }
        return given
    }

    /// Takes over the weight that other shards have given away.
    mutating func grant(_ weight: UInt) {
        if let maximumWeight { self.maximumWeight = maximumWeight &+ weight }
    }

    /// Changes the equal part of the limit by weight.
    mutating func setNominalWeight(_ weight: Int) {
        nominalWeight = UInt(weight)
        tune(tuning)
        giveBackWeight()
    }

    /// The amount by which the limit is beyond an equal part, as far as the pool is overdrawn.
    var overdrawnWeight: UInt {
        guard let maximumWeight, let nominalWeight, let weightPool, maximumWeight > nominalWeight else { return 0 }
        return min(maximumWeight &- nominalWeight, UInt(max(0, -weightPool.rest)))
    }
}
