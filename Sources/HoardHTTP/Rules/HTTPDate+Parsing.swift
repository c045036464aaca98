// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPDate {
    /// Reads a date in any of the three forms that HTTP has had.
    ///
    /// The grammar is kept to the letter (numbers of digits, single spaces, only `GMT`) with two exceptions that cannot change the meaning:
    /// the case of names is ignored, and a weekday need only be a weekday, not the right one. The day must exist in its month.
    /// A leap second, `23:59:60`, counts as the second after it.
    ///
    /// [RFC 9110 §5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)
    ///
    /// - Parameter now: Decides the century of a date with a two-digit year: the latest one that is not more than 50 years ahead of `now`.
    /// - Returns: `nil` if the text is no HTTP date.
    package init?(_ text: some StringProtocol, now: Date) {
        self.init(bytes: Array(text.utf8), now: now)
    }

    /// Reads a date from the bytes of a field value. See ``init(_:now:)``.
    package init?(bytes: [UInt8], now: Date) {
        var cursor = DateCursor(bytes.trimmed)
        let seconds: Int64?
        if let weekday = cursor.name(in: Self.weekdays) {
            // A full weekday begins with its abbreviation.
            let rest = Self.weekdays[weekday].dropFirst(3)
            seconds =
                if cursor.skip(", ") {
                    cursor.fixedDate()
                } else if cursor.skip(" ") {
                    cursor.asctimeDate()
                } else if cursor.skip(String(rest)), cursor.skip(", ") {
                    cursor.rfc850Date(now: now)
                } else {
                    nil
                }
        } else {
            seconds = nil
        }
        guard let seconds, cursor.isAtEnd else { return nil }
        self.init(secondsSince1970: seconds)
    }
}

extension HTTPFields {
    /// The date in a field that may occur once: `nil` if it is absent, is no date, or if several lines contradict each other.
    func date(of name: HTTPField.Name, now: Date) -> HTTPDate? {
        singleLine(of: name).flatMap { HTTPDate(bytes: $0, now: now) }
    }
}

/// Reads the parts of a date from left to right.
private struct DateCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// `06 Nov 1994 08:49:37 GMT`
    mutating func fixedDate() -> Int64? {
        guard let day = number(digits: 2), skip(" "), let month = month(), skip(" "), let year = number(digits: 4), skip(" "),
            let second = secondOfDay(), skip(" gmt")
        else { return nil }
        return Self.seconds(year: year, month: month, day: day, second: second)
    }

    /// `06-Nov-94 08:49:37 GMT`
    mutating func rfc850Date(now: Date) -> Int64? {
        guard let day = number(digits: 2), skip("-"), let month = month(), skip("-"), let shortYear = number(digits: 2), skip(" "),
            let second = secondOfDay(), skip(" gmt")
        else { return nil }
        let nowInSeconds = HTTPDate(now).secondsSince1970
        let today = CivilDate.yearMonthDay(daysSince1970: (nowInSeconds - HTTPDate.earliest) / 86_400 - 719_528)
        let limit = today.year + 50
        var year = limit - (limit + 100 - shortYear) % 100
        // In the last of the years possible, only what lies before this moment of the year is less than 50 years ahead.
        let secondOfToday = (nowInSeconds - HTTPDate.earliest) % 86_400
        if year == limit, (month, day, second) > (today.month, today.day, secondOfToday) { year -= 100 }
        return Self.seconds(year: year, month: month, day: day, second: second)
    }

    /// `Nov  6 08:49:37 1994`
    mutating func asctimeDate() -> Int64? {
        guard let month = month(), skip(" "), let day = skip(" ") ? number(digits: 1) : number(digits: 2), skip(" "),
            let second = secondOfDay(), skip(" "), let year = number(digits: 4)
        else { return nil }
        return Self.seconds(year: year, month: month, day: day, second: second)
    }

    private static func seconds(year: Int64, month: Int64, day: Int64, second: Int64) -> Int64? {
        CivilDate.daysSince1970(year: year, month: month, day: day).map { $0 * 86_400 + second }
    }

    private mutating func month() -> Int64? {
        name(in: HTTPDate.months).map { Int64($0) + 1 }
    }

    /// `08:49:37`
    private mutating func secondOfDay() -> Int64? {
        guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60, skip(":"),
            let second = number(digits: 2), second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// Skips `text`, which is in small letters; its case does not matter.
    mutating func skip(_ text: String) -> Bool {
        guard rest.prefix(text.utf8.count).equalsIgnoringCase(text) else { return false }
        rest.removeFirst(text.utf8.count)
        return true
    }

    /// Skips the first three letters of one of the names and returns its position in the list.
    mutating func name(in names: [String]) -> Int? {
        let letters = rest.prefix(3)
        guard letters.count == 3,
            let index = names.firstIndex(where: { zip($0.utf8, letters).allSatisfy { $0.lowercased == $1.lowercased } })
        else { return nil }
        rest.removeFirst(3)
        return index
    }

    private mutating func number(digits: Int) -> Int64? {
        let digitBytes = rest.prefix(digits)
        guard digitBytes.count == digits, let number = DeltaSeconds.parse(digitBytes) else { return nil }
        rest.removeFirst(digits)
        return number
    }
}
