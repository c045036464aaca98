// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Finds the requests in the text of an access trace. The text may be cut anywhere, also within a number.
///
/// A line is a decimal key, which may be followed by blanks and a decimal size. The size is not used.
/// Blank lines and lines that begin with `#` are skipped. Lines end with a line feed, which a carriage return may precede.
struct AccessTraceParser {
    /// A line that is not a request.
    struct Malformed: Error {
        let line: Int
        let fault: String
    }

    private enum Place { case beforeKey, inKey, afterKey, inSize, afterSize, afterReturn, inComment }

    private var place = Place.beforeKey
    private var key: UInt64 = 0
    /// Whether the current line has a key.
    private var hasKey = false
    /// The line the parser is in, counted from 1.
    private(set) var line = 1

    private static let expectation = "expected a decimal key, which a size may follow, but found"

    /// Reads on, and appends the requests of the lines that ended.
    mutating func parse(_ text: ArraySlice<UInt8>, into requests: inout [AccessRequest]) throws(Malformed) {
        for byte in text {
            switch (place, byte) {
            case (.inKey, UInt8(ascii: "0")...UInt8(ascii: "9")), (.beforeKey, UInt8(ascii: "0")...UInt8(ascii: "9")):
                try append(digit: byte - UInt8(ascii: "0"))
            case (_, UInt8(ascii: "\n")):
                finishLine(into: &requests)
                line += 1
            case (.inComment, _): break
            case (.beforeKey, UInt8(ascii: "#")) where !hasKey: place = .inComment
            case (.afterKey, UInt8(ascii: "0")...UInt8(ascii: "9")), (.inSize, UInt8(ascii: "0")...UInt8(ascii: "9")):
                place = .inSize
            case (.beforeKey, UInt8(ascii: " ")), (.beforeKey, UInt8(ascii: "\t")): break
            case (.inKey, UInt8(ascii: " ")), (.inKey, UInt8(ascii: "\t")): place = .afterKey
            case (.inSize, UInt8(ascii: " ")), (.inSize, UInt8(ascii: "\t")): place = .afterSize
            case (.afterKey, UInt8(ascii: " ")), (.afterKey, UInt8(ascii: "\t")): break
            case (.afterSize, UInt8(ascii: " ")), (.afterSize, UInt8(ascii: "\t")): break
            case (let place, UInt8(ascii: "\r")) where place != .afterReturn: self.place = .afterReturn
            default: throw Malformed(line: line, fault: "\(Self.expectation) \(Self.describe(byte)).")
            }
        }
    }

    /// Ends the last line, which needs no line feed.
    mutating func finish(into requests: inout [AccessRequest]) {
        finishLine(into: &requests)
    }

    private mutating func append(digit: UInt8) throws(Malformed) {
        let (tens, isTooLarge) = key.multipliedReportingOverflow(by: 10)
        let (sum, isTooLargeWithDigit) = tens.addingReportingOverflow(UInt64(digit))
        guard !isTooLarge, !isTooLargeWithDigit else {
            throw Malformed(line: line, fault: "the key is larger than \(UInt64.max).")
        }
        key = sum
        hasKey = true
        place = .inKey
    }

    private mutating func finishLine(into requests: inout [AccessRequest]) {
        if hasKey { requests.append(AccessRequest(key: key)) }
        place = .beforeKey
        key = 0
        hasKey = false
    }

    private static func describe(_ byte: UInt8) -> String {
        (0x21...0x7e).contains(byte) ? "“\(Character(UnicodeScalar(byte)))”" : "the byte 0x\(String(byte, radix: 16))"
    }
}
