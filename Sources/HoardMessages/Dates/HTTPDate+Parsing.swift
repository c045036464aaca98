// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPDate {
    /// Reads a date in any of the three forms that HTTP has had.
    ///
    /// The grammar is kept to the letter (numbers of digits, single spaces, only `GMT`), with two exceptions that cannot change the meaning. The case
    /// of names is ignored, and a weekday need not be the right one. The day must exist in its month. A leap second, `23:59:60`, counts as the second
    /// after it.
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
        guard let weekday = cursor.name(in: DateCursor.weekdays) else { return nil }
        let seconds: Int64? =
            if cursor.skip(.comma) {
                cursor.skip(.space) ? cursor.fixedDate() : nil
            } else if cursor.skip(.space) {
                cursor.asctimeDate()
            } else {
                // A full weekday begins with its abbreviation.
                cursor.skip(Self.weekdays[weekday].dropFirst(3)) && cursor.skip(.comma) && cursor.skip(.space) ? cursor.rfc850Date(now: now) : nil
            }
        guard let seconds, cursor.isAtEnd else { return nil }
        self.init(secondsSince1970: seconds)
    }
}

extension HTTPFields {
    /// The date in a field that may occur once: `nil` if it is absent, is no date, or if several lines contradict each other.
    package func date(of name: HTTPField.Name, now: Date) -> HTTPDate? {
        singleLine(of: name).flatMap { HTTPDate(bytes: $0, now: now) }
    }
}

/// Reads the parts of a date from left to right.
private struct DateCursor {
    static let weekdays = HTTPDate.weekdays.map { ThreeLetters($0) }
    private static let months = HTTPDate.months.map { ThreeLetters($0) }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        self.position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// `06 Nov 1994 08:49:37 GMT`
    mutating func fixedDate() -> Int64? {
        guard let day = number(digits: 2), skip(.space), let month = month(), skip(.space), let year = number(digits: 4), skip(.space),
            let second = secondOfDay(), skip(" gmt")
        else { return nil }
        return Self.seconds(year: year, month: month, day: day, second: second)
    }

    /// `06-Nov-94 08:49:37 GMT`
    mutating func rfc850Date(now: Date) -> Int64? {
        guard let day = number(digits: 2), skip(.hyphen), let month = month(), skip(.hyphen), let shortYear = number(digits: 2), skip(.space),
            let second = secondOfDay(), skip(" gmt")
        else { return nil }
        let sinceYear0 = HTTPDate(now).secondsSince1970 - HTTPDate.earliest
        let today = CivilDate.yearMonthDay(daysSinceYear0: sinceYear0 / 86_400)
        let limit = today.year + 50
        var year = limit - (limit + 100 - shortYear) % 100
        // In the last of the years possible, only a date before this moment of the year is less than 50 years ahead.
        if year == limit, (month, day, second) > (today.month, today.day, sinceYear0 % 86_400) { year -= 100 }
        return Self.seconds(year: year, month: month, day: day, second: second)
    }

    /// `Nov  6 08:49:37 1994`
    mutating func asctimeDate() -> Int64? {
        guard let month = month(), skip(.space), let day = skip(.space) ? number(digits: 1) : number(digits: 2), skip(.space),
            let second = secondOfDay(), skip(.space), let year = number(digits: 4)
        else { return nil }
        return Self.seconds(year: year, month: month, day: day, second: second)
    }

    private static func seconds(year: Int64, month: Int64, day: Int64, second: Int64) -> Int64? {
        CivilDate.daysSinceYear0(year: year, month: month, day: day).map { $0 * 86_400 + second + HTTPDate.earliest }
    }

    private mutating func month() -> Int64? {
        name(in: Self.months).map { Int64($0) + 1 }
    }

    /// `08:49:37`
    private mutating func secondOfDay() -> Int64? {
        guard let hour = number(digits: 2), hour < 24, skip(.colon), let minute = number(digits: 2), minute < 60, skip(.colon),
            let second = number(digits: 2), second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.endIndex, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips `text`, which is in small letters; its case in the date does not matter.
    mutating func skip(_ text: some StringProtocol) -> Bool {
        for byte in text.utf8 {
            guard position < bytes.endIndex, bytes[position].lowercased == byte else { return false }
            position += 1
        }
        return true
    }

    /// Skips one of the names and returns its place in the list.
    mutating func name(in names: [ThreeLetters]) -> Int? {
        guard bytes.endIndex - position >= 3 else { return nil }
        let letters = ThreeLetters(bytes[position], bytes[position + 1], bytes[position + 2])
        position += 3
        return names.firstIndex(of: letters)
    }

    private mutating func number(digits: Int) -> Int64? {
        guard bytes.endIndex - position >= digits else { return nil }
        var number: Int64 = 0
        for _ in 0..<digits {
            guard bytes[position].isDigit else { return nil }
            number = number * 10 + Int64(bytes[position] - 0x30)
            position += 1
        }
        return number
    }
}

/// The abbreviation of a weekday or a month, without regard to case.
private struct ThreeLetters: Equatable {
    private let packed: UInt32

    init(_ first: UInt8, _ second: UInt8, _ third: UInt8) {
        packed = UInt32(first.lowercased) << 16 | UInt32(second.lowercased) << 8 | UInt32(third.lowercased)
    }

    /// The first three letters of a name in ASCII.
    init(_ name: String) {
        packed = name.utf8.prefix(3).reduce(0) { $0 << 8 | UInt32($1.lowercased) }
    }
}
