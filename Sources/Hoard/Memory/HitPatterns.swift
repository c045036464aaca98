// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Counts which of several caches hit the same accesses.
///
/// A pattern has one bit for each cache. From the counts of all patterns follows, for any two caches, how many accesses only one of them hit.
/// Two memories take in each epoch and fade at different speeds.
struct HitPatterns {
    /// Two caches, compared.
    struct Comparison: Equatable {
        /// The accesses that the cache hit.
        var hits = 0.0
        /// The accesses that either it or the other one hit, but not both.
        var differences = 0.0
    }

    private(set) var new: [Double]
    private(set) var recent: [Double]
    private(set) var long: [Double]

    /// The shares of both memories that an epoch leaves.
    private static let (recentDecay, longDecay) = (0.7, 0.95)

    init(count: Int) {
        new = Array(repeating: 0, count: 1 << count)
        recent = new
        long = new
    }

    mutating func add(_ pattern: Int) { new[pattern] += 1 }

    mutating func endEpoch() {
        for pattern in new.indices {
            recent[pattern] = recent[pattern] * Self.recentDecay + new[pattern]
            long[pattern] = long[pattern] * Self.longDecay + new[pattern]
            new[pattern] = 0
        }
    }

    /// Each cache compared with one of them.
    static func comparisons(in counts: [Double], with other: Int) -> [Comparison] {
        var comparisons = Array(repeating: Comparison(), count: counts.count.trailingZeroBitCount)
        for (pattern, count) in counts.enumerated() where count > 0 {
            let others = pattern >> other & 1
            for cache in comparisons.indices {
                let hit = pattern >> cache & 1
                if hit == 1 { comparisons[cache].hits += count }
                if hit != others { comparisons[cache].differences += count }
            }
        }
        return comparisons
    }
}
