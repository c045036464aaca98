// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A table of a report. Its first column names the subject of a row.
struct ReportTable: Sendable {
    var header: [String] = []
    var rows: [[String]]

    /// The markup. All text is escaped.
    var html: String {
        let head = header.map { #"<th scope="col">\#(SVGDrawing.escaped($0))</th>"# }.joined()
        let body = rows.map { row in
            let cells = row.enumerated().map { column, text in
                column == 0 ? #"<th scope="row">\#(SVGDrawing.escaped(text))</th>"# : "<td>\(SVGDrawing.escaped(text))</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        let top = header.isEmpty ? "" : "<thead><tr>\(head)</tr></thead>\n"
        return "<table>\n\(top)<tbody>\n\(body.joined(separator: "\n"))\n</tbody>\n</table>"
    }
}
