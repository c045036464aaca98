// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension AccessLogFormat {
    /// The parts of a line from the date to the bytes.
    struct Parts {
        let dateStart: Int
        let time: UInt64
        let request: Range<Int>
        let status: UInt64?
        let byteCount: UInt64?
        /// The place behind the bytes.
        let end: Int
    }

    /// Dates are not longer.
    private static let longestDate = 40

    /// The parts of a line; `nil` if it does not fit. A user's name may have spaces and brackets, even with a date in them, so that the first date
    /// counts behind which the rest fits.
    static func parts(_ line: Span<UInt8>, _ end: Int) -> Parts? {
        var index = 0
        while let bracket = line.firstIndex(of: UInt8(ascii: "["), from: index, to: end) {
            index = bracket + 1
            if let parts = parts(line, dateStart: index, end) { return parts }
        }
        return nil
    }

    private static func parts(_ line: Span<UInt8>, dateStart: Int, _ end: Int) -> Parts? {
        guard line.isDigit(dateStart, before: end),
            let dateEnd = line.firstIndex(of: UInt8(ascii: "]"), from: dateStart, to: min(end, dateStart + longestDate)),
            let time = LogDate.common(line, dateStart..<dateEnd)
        else {
            return nil
        }
        let quote = line.skippingBlanks(from: dateEnd + 1, to: end)
        guard quote < end, line[quote] == UInt8(ascii: "\""), let requestEnd = closingQuote(line, from: quote + 1, to: end) else { return nil }
        let statusStart = line.skippingBlanks(from: requestEnd + 1, to: end)
        let statusEnd = wordEnd(line, from: statusStart, to: end)
        let sizeStart = line.skippingBlanks(from: statusEnd, to: end)
        let sizeEnd = wordEnd(line, from: sizeStart, to: end)
        let (status, byteCount) = (line.number(statusStart..<statusEnd), line.number(sizeStart..<sizeEnd))
        guard status != nil || line.equals(statusStart..<statusEnd, "-") else { return nil }
        guard byteCount != nil || line.equals(sizeStart..<sizeEnd, "-") else { return nil }
        return Parts(dateStart: dateStart, time: time, request: quote + 1..<requestEnd, status: status, byteCount: byteCount, end: sizeEnd)
    }

    /// The place of the quotation mark that ends a text. Those inside it follow a backslash.
    static func closingQuote(_ line: Span<UInt8>, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            switch line[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    static func wordEnd(_ line: Span<UInt8>, from start: Int, to end: Int) -> Int {
        line.firstIndex(of: 0x20, from: start, to: end) ?? end
    }
}
