// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

/// A generator that knows its seed, so that a test that fails can print it.
package struct TestGenerator: RandomNumberGenerator {
    package let seed: UInt64
    private var generator: SeededGenerator

    package init(seed: UInt64 = .random(in: 0 ... .max)) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 { generator.next() }

    /// Bytes, most of them from `alphabet`, so that grammars are met often and broken often.
    package mutating func bytes(upTo count: Int, alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        return (0..<Int.random(in: 0...count, using: &self)).map { _ in
            Int.random(in: 0..<8, using: &self) == 0
                ? UInt8.random(in: 0...255, using: &self) : letters[Int.random(in: 0..<letters.count, using: &self)]
        }
    }
}
