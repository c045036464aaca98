// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Rows of text in columns as wide as their widest cell. The first `leading` columns are aligned to the left, the others to the right.
public struct Table {
    private var rows: [[String]]
    private let leading: Int

    public init(header: [String], leading: Int) {
        rows = [header]
        self.leading = leading
    }

    public mutating func add(_ row: [String]) {
        rows.append(row)
    }

    public var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column < leading ? cell + padding : padding + cell
            }
            return cells.joined(separator: "  ") + "\n"
        }.joined()
    }
}

/// A number with so many digits after the point.
public func decimal(_ value: Double, digits: Int = 1) -> String {
    String(format: "%.\(digits)f", value)
}
