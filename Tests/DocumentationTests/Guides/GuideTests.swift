// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The guides and the articles have examples that are run, links that lead to something, and sentences
/// that a reader understands at once.
@Suite struct GuideTests {
    /// The files with examples. Each line of a Swift block is in one of them.
    private static let sources: String = {
        let folder = "Tests/DocumentationTests"
        let guides = (try? Repository.names(in: "\(folder)/Guides")) ?? []
        let files = ["ReadmeTests.swift", "HoardTestingExamples.swift"] + guides.filter { $0.hasSuffix("Examples.swift") }.map { "Guides/\($0)" }
        return files.map { " \(squeezed((try? Repository.text("\(folder)/\($0)")) ?? "")) " }.joined()
    }()

    private static let joinedSources = joined(sources)

    static let guides = pages(in: "docs/guides")

    static let articles = LinkChecker.articles

    @Test("Each line of a Swift block stands in a file of examples, which run", arguments: guides + articles)
    func everyLineIsRun(path: String) throws {
        for block in try MarkdownPage(Repository.text(path)).blocks where block.language == "swift" {
            for (index, line) in block.lines.enumerated() {
                let line = (number: block.line + 1 + index, text: Self.squeezed(line))
                if line.text.isEmpty || line.text.hasPrefix("import ") { continue }
                let isRun = Self.sources.contains(" \(line.text) ") || Self.joinedSources.contains(Self.joined(" \(line.text) "))
                #expect(isRun, "\(path):\(line.number): not in Tests/DocumentationTests/Guides/*Examples.swift: \(line.text)")
            }
        }
    }

    /// The pages that a newcomer to the repository reads first.
    private static let community = ["README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "CHANGELOG.md", "ROADMAP.md"]

    @Test("Each link leads to a file that exists, and to a heading in it", arguments: community + pages(in: "docs") + guides + articles)
    func everyLinkLeadsSomewhere(path: String) throws {
        var checker = LinkChecker()
        for broken in try checker.brokenLinks(of: MarkdownPage(Repository.text(path)), at: path) {
            Issue.record("\(path):\(broken.link.line): \(broken.link.target) \(broken.problem)")
        }
    }

    @Test("No sentence has more than 35 words", arguments: ["README.md"] + guides)
    func sentencesAreShort(path: String) throws {
        for sentence in try MarkdownPage(Repository.text(path)).sentences where sentence.wordCount > 35 {
            Issue.record("\(path):\(sentence.line): \(sentence.wordCount) words: \(sentence.text)")
        }
    }

    @Test("Each row of a table has as many cells as its first", arguments: ["README.md"] + guides + articles)
    func tablesAreWhole(path: String) throws {
        var count = 0
        for row in try MarkdownPage(Repository.text(path)).rows {
            if row.isFirst { count = row.cellCount }
            #expect(row.cellCount == count, "\(path):\(row.line)")
        }
    }

    @Test("The list of guides names each of them once")
    func everyGuideIsListed() throws {
        let targets = try MarkdownPage(Repository.text("docs/guides/README.md")).links.map(\.target)
        for guide in Self.guides.map({ String($0.dropFirst("docs/guides/".count)) }) where guide != "README.md" {
            #expect(targets.count { $0 == guide } == 1, "\(guide)")
        }
    }

    // MARK: Itself

    @Test("A document is read in blocks, passages, links and anchors")
    func aDocumentIsRead() {
        let page = MarkdownPage(
            """
            # One `two` ``th`ree`` four

            A sentence with `two words` and a [link](a.md#b "c"). Another, e.g. this; with 1.5 and
            <https://example.com> and <doc:Article>.

            - An item (see [b](b.md)). ![An image](c.png)
              It goes on.

              ```swift
              let a = 1  // [no](link.md)
              ```
            - Another

                  code [no](link.md)
                  code [no](link.md)

            | a | b |
            | --- | --- |
            | x \\| y | One. Two. [![d](d.svg)](e.md) |

            ## Again
            ## Again
            <a id="here"></a>
            <!-- [no](link.md) -->
            """
        )
        #expect(page.blocks.map(\.language) == ["swift"])
        #expect(page.blocks.map(\.lines) == [["  let a = 1  // [no](link.md)"]])
        #expect(page.links.map(\.target) == ["a.md#b", "doc:Article", "b.md", "c.png", "e.md", "d.svg"])
        #expect(page.links.map(\.line) == [3, 3, 6, 6, 19, 19])
        #expect(page.links.map(\.isImage) == [false, false, false, true, false, true])
        #expect(page.anchors == ["one-two-three-four", "again", "again-1", "here"])
        #expect(page.rows.map(\.cellCount) == [2, 2, 2])
        #expect(
            page.sentences.map(\.text).filter { $0.count > 1 } == [
                "One Code Code four", "A sentence with Code and a link.", "Another, e.g. this; with 1.5 and <https://example.com> and <doc:Article>.",
                "An item (see b).", "It goes on.", "Another", "x \\| y", "One.", "Two.", "Again", "Again",
            ]
        )
        #expect(page.sentences.first { $0.text.hasPrefix("A sentence") }?.wordCount == 7)
    }

    // MARK: Nothing else

    /// The pages of a folder, without those of folders in it.
    private static func pages(in folder: String) -> [String] {
        ((try? Repository.names(in: folder)) ?? []).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }

    /// The text without runs of spaces, so that only the words count.
    private static func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// A squeezed text in which each call is on one line, even if the formatter has put it on several.
    private static func joined(_ text: String) -> String {
        var text = text
        for bracket in [("(", ")"), ("[", "]")] {
            text = text.replacingOccurrences(of: bracket.0 + " ", with: bracket.0)
            text = text.replacingOccurrences(of: ", " + bracket.1, with: bracket.1).replacingOccurrences(of: " " + bracket.1, with: bracket.1)
        }
        return text
    }
}
