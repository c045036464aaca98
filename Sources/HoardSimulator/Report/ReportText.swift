// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Numbers as a person reads them.
enum ReportText {
    /// `12,345,678`
    static func grouped(_ number: Int) -> String {
        let digits = Array("\(number.magnitude)")
        let groups = stride(from: digits.count % 3, through: digits.count, by: 3).reduce(into: [String]()) { groups, end in
            if end > 0 { groups.append(String(digits[max(0, end - 3)..<end])) }
        }
        return (number < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// Three digits that count: `0.512`, `4.5`, `12`, `3.2M`.
    static func short(_ value: Double) -> String {
        for (unit, suffix) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")] where value >= unit {
            return digits(value / unit) + suffix
        }
        return digits(value)
    }

    /// A ratio in percent: `12.3 %`
    static func percent(_ ratio: Double) -> String {
        let percent = ratio * 100
        return (percent > 0 && percent < 0.05 ? "< 0.1" : String(format: "%.1f", percent)) + " %"
    }

    /// `512 B`, `1.5 KiB`, `64 MiB`
    static func bytes(_ bytes: Double) -> String {
        for (shift, unit) in [(60.0, "EiB"), (50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")] where bytes >= pow(2, shift) {
            return digits(bytes / pow(2, shift)) + " " + unit
        }
        return digits(bytes) + " B"
    }

    /// Milliseconds in the unit that suits them: `250 ms`, `1.5 min`, `3 d`
    static func duration(_ milliseconds: Double) -> String {
        let unit = durationUnit(upTo: milliseconds)
        return digits(milliseconds / unit.milliseconds) + " " + unit.name
    }

    /// The largest unit of time that is not longer.
    static func durationUnit(upTo milliseconds: Double) -> (milliseconds: Double, name: String) {
        let units: [(milliseconds: Double, name: String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")]
        return units.first { milliseconds >= $0.milliseconds } ?? (milliseconds: 1, name: "ms")
    }

    /// Up to three digits, without zeros at the end.
    private static func digits(_ value: Double) -> String {
        let decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.1 || value == 0 ? 2 : 4
        let text = String(format: "%.\(decimals)f", value)
        guard text.contains(".") else { return text }
        let trimmed = text.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(trimmed.reversed())
    }
}
