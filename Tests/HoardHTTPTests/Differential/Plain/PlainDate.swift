// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTPTestSupport

/// Dates of HTTP as seconds since 1970: RFC 9110 §5.6.7.
enum PlainDate {
    /// The three forms that recipients have to read.
    enum Form: CaseIterable {
        case fixed, rfc850, asctime
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The days from the first of 1970, which was a Thursday.
    private static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    static func text(_ seconds: Int, _ form: Form = .fixed) -> String {
        var day = seconds / 86_400
        let weekday = weekdays[day % 7]
        var year = 1970
        while day >= (isLeap(year) ? 366 : 365) {
            day -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month = 0
        while day >= length(ofMonth: month, year) {
            day -= length(ofMonth: month, year)
            month += 1
        }
        let time = "\(two(seconds / 3600 % 24)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        let name = months[month]
        return switch form {
        case .fixed: "\(weekday.prefix(3)), \(two(day + 1)) \(name) \(year) \(time) GMT"
        case .rfc850: "\(weekday), \(two(day + 1))-\(name)-\(two(year % 100)) \(time) GMT"
        case .asctime: "\(weekday.prefix(3)) \(name) \(day + 1 < 10 ? " \(day + 1)" : "\(day + 1)") \(time) \(year)"
        }
    }

    /// `nil`: it is no date.
    static func seconds(_ text: String?) -> Int? {
        guard let text else { return nil }
        let words = text.split(whereSeparator: { " ,-".contains($0) }).map { String($0) }
        // Weekday, day, month, year, time, zone; or weekday, month, day, time, year.
        if words.count == 6, words[5] == "GMT", let year = Int(words[3]) {
            // A year of two digits is never more than 50 years ahead; all of these are close.
            return seconds(words[1], words[2], words[3].count == 2 ? 2000 + year : year, words[4])
        }
        guard words.count == 5, let year = Int(words[4]) else { return nil }
        return seconds(words[2], words[1], year, words[3])
    }

    private static func seconds(_ day: String, _ month: String, _ year: Int, _ time: String) -> Int? {
        let parts = time.split(separator: ":").compactMap { Int($0) }
        guard let day = Int(day), let month = months.firstIndex(of: month), parts.count == 3, year >= 1970 else { return nil }
        var days = day - 1
        for earlier in 1970..<year { days += isLeap(earlier) ? 366 : 365 }
        for earlier in 0..<month { days += length(ofMonth: earlier, year) }
        return days * 86_400 + parts[0] * 3600 + parts[1] * 60 + parts[2]
    }
}
