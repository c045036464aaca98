// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Reads for callers that know a key's hash and can recognise the key, but have not created it.
extension Cache {
    /// The value of a key, if there is one that does not expire soon. Counts as a use and as a hit; if there is none, nothing is counted.
    ///
    /// - Parameters:
    ///   - hashValue: The key's `hashValue`. Not for keys that the cache hashes by itself, which are integers and strings.
    ///   - isMatch: Whether a key is the one meant. Called under the cache's lock.
    /// - Complexity: O(1).
    @inlinable @inline(__always)
    package func valueIfPresent(hashValue: Int, where isMatch: (Key) -> Bool) -> Value? {
        let hash = hasher.mix(UInt64(truncatingIfNeeded: hashValue))
        let now = usesTimes.load(ordering: .relaxed) ? clock.coarse() : .min
        let lag = lag
        var mustTune = false
        let value = cells.withShard(for: hash) { shard -> Value? in
            guard let value = shard.readIfPresent(hash: hash, now: now, lag: lag, where: isMatch) else { return nil }
            if shard.isNoted(hash) { mustTune = shard.note(hash, .hit) }
            return value
        }
        if mustTune { tune(hash) }
        return value
    }
}

extension Shard {
    /// Looks a key up that has been hashed already, and counts a use if there is a value that is far from its end.
    @inlinable @inline(__always)
    mutating func readIfPresent(hash: UInt64, now: Int64, lag: Int64, where isMatch: (Key) -> Bool) -> Value? {
        let slot = table.slots.find(UInt32(truncatingIfNeeded: hash)) { isMatch(table.keyPointer($0).pointee) }
        guard slot != .none else { return nil }
        var flags = table.slots.flags(of: slot)
        if isSpecial(flags, now: now, lag: lag) {
            // This may mark the entry.
            moveHorizon(now)
            flags = table.slots.flags(of: slot)
            let deadline = table.slots.deadline(of: slot)
            guard !flags.isNegative, rules.accessLifetime == 0, deadline > now, deadline &- now >= lag else { return nil }
        }
        table.slots.countUse(of: slot, flags)
        hits &+= 1
        return table.value(at: slot)
    }
}
