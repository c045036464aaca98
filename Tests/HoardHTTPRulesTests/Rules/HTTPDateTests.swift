// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct HTTPDateTests {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Sun Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248),
            ("Mon, 11 Jan 2038 11:11:11 GMT", 2_146_821_071),
            ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ] as [(String, Int64)]
    )
    func readsAllThreeForms(text: String, seconds: Int64) {
        #expect(HTTPDate(text, now: newYear2026)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        "THU, 18 Aug 2050 02:01:18 GMT", "Thu, 18 AUG 2050 02:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 gMT", "thu, 18 aug 2050 02:01:18 gmt",
        "Thursday, 18-Aug-50 02:01:18 GMT", "tHURSDAY, 18-aUG-50 02:01:18 gmt", "Thu Aug 18 02:01:18 2050", "  Thu, 18 Aug 2050 02:01:18 GMT\t",
    ])
    func ignoresTheCaseOfNamesAndSpacesAround(text: String) {
        #expect(HTTPDate(text, now: newYear2026)?.secondsSince1970 == 2_544_400_878)
    }

    @Test func acceptsAWeekdayThatIsNotThatDays() {
        #expect(HTTPDate("Thu Aug  8 02:01:18 2050", now: newYear2026)?.secondsSince1970 == 2_543_536_878)
        #expect(HTTPDate("Mon, 18 Aug 2050 02:01:18 GMT", now: newYear2026)?.secondsSince1970 == 2_544_400_878)
    }

    @Test(arguments: [
        "", " ", "0", "-1", "foo", "3600", "Thu", "Thu,", "GMT",
        "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug 2050 02:01:18 G",
        "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 2050 02:01:18GMT", "Thu, 18 Aug 2050 02:01:18 GMT0", "Thu, 18 Aug 2050 02:01:18 GMT, x",
        "Thu, 18  Aug  2050 02:01:18 GMT", "Thu,  18 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 2050  02:01:18 GMT", "Thu,18 Aug 2050 02:01:18 GMT",
        "Thu, 18-Aug-2050 02:01:18 GMT", "Thu, 18-Aug-50 02:01:18 GMT", "Thursday, 18 Aug 2050 02:01:18 GMT", "Thursday, 18-Aug-2050 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "18 Aug 2050 02:01:18 GMT", "Thr, 18 Aug 2050 02:01:18 GMT", "Thurs, 18 Aug 2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:1:18 GMT", "Thu, 18 Aug 2050 02:01:8 GMT",
        "Thu, 18 Aug 2050 02:01 GMT", "Thu, 8 Aug 2050 02:01:18 GMT", "Thu, 18 Aug 50 02:01:18 GMT", "Thu, 18 Aug 02050 02:01:18 GMT",
        "Thu, 18 August 2050 02:01:18 GMT", "Thu, 18 08 2050 02:01:18 GMT", "Thu, +8 Aug 2050 02:01:18 GMT", "Thu, 18 Aug -050 02:01:18 GMT",
        "Thu, 00 Aug 2050 02:01:18 GMT", "Thu, 32 Aug 2050 02:01:18 GMT", "Thu, 31 Sep 2050 02:01:18 GMT", "Thu, 30 Feb 2050 02:01:18 GMT",
        "Thu, 29 Feb 2050 02:01:18 GMT", "Thu, 29 Feb 1900 02:01:18 GMT", "Thu, 18 Aug 2050 24:00:00 GMT", "Thu, 18 Aug 2050 02:60:18 GMT",
        "Thu, 18 Aug 2050 02:01:61 GMT", "Thu Aug 8 02:01:18 2050", "Thu Aug 08  02:01:18 2050", "Thu Aug  8 02:01:18 50",
        "Thu Aug  8 02:01:18 2050 GMT",
        "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT", "\"Thu, 18 Aug 2050 02:01:18 GMT\"", "Thü, 18 Aug 2050 02:01:18 GMT",
        "99999999999999999999999999", "Thu, 18 Aug 99999999999999999999 02:01:18 GMT",
    ])
    func rejects(text: String) {
        #expect(HTTPDate(text, now: newYear2026) == nil)
    }

    @Test func countsALeapSecondAsTheNext() {
        #expect(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT", now: newYear2026)?.description == "Sun, 01 Jan 2017 00:00:00 GMT")
        #expect(HTTPDate("Fri, 31 Dec 9999 23:59:60 GMT", now: newYear2026)?.description == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    /// RFC 9110 §5.6.7: a date that appears to be more than 50 years ahead lies in the past.
    @Test(
        arguments: [
            ("Thursday, 01-Jan-26 00:00:00 GMT", "2026"),
            ("Wednesday, 01-Jan-75 00:00:00 GMT", "2075"),
            ("Wednesday, 01-Jan-76 00:00:00 GMT", "2076"),
            ("Thursday, 01-Jan-76 00:00:01 GMT", "1976"),
            ("Friday, 02-Jan-76 00:00:00 GMT", "1976"),
            ("Saturday, 01-Jan-77 00:00:00 GMT", "1977"),
            ("Friday, 31-Dec-99 23:59:59 GMT", "1999"),
            ("Saturday, 01-Jan-00 00:00:00 GMT", "2000"),
        ] as [(String, String)]
    )
    func choosesTheCenturyOfATwoDigitYear(text: String, year: String) {
        #expect(HTTPDate(text, now: newYear2026)?.description.split(separator: " ")[3] == Substring(year))
    }

    @Test func choosesTheCenturyByTheGivenTimeAndNotByTheClock() {
        let text = "Thursday, 01-Jan-10 00:00:00 GMT"
        #expect(HTTPDate(text, now: Date(timeIntervalSince1970: 3_944_678_400))?.description == "Wed, 01 Jan 2110 00:00:00 GMT")
        #expect(HTTPDate(text, now: Date(timeIntervalSince1970: -2_000_000_000))?.description == "Sat, 01 Jan 1910 00:00:00 GMT")
        #expect(HTTPDate(text, now: Date(timeIntervalSince1970: -.greatestFiniteMagnitude))?.description == "Fri, 01 Jan 0010 00:00:00 GMT")
        #expect(HTTPDate(text, now: Date(timeIntervalSince1970: .infinity)) == nil)
    }

    @Test func judgesLeapDaysInTheChosenCentury() {
        #expect(HTTPDate("Tuesday, 29-Feb-00 00:00:00 GMT", now: newYear2026)?.description == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate("Monday, 29-Feb-00 00:00:00 GMT", now: Date(timeIntervalSince1970: -2_000_000_000)) == nil)
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_767_225_600, "Thu, 01 Jan 2026 00:00:00 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)]
    )
    func writesThePreferredForm(seconds: Int64, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).description == text)
    }

    @Test func roundsDatesDownAndKeepsWithinItsRange() {
        #expect(HTTPDate(Date(timeIntervalSince1970: 1.9)).secondsSince1970 == 1)
        #expect(HTTPDate(Date(timeIntervalSince1970: -0.1)).secondsSince1970 == -1)
        #expect(HTTPDate(Date(timeIntervalSince1970: .infinity)).secondsSince1970 == 253_402_300_799)
        #expect(HTTPDate(Date(timeIntervalSince1970: -.infinity)).secondsSince1970 == -62_167_219_200)
        #expect(HTTPDate(Date(timeIntervalSince1970: .nan)).secondsSince1970 == 0)
        #expect(HTTPDate(secondsSince1970: 5).date == Date(timeIntervalSince1970: 5))
        #expect(HTTPDate(secondsSince1970: 5) < HTTPDate(secondsSince1970: 6))
    }

    @Test func readsBackEveryDateItWrites() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let date = HTTPDate(secondsSince1970: .random(in: -62_167_219_200...253_402_300_799, using: &generator))
            #expect(HTTPDate(date.description, now: newYear2026) == date, "seed \(generator.seed)")
        }
    }

    @Test func goesFromDayToDayInEveryMonthOfFourCenturies() throws {
        for year in 1_800..<2_200 {
            for month in 0..<12 {
                let name = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][month]
                let first = try #require(HTTPDate("Mon, 01 \(name) \(year) 00:00:00 GMT", now: newYear2026))
                let dayBefore = HTTPDate(secondsSince1970: first.secondsSince1970 - 86_400)
                let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
                let lastDay = [31, 31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30][month]
                #expect(first.description.contains(", 01 \(name) \(year) "))
                #expect(dayBefore.description.contains(", \(lastDay) "), "\(dayBefore)")
                #expect(HTTPDate(dayBefore.description, now: newYear2026) == dayBefore)
            }
        }
    }

    @Test func agreesWithTheCalendarOfFoundation() throws {
        var generator = TestGenerator()
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for _ in 0..<500 {
            // Foundation's calendar is Julian before 1582.
            let date = HTTPDate(secondsSince1970: .random(in: -12_000_000_000...253_402_300_799, using: &generator))
            let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: date.date)
            let text = date.description
            #expect(Int(text.split(separator: " ")[3]) == parts.year, "seed \(generator.seed)")
            #expect(Int(text.split(separator: " ")[1]) == parts.day, "seed \(generator.seed)")
            let weekday = try #require(parts.weekday)
            #expect(text.hasPrefix(["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday - 1]), "seed \(generator.seed)")
        }
    }

    @Test func survivesRandomText() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            let bytes = generator.bytes(upTo: 36, alphabet: "Sun, 06 Nov 1994 08:49:37 GMT-day")
            if let date = HTTPDate(bytes: bytes, now: newYear2026) {
                #expect(HTTPDate(date.description, now: newYear2026) == date, "seed \(generator.seed)")
            }
        }
    }

    @Test func survivesDamagedDates() {
        var generator = TestGenerator()
        let forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        for _ in 0..<5_000 {
            var bytes = Array(forms[Int.random(in: 0..<3, using: &generator)].utf8)
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            let original = bytes[index]
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
            let isStructure = original == UInt8(ascii: ":") || original == UInt8(ascii: ",") || original == UInt8(ascii: "-")
            if isStructure, bytes[index] != original {
                #expect(HTTPDate(bytes: bytes, now: newYear2026) == nil, "seed \(generator.seed)")
            }
        }
    }
}
