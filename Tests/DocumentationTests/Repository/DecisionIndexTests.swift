// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The index of `docs/decisions.md` leads to every decision.
@Suite struct DecisionIndexTests {
    private let document: ReferenceDocument

    init() throws { document = try ReferenceDocument("docs/decisions.md") }

    /// The numbers of the headings, in their order.
    private var numbers: [Int] {
        document.text.split(separator: "\n").compactMap { $0.firstMatch(of: #/^## (\d+)\. /#).flatMap { Int($0.output.1) } }
    }

    @Test func decisionsAreInTheOrderOfTheirNumbers() {
        #expect(numbers.count >= 117)
        #expect(numbers == Array(Set(numbers)).sorted())
    }

    @Test func eachDecisionIsInTheIndexOnce() {
        let indexed = document.text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^- \[(\d+)\]\(#(\d+)-/).flatMap { $0.output.1 == $0.output.2 ? Int($0.output.1) : nil }
        }
        #expect(indexed.sorted() == numbers)
    }

    @Test func eachLinkLeadsSomewhere() {
        #expect(document.brokenLinks == [])
        let headings = document.text.split(separator: "\n").filter { $0.hasPrefix("#") }
        #expect(Set(headings).count == headings.count)
    }
}
