// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct ExactTextTests {
    @Test func onlyTheSameBytesAreEqual() {
        let texts = ["", "a", "=a", "%", "%25", "Zo\u{EB}", "Zoe\u{308}", "Zo%c3%ab", "%Zo%c3%ab", "=Zo%c3%ab", "\0", "a\0"]
        #expect(Set(texts.map { ExactText($0) }).count == texts.count)
        #expect(Set(texts.map { ExactText($0).label }).count == texts.count)
        #expect(ExactText("Zo\u{EB}") == ExactText("Zo" + "\u{EB}"))
        #expect(ExactText("Zo\u{EB}").label == "Zo%C3%AB")
    }

    @Test func labelsOfDifferentTextsDiffer() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var textsOfLabels: [String: ExactText] = [:]
        for _ in 0..<5_000 {
            let scalars = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
                ["%", "c", "3", "a", "9", "e", "\u{E9}", "\u{301}", "="].randomElement(using: &generator)
            }
            let text = ExactText(scalars.joined())
            #expect(textsOfLabels[text.label, default: text] == text, "seed \(seed)")
            textsOfLabels[text.label] = text
        }
    }
}
