// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Writes dates in UTC. The text of the last second is kept, for it is used again by the lines that follow.
struct AccessLogCalendar: Sendable {
    private static let months: [StaticString] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private var common: (second: Int, text: [UInt8])?
    private var iso: (second: Int, text: [UInt8])?

    /// As in `22/Nov/2026:02:13:31 +0000`.
    mutating func commonTime(_ time: Double) -> [UInt8] {
        let second = Self.second(time)
        if let common, common.second == second { return common.text }
        let date = Self.parts(second)
        var text: [UInt8] = []
        text.appendPadded(date.day, digits: 2)
        text.append("/")
        text.append(Self.months[date.month - 1])
        text.append("/")
        text.appendPadded(date.year, digits: 4)
        text.append(":")
        Self.appendTime(second, to: &text)
        text.append(" +0000")
        common = (second, text)
        return text
    }

    /// As in `2026-11-22T02:13:31.123Z`: [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339).
    mutating func isoTime(_ time: Double) -> [UInt8] {
        let second = Self.second(time)
        if iso?.second != second {
            let date = Self.parts(second)
            var text: [UInt8] = []
            text.appendPadded(date.year, digits: 4)
            text.append("-")
            text.appendPadded(date.month, digits: 2)
            text.append("-")
            text.appendPadded(date.day, digits: 2)
            text.append("T")
            Self.appendTime(second, to: &text)
            iso = (second, text)
        }
        var text = iso?.text ?? []
        text.append(".")
        text.appendPadded(Int(max(0, min(0.999, time - Double(second))) * 1_000), digits: 3)
        text.append("Z")
        return text
    }

    /// Dates from 1970 to 9999.
    private static func second(_ time: Double) -> Int { Int(min(max(0, time.rounded(.down)), 253_402_300_799)) }

    private static func appendTime(_ second: Int, to text: inout [UInt8]) {
        text.appendPadded(second / 3_600 % 24, digits: 2)
        text.append(":")
        text.appendPadded(second / 60 % 60, digits: 2)
        text.append(":")
        text.appendPadded(second % 60, digits: 2)
    }

    /// The date of a second since 1970, by the Gregorian calendar. Years are counted from March here, so that the leap day comes last.
    private static func parts(_ second: Int) -> (year: Int, month: Int, day: Int) {
        let days = second / 86_400 + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
