// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Lengths of time as a person writes them: `30s`, `5m`, `1h30m`, `250ms`, `7d`. A number alone is in seconds.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// - Returns: `nil` if the text is none, names a unit twice or in another order than from long to short, or is longer than a thousand years.
    package static func duration(_ text: String) -> Duration? {
        if let seconds = number(text[...]) { return seconds <= 31_536_000_000 ? .seconds(seconds) : nil }
        var rest = text[...]
        var allowed = units[...]
        var total: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest[digits.endIndex...]
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest[name.endIndex...]
            guard let count = number(digits), let index = allowed.firstIndex(where: { $0.name == name }) else { return nil }
            let (product, overflows) = count.multipliedReportingOverflow(by: allowed[index].milliseconds)
            let (sum, overflowsToo) = total.addingReportingOverflow(product)
            guard !overflows, !overflowsToo, sum <= 31_536_000_000_000 else { return nil }
            total = sum
            allowed = allowed[(index + 1)...]
        } while !rest.isEmpty
        return .milliseconds(total)
    }

    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
    }

    /// The text of a duration, exact to the millisecond; it reads back as the same.
    package static func text(_ duration: Duration) -> String {
        var rest = duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
        var text = ""
        for unit in units where rest >= unit.milliseconds {
            text += "\(rest / unit.milliseconds)\(unit.name)"
            rest %= unit.milliseconds
        }
        return text.isEmpty ? "0s" : text
    }
}

/// Numbers of bytes as a person writes them: `1000000`, `64K`, `512MiB`, `1G`. Units are powers of 1024.
package enum SizeText {
    package static func byteCount(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let shift = shift(ofUnit: text[digits.endIndex...].lowercased()) else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << shift)
        return overflows ? nil : bytes
    }

    private static func shift(ofUnit unit: String) -> Int? {
        switch unit {
        case "", "b": 0
        case "k", "kb", "kib": 10
        case "m", "mb", "mib": 20
        case "g", "gb", "gib": 30
        case "t", "tb", "tib": 40
        default: nil
        }
    }

    /// The text of a number of bytes, which reads back as the same.
    package static func text(_ byteCount: Int) -> String {
        for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] where byteCount >= 1 << shift && byteCount % (1 << shift) == 0 {
            return "\(byteCount >> shift)\(unit)"
        }
        return "\(byteCount)"
    }
}

/// Which of several names somebody may have meant.
enum Spelling {
    /// The name that differs least from what was written, if it does not differ much.
    static func nearest(to written: String, among names: some Sequence<String>) -> String? {
        let best = names.map { (name: $0, distance: distance(written.lowercased(), $0.lowercased())) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, written.count / 3) else { return nil }
        return best.name
    }

    /// How many letters have to be put in, left out, changed or swapped with their neighbour.
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
