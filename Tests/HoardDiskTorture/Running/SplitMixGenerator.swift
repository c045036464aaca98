// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// SplitMix64: the same numbers for the same seed, on every platform.
///
/// The same algorithm as `SeededGenerator` in HoardTesting, which would bring in SwiftNIO.
struct SplitMixGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// Makes a generator for one part of a campaign, so that a part can be repeated without the parts before it.
    init(seed: UInt64, part: some BinaryInteger) {
        var mixer = SplitMixGenerator(seed: seed ^ (UInt64(truncatingIfNeeded: part) &* 0xd6e8_feb8_6659_fd93))
        state = mixer.next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// `true` in `numerator` of `denominator` cases.
    mutating func chance(_ numerator: Int, in denominator: Int) -> Bool {
        Int.random(in: 0..<denominator, using: &self) < numerator
    }
}
