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
