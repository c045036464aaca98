// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A document in Markdown that names types, draws and links.
struct ReferenceDocument {
    let path: String
    let text: String

    init(_ path: String) throws { self.init(path: path, text: try Repository.text(path)) }

    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// The lines of the fenced blocks in a language, block by block.
    func blocks(_ language: String) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```\(language)" {
                blocks.append([])
                isInside = true
            } else if line.hasPrefix("```") {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }

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

    /// The fragments by which its headings are linked to, as GitHub makes them.
    var fragments: [String] {
        text.split(separator: "\n").filter { $0.firstMatch(of: #/^#+ /#) != nil }.map { line in
            Self.fragment(of: line.drop { $0 == "#" }.dropFirst())
        }
    }

    static func fragment(of heading: some StringProtocol) -> String {
        String(heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }.map { $0 == " " ? "-" : $0 })
    }

    /// A sentence for each link to a file or a heading that is not there.
    var brokenLinks: [String] {
        let targets = text.matches(of: /\]\(([^)\s]+)\)/).map(\.output.1).filter { !$0.hasPrefix("https://") }
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        var known = [path: Set(fragments)]
        return targets.compactMap { target in
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file = parts[0].isEmpty ? path : "\(folder)/\(parts[0])"
            guard parts[0].isEmpty || Repository.has(file) else { return "\(target) leads to no file." }
            guard parts.count > 1 else { return nil }
            if known[file] == nil { known[file] = (try? ReferenceDocument(file)).map { Set($0.fragments) } ?? [] }
            return known[file]?.contains(String(parts[1])) == true ? nil : "\(target) leads to no heading."
        }
    }

    /// A sentence for each name in backquotes that neither the sources nor the repository have.
    func unknownNames(_ names: DeclaredNames) -> [String] {
        quotedNames.filter { !names.has($0) && !Repository.has(String($0)) }.map { "\($0) is not in the sources." }
    }
}
