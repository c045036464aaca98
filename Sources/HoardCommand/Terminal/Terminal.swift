// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Standard error, for text that a person reads: messages, tables, progress. Standard output carries results only.
enum Terminal {
    /// Whether standard error is a terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line to standard error.
    static func say(_ line: String) {
        write(line + "\n")
    }

    /// Writes text to standard error as it is. If standard error is closed or full, the text is lost.
    static func write(_ text: String) {
        Array(text.utf8).withUnsafeBytes { bytes in
            try? FileOutput.writeAll(bytes, to: STDERR_FILENO, name: "standard error", waits: false)
        }
    }
}

/// Rows of text in columns as wide as their widest cell.
struct TextTable {
    enum Alignment { case left, right }

    private let alignments: [Alignment]
    private var rows: [[String]]

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.alignments = columns.map(\.alignment)
        self.rows = [columns.map(\.title)]
    }

    mutating func append(_ row: [String]) {
        rows.append(row.map(printable))
    }

    /// The table, a line for each row, titles first.
    var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = alignments.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return alignments[column] == .left ? row[column] + padding : padding + row[column]
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// The text with control characters made visible, so that stored data cannot drive the reader's terminal.
func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control || $0.properties.generalCategory == .format }) else {
        return text
    }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
        switch scalar.properties.generalCategory {
        case .control, .format: result += "\\u{\(String(scalar.value, radix: 16))}"
        default: result.unicodeScalars.append(scalar)
        }
    }
}
