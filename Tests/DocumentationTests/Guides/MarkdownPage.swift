// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A Markdown document, split into the parts that the tests look at.
struct MarkdownPage {
    /// A fenced block of code.
    struct Block {
        let language: String
        let line: Int
        var lines: [String] = []
    }

    /// A paragraph, an item of a list, a cell of a table or a heading, on one line. Spans of code are the word “Code”.
    struct Passage {
        let line: Int
        let text: String
    }

    /// A row of a table.
    struct Row {
        let line: Int
        let isFirst: Bool
        let cellCount: Int
    }

    struct Link {
        let line: Int
        let target: String
        let isImage: Bool
    }

    private(set) var blocks: [Block] = []
    private(set) var passages: [Passage] = []
    private(set) var rows: [Row] = []
    private(set) var links: [Link] = []

    /// The names by which a link can lead to a heading or to an element with a name.
    private(set) var anchors: Set<String> = []

    private var open: (line: Int, text: String)?

    init(_ text: String) {
        var fence: String?
        var isComment = false
        var (isAfterBlankLine, isIndentedCode) = (true, false)
        var indentationOfItem: Int?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            let number = index + 1
            let words = line.trimmingCharacters(in: .whitespaces)
            let indentation = line.prefix { $0 == " " }.count
            if let marker = fence {
                if words.hasPrefix(marker), words.allSatisfy({ $0 == marker.first }) {
                    fence = nil
                } else {
                    blocks[blocks.count - 1].lines.append(line)
                }
                continue
            }
            if isComment || words.hasPrefix("<!--") {
                isComment = !words.contains("-->")
                close()
                continue
            }
            if words.isEmpty {
                close()
                isAfterBlankLine = true
                continue
            }
            defer { isAfterBlankLine = false }
            if "`~".contains(words.prefix(1)), let match = words.prefixMatch(of: /(```+|~~~+)\s*([A-Za-z0-9+-]*)[^`]*$/) {
                close()
                fence = String(match.output.1)
                blocks.append(Block(language: match.output.2.lowercased(), line: number))
                continue
            }
            if isAfterBlankLine, indentation == 0 { indentationOfItem = nil }
            isIndentedCode = indentation >= 4 + (indentationOfItem ?? 0) && (isIndentedCode || isAfterBlankLine)
            if isIndentedCode { continue }
            if words.hasPrefix("#"), let match = words.prefixMatch(of: /#{1,6}\s+(.*?)\s*#*$/) {
                close()
                addAnchor(ofHeading: String(match.output.1))
                open = (number, String(match.output.1))
                close()
            } else if words.hasPrefix("|") {
                addRow(words, line: number)
            } else if let match = words.prefixMatch(of: /(?:[-*+]|[0-9]+[.)])\s+/) {
                close()
                indentationOfItem = indentation + match.output.count
                open = (number, String(words.dropFirst(match.output.count)))
            } else if words.hasPrefix("<"), words.prefixMatch(of: /<\/?[a-zA-Z][a-zA-Z0-9]*[\s\/>]/) != nil {
                close()
                open = (number, words)
                close()
            } else {
                let text = words.hasPrefix(">") ? words.dropFirst().trimmingCharacters(in: .whitespaces) : words
                open = (open?.line ?? number, (open.map { $0.text + " " } ?? "") + text)
            }
        }
        close()
    }

    /// The sentences of all passages, each with its number of words.
    var sentences: [(line: Int, text: String, wordCount: Int)] {
        passages.flatMap { passage in
            Self.sentences(of: passage.text).map { sentence in
                (passage.line, sentence, sentence.split(separator: " ").count { $0.contains { $0.isLetter || $0.isNumber } })
            }
        }
    }

    /// A point ends a sentence if a small letter does not follow it.
    private static func sentences(of text: String) -> [String] {
        let plain = text.replacing(/!\[[^\]]*\]\([^)]*\)/, with: "")
            .replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }
            .replacing(/<\/?[a-zA-Z][^>:]*>/, with: " ")
        let words = plain.split(whereSeparator: \.isWhitespace)
        var sentences: [[Substring]] = [[]]
        for (index, word) in words.enumerated() {
            sentences[sentences.count - 1].append(word)
            let end = word.reversed().first { !"\"”’)]*_".contains($0) }
            let next = words.dropFirst(index + 1).first?.first { !"\"“‘([*_".contains($0) }
            if let end, let next, ".!?".contains(end), !next.isLowercase, !["e.g.", "i.e.", "vs."].contains(word.lowercased()) {
                sentences.append([])
            }
        }
        return sentences.filter { !$0.isEmpty }.map { $0.joined(separator: " ") }
    }

    /// Ends the passage that is being read.
    private mutating func close() {
        guard let (line, raw) = open else { return }
        open = nil
        let text = Self.withoutSpans(raw)
        passages.append(Passage(line: line, text: text))
        if text.contains("](") {
            for match in text.matches(of: /(!?)\[(?:[^\[\]]|!?\[[^\]]*\](?:\([^)]*\))?)*\]\(\s*<?([^)\s>]+)[^)]*\)/) {
                links.append(Link(line: line, target: String(match.output.2), isImage: !match.output.1.isEmpty))
            }
            for match in text.matches(of: /!\[[^\]]*\]\(([^)\s]+)\)\]\(/) {
                links.append(Link(line: line, target: String(match.output.1), isImage: true))
            }
        }
        if text.hasPrefix("["), let match = text.prefixMatch(of: /\[[^\]]+\]:\s*<?([^\s>]+)/) {
            links.append(Link(line: line, target: String(match.output.1), isImage: false))
        }
        guard text.contains("<") else { return }
        for match in text.matches(of: /<(doc:[^>\s]+)>/) { links.append(Link(line: line, target: String(match.output.1), isImage: false)) }
        for match in text.matches(of: /\b(href|src|srcset)="([^"]+)"/) {
            links.append(Link(line: line, target: String(match.output.2), isImage: match.output.1 != "href"))
        }
        for match in text.matches(of: /<[a-zA-Z][^>]*\b(?:id|name)="([^"]+)"/) { anchors.insert(String(match.output.1)) }
    }

    /// The text with the word “Code” in place of each span of code.
    private static func withoutSpans(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "`") {
            let ticks = rest[start...].prefix { $0 == "`" }
            result += rest[..<start]
            rest = rest[ticks.endIndex...]
            if let end = end(of: ticks, in: rest) {
                result += "Code"
                rest = rest[end...]
            } else {
                result += ticks
            }
        }
        return result + rest
    }

    /// The end of a span of code. It comes after as many backquotes as the span began with.
    private static func end(of ticks: Substring, in text: Substring) -> String.Index? {
        var rest = text
        while let start = rest.firstIndex(of: "`") {
            let run = rest[start...].prefix { $0 == "`" }
            if run == ticks { return run.endIndex }
            rest = rest[run.endIndex...]
        }
        return nil
    }

    private mutating func addRow(_ words: String, line: Int) {
        let isFirst = rows.last.map { $0.line != line - 1 } ?? true
        close()
        var cells = [""]
        var isEscaped = false
        for character in words.dropFirst() {
            if character == "|", !isEscaped { cells.append("") } else { cells[cells.count - 1].append(character) }
            isEscaped = character == "\\" && !isEscaped
        }
        if cells.last?.allSatisfy(\.isWhitespace) == true { cells.removeLast() }
        rows.append(Row(line: line, isFirst: isFirst, cellCount: cells.count))
        for cell in cells where cell.contains(where: { $0.isLetter || $0.isNumber }) {
            open = (line, cell.trimmingCharacters(in: .whitespaces))
            close()
        }
    }

    /// The name that GitHub gives a heading; the second of the same name ends with -1.
    private mutating func addAnchor(ofHeading heading: String) {
        let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.lowercased()
        var anchor = ""
        for character in text {
            if character == " " {
                anchor.append("-")
            } else if character.isLetter || character.isNumber || "-_".contains(character) {
                anchor.append(character)
            }
        }
        var name = anchor
        var count = 0
        while anchors.contains(name) {
            count += 1
            name = "\(anchor)-\(count)"
        }
        anchors.insert(name)
    }
}
