// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

@Suite struct CanonicalFormTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: SpellingProgram.rows) func spellingsHaveTheSameBytes(row: [String]) {
        #expect(Set(row.map { bytes($0.canonicalForm) }).count == 1)
        #expect(row.allSatisfy { $0.canonicalForm == $0 && $0.decomposedForm == $0 })
        #expect(Set(row.map { bytes($0.decomposedForm) }).count == 1)
    }

    @Test(arguments: ["", "plain", "gr\u{F6}\u{DF}er", "\u{E9}", "\u{1F469}\u{200D}\u{1F4BB}", "\u{0}", "\r\n", "\u{D7A3}"])
    func whatIsInTheFormStaysAsItIs(text: String) {
        #expect(bytes(text.canonicalForm) == bytes(text))
    }

    /// Compares with Foundation, which has its own implementation and is the one that Apple's systems use here.
    @Test func anyTextsHaveTheSameFormIfAndOnlyIfTheyAreEqual() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let scalars: [Unicode.Scalar] = [
            "a", "e", "A", "K", ";", "\u{E9}", "\u{C5}", "\u{212B}", "\u{212A}", "\u{301}", "\u{307}", "\u{323}", "\u{30A}", "\u{338}", "\u{1EA1}",
            "\u{1100}",
            "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{37E}", "\u{3A9}", "\u{2126}", "\u{0}", "\u{1F469}", "\u{FB01}", "\u{F900}",
            "\u{0F73}", "\u{1D15E}",
        ]
        func text() -> String {
            String(
                String.UnicodeScalarView((0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in scalars.randomElement(using: &generator) })
            )
        }
        for _ in 0..<20_000 {
            let (left, right) = (text(), text())
            #expect((bytes(left.canonicalForm) == bytes(right.canonicalForm)) == (left == right), "seed \(seed): \(bytes(left)), \(bytes(right))")
            let forms = [left, right].map { bytes($0.decomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping) }
            if left == right { #expect(forms[0] == forms[1], "seed \(seed): \(bytes(left)), \(bytes(right))") }
            // Swift takes this vowel sign for the beginning of a character, and does not move
            // marks that belong before it.
            if !left.unicodeScalars.contains("\u{0F73}") { #expect(bytes(left.canonicalForm) == forms[0], "seed \(seed): \(bytes(left))") }
            #expect(bytes(left.decomposedForm) == bytes(left.decomposedStringWithCanonicalMapping), "seed \(seed): \(bytes(left))")
        }
    }
}
