// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds which of several names an operator may have meant.
enum Spelling {
    /// The name that differs least from the written one, if it does not differ much.
    static func nearest(to written: String, among names: some Sequence<String>) -> String? {
        let best = names.map { (name: $0, distance: distance(written.lowercased(), $0.lowercased())) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, written.count / 3) else { return nil }
        return best.name
    }

    /// The number of letters that have to be put in, left out, changed or swapped with their neighbour.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.unicodeScalars.prefix(64)), Array(right.unicodeScalars.prefix(64)))
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
