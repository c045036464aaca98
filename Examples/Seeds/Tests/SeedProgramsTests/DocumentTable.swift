// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The tables of a document in Markdown.
struct DocumentTable {
    let header: [String]
    let rows: [[String]]

    /// All tables of a text, in their order.
    static func all(in text: String) -> [DocumentTable] {
        var tables: [DocumentTable] = []
        var lines: [[String]] = []
        func end() {
            // The second line is the rule below the header.
            if lines.count > 2 { tables.append(DocumentTable(header: lines[0], rows: Array(lines.dropFirst(2)))) }
            lines = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("|"), line.hasSuffix("|") { lines.append(cells(line)) } else { end() }
        }
        end()
        return tables
    }

    /// The cells of a line. A bar inside of code is no border.
    private static func cells(_ line: Substring) -> [String] {
        var cells = [""]
        var isCode = false
        for character in line.dropFirst().dropLast() {
            if character == "`" { isCode.toggle() }
            if character == "|", !isCode { cells.append("") } else { cells[cells.count - 1].append(character) }
        }
        return cells.map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }

    /// The cells below one of the headings; none if there is no such column.
    func column(_ name: String) -> [String] {
        guard let index = header.firstIndex(of: name) else { return [] }
        return rows.map { $0.indices.contains(index) ? $0[index] : "" }
    }
}

extension String {
    /// The texts in backticks.
    var codeSpans: [String] {
        split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
