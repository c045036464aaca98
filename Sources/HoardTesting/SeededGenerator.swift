// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// SplitMix64: a small, fast random number generator that gives the same numbers for the same seed, on every platform.
///
/// For tests that must be repeatable, not for secrets.
///
/// ```swift
/// let seed = UInt64.random(in: .min ... .max)
/// var generator = SeededGenerator(seed: seed)
/// let key = Int.random(in: 0..<100, using: &generator)
/// #expect(cache.value(forKey: key) == model[key], "seed \(seed)")
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. Every seed is as good as any other.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next of 2⁶⁴ equally likely numbers. O(1).
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
