// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A document in Markdown that names types, draws and links.
struct ReferenceDocument {
    let path: String
    let text: String
    let page: MarkdownPage

    init(_ path: String) throws { self.init(path: path, text: try Repository.text(path)) }

    init(path: String, text: String) {
        self.path = path
        self.text = text
        page = MarkdownPage(text)
    }

    /// The lines of the fenced blocks in a language, block by block.
    func blocks(_ language: String) -> [[String]] { page.blocks.filter { $0.language == language }.map(\.lines) }

    /// The first lines of the boxes with square corners in all drawings.
    var boxes: [Substring] {
        blocks("mermaid").joined().flatMap { line in
            line.matches(of: /\w\["([^"<]+)[^"]*"\]/).map(\.output.1)
        }
    }

    /// The cells of the rows of tables that begin with a name in backquotes.
    var rows: [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The text in backquotes outside of blocks, however it is wrapped.
    var quotedNames: [Substring] {
        var isInside = false
        let prose = text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") { isInside.toggle() }
            return !isInside && !line.hasPrefix("```")
        }
        let names = prose.joined(separator: "\n").matches(of: /`([^`]+)`/).map(\.output.1)
        return names.filter { $0.wholeMatch(of: /[A-Z]\w*(?:\.\w+)*(?:\([\w:]*\))?/) != nil }
    }

    /// The links to a file or a heading that does not exist, each with the problem.
    var brokenLinks: [String] {
        var checker = LinkChecker()
        return checker.brokenLinks(of: page, at: path).map { "\($0.link.target) \($0.problem)" }
    }

    /// A sentence for each name in backquotes that neither the sources nor the repository have.
    func unknownNames(_ names: DeclaredNames) -> [String] {
        quotedNames.filter { !names.has($0) && !Repository.has(String($0)) }.map { "\($0) is not in the sources." }
    }
}
