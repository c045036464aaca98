// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// SplitMix64: the same numbers for the same seed, on every platform.
struct SeededChoices: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameter part: The number of the part that shares the seed with others; each part has choices of its own.
    init(seed: UInt64, part: Int = 0) {
        state = seed ^ (UInt64(truncatingIfNeeded: part) &* 0xd6e8_feb8_6659_fd93)
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
