// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// `docs/glossary.md` has each word once, with the place where it occurs.
@Suite struct GlossaryTests {
    private let document: ReferenceDocument

    init() throws { document = try ReferenceDocument("docs/glossary.md") }

    /// The texts of the entries, each on one line.
    private var entries: [Substring] {
        let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
        let joined = lines.map { $0.hasPrefix("  ") ? $0.dropFirst() : "\n" + $0 }.joined()
        return joined.split(separator: "\n").filter { $0.hasPrefix("- **") }
    }

    @Test func eachTermIsThereOnce() {
        let terms = entries.flatMap { entry in
            entry.prefix { $0 != ":" }.matches(of: /\*\*([^*]+)\*\*/).map { String($0.output.1) }
        }
        #expect(terms.count >= 120)
        #expect(Dictionary(grouping: terms) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test func eachTermSaysWhereItOccurs() {
        #expect(entries.filter { $0.firstMatch(of: /\*See:\* \S/) == nil } == [])
    }

    @Test func eachNameAndEachLinkLeadsSomewhere() throws {
        #expect(document.unknownNames(try DeclaredNames.ofSources.get()) == [])
        #expect(document.brokenLinks == [])
    }
}
