// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Dates of log files, as milliseconds since 1970 in UTC.
enum LogDate {
    /// As in `22/Nov/2026:02:13:31 +0100`.
    static func common(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        let start = range.lowerBound
        guard range.count >= 20, bytes[start + 2] == UInt8(ascii: "/"), bytes[start + 6] == UInt8(ascii: "/"), bytes[start + 11] == UInt8(ascii: ":")
        else {
            return nil
        }
        guard let day = bytes.number(start..<start + 2), let month = month(bytes, start + 3), let year = bytes.number(start + 7..<start + 11) else {
            return nil
        }
        guard let second = second(bytes, start + 12) else { return nil }
        return milliseconds(
            Int(year),
            month,
            Int(day),
            second: second - offset(bytes, bytes.skippingBlanks(from: start + 20, to: range.upperBound), range.upperBound)
        )
    }

    /// As in `2026-11-22T02:13:31.123Z` or `2026-11-22 02:13:31+01:00` (RFC 3339).
    static func iso(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        let start = range.lowerBound
        guard range.count >= 19, bytes[start + 4] == UInt8(ascii: "-"), bytes[start + 7] == UInt8(ascii: "-") else { return nil }
        guard let year = bytes.number(start..<start + 4), let month = bytes.number(start + 5..<start + 7),
            let day = bytes.number(start + 8..<start + 10)
        else {
            return nil
        }
        guard let second = second(bytes, start + 11) else { return nil }
        var (index, fraction, unit) = (start + 19, 0, 100)
        if index < range.upperBound, bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: ",") {
            index += 1
            while bytes.isDigit(index, before: range.upperBound) {
                fraction += Int(bytes[index] &- 0x30) * unit
                unit /= 10
                index += 1
            }
        }
        return milliseconds(Int(year), Int(month), Int(day), second: second - offset(bytes, index, range.upperBound)).map { $0 + UInt64(fraction) }
    }

    /// The second of a day, from `02:13:31`.
    private static func second(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        guard bytes[start + 2] == UInt8(ascii: ":"), bytes[start + 5] == UInt8(ascii: ":") else { return nil }
        guard let hour = bytes.number(start..<start + 2), let minute = bytes.number(start + 3..<start + 5),
            let second = bytes.number(start + 6..<start + 8)
        else {
            return nil
        }
        return Int(hour * 3_600 + minute * 60 + second)
    }

    /// The seconds east of Greenwich, from `+0100` or `+01:00`; 0 for everything else.
    private static func offset(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        guard end - start >= 5, bytes[start] == UInt8(ascii: "+") || bytes[start] == UInt8(ascii: "-") else { return 0 }
        let minuteStart = bytes[start + 3] == UInt8(ascii: ":") ? start + 4 : start + 3
        guard minuteStart + 2 <= end, let hour = bytes.number(start + 1..<start + 3), let minute = bytes.number(minuteStart..<minuteStart + 2) else {
            return 0
        }
        let seconds = Int(hour * 3_600 + minute * 60)
        return bytes[start] == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func month(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        switch (bytes[start], bytes[start + 1], bytes[start + 2]) {
        case (0x4a, 0x61, 0x6e): 1
        case (0x46, 0x65, 0x62): 2
        case (0x4d, 0x61, 0x72): 3
        case (0x41, 0x70, 0x72): 4
        case (0x4d, 0x61, 0x79): 5
        case (0x4a, 0x75, 0x6e): 6
        case (0x4a, 0x75, 0x6c): 7
        case (0x41, 0x75, 0x67): 8
        case (0x53, 0x65, 0x70): 9
        case (0x4f, 0x63, 0x74): 10
        case (0x4e, 0x6f, 0x76): 11
        case (0x44, 0x65, 0x63): 12
        default: nil
        }
    }

    /// By the Gregorian calendar, from 1970 on. Years are counted from March here, so that the leap day comes last.
    private static func milliseconds(_ year: Int, _ month: Int, _ day: Int, second: Int) -> UInt64? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        let years = month > 2 ? year : year - 1
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let days = years * 365 + years / 4 - years / 100 + years / 400 + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
        return UInt64(exactly: (days * 86_400 + second) * 1_000)
    }
}
