// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Random numbers that repeat themselves for one seed. Tests name the seed when they fail.
package struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        // xorshift64*, which must not start at 0.
        if state == 0 { state = 0x2545_F491_4F6C_DD1D }
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    package mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &self) }

    /// True once in `count` times, on average.
    package mutating func once(in count: Int) -> Bool { int(1...count) == 1 }

    package mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[int(0...choices.count - 1)]
    }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }
}
