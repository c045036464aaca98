// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A point in time as HTTP writes it: whole seconds, in the years 0 to 9999.
///
/// ``description`` is the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`. All arithmetic is on integers; no locale and no calendar of the
/// system takes part.
///
/// [RFC 9110 §5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)
package struct HTTPDate: Hashable, Sendable {
    static let earliest: Int64 = -62_167_219_200
    static let latest: Int64 = 253_402_300_799

    /// Seconds since the start of 1970, not counting leap seconds. Before 0000-01-01 or after 9999-12-31 there is none.
    package let secondsSince1970: Int64

    /// The date nearest to `seconds` that can be written.
    package init(secondsSince1970 seconds: Int64) {
        self.secondsSince1970 = Swift.min(Swift.max(seconds, Self.earliest), Self.latest)
    }

    /// The last whole second not after `date`.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard !seconds.isNaN else {
            self.init(secondsSince1970: 0)
            return
        }
        self.init(secondsSince1970: Int64(Swift.min(Swift.max(seconds, Double(Self.earliest)), Double(Self.latest))))
    }

    package var date: Date { Date(timeIntervalSince1970: Double(secondsSince1970)) }
}

extension HTTPDate: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.secondsSince1970 < right.secondsSince1970 }
}

extension HTTPDate: CustomStringConvertible {
    /// The preferred form (`IMF-fixdate`), always 29 bytes.
    package var description: String {
        let (days, second) = (secondsSince1970 - Self.earliest).quotientAndRemainder(dividingBy: 86_400)
        let (year, month, day) = CivilDate.yearMonthDay(daysSinceYear0: days)
        // The first day of the year 0 is a Saturday.
        let weekday = (days + 6) % 7
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        bytes += Self.weekdays[Int(weekday)].utf8.prefix(3)
        bytes += ", ".utf8
        bytes.append(decimal: day, width: 2)
        bytes.append(.space)
        bytes += Self.months[Int(month) - 1].utf8
        bytes.append(.space)
        bytes.append(decimal: year, width: 4)
        bytes.append(.space)
        bytes.append(decimal: second / 3_600, width: 2)
        bytes.append(.colon)
        bytes.append(decimal: second / 60 % 60, width: 2)
        bytes.append(.colon)
        bytes.append(decimal: second % 60, width: 2)
        bytes += " GMT".utf8
        return String(decoding: bytes, as: UTF8.self)
    }

    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// The Gregorian calendar, extended to the year 0.
enum CivilDate {
    private static let daysBeforeMonth: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]

    /// The days from the start of the year 0 to a date, or `nil` if there is no such date. The year is in 0...9999.
    static func daysSinceYear0(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (0...9_999).contains(year), (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year: year) else { return nil }
        return daysBefore(year: year) + daysBefore(month: month, year: year) + day - 1
    }

    /// The inverse of ``daysSinceYear0(year:month:day:)``.
    static func yearMonthDay(daysSinceYear0 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var year = days * 400 / 146_097
        if daysBefore(year: year + 1) <= days { year += 1 }
        if daysBefore(year: year) > days { year -= 1 }
        let dayOfYear = days - daysBefore(year: year)
        var month: Int64 = 12
        while daysBefore(month: month, year: year) > dayOfYear { month -= 1 }
        return (year, month, dayOfYear - daysBefore(month: month, year: year) + 1)
    }

    private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The days in the years 0 to `year` - 1. Of these, year 0 is a leap year.
    private static func daysBefore(year: Int64) -> Int64 {
        guard year > 0 else { return 0 }
        let last = year - 1
        return 365 * year + last / 4 - last / 100 + last / 400 + 1
    }

    private static func daysBefore(month: Int64, year: Int64) -> Int64 {
        daysBeforeMonth[Int(month) - 1] + (month > 2 && isLeap(year) ? 1 : 0)
    }

    private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        daysBeforeMonth[Int(month)] - daysBeforeMonth[Int(month) - 1] + (month == 2 && isLeap(year) ? 1 : 0)
    }
}

extension [UInt8] {
    /// Appends the last `width` decimal digits of a number that is not negative.
    fileprivate mutating func append(decimal number: Int64, width: Int) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(0x30 + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
