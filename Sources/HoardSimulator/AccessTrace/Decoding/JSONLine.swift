// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON object, as a range of the line that it stands in.
struct JSONValue {
    enum Kind { case text, escapedText, object, other }

    let kind: Kind
    /// Without quotation marks.
    let range: Range<Int>
}

/// Finds the values in JSON objects without keeping them (RFC 8259). In values that are not read,
/// it checks only that the brackets match in number, although JSON asks for more.
enum JSONLine {
    /// The place behind blanks.
    static func skippingBlanks(_ line: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < line.count, line[index] == 0x20 || (0x09...0x0d).contains(line[index]) { index += 1 }
        return index
    }

    /// Reads a member of an object.
    ///
    /// - Parameter index: Behind the brace or the comma before the member; moved behind the comma or the brace after it.
    /// - Returns: The name and the value; `nil` at the end of an object without more members.
    static func member(_ line: Span<UInt8>, at index: inout Int, isFirst: Bool) throws(TraceFault) -> (
        name: Range<Int>, value: JSONValue, isLast: Bool
    )? {
        index = skippingBlanks(line, from: index)
        if isFirst, index < line.count, line[index] == UInt8(ascii: "}") {
            index += 1
            return nil
        }
        let name = try value(line, at: &index)
        guard name.kind == .text || name.kind == .escapedText else { throw unexpected(line, at: name.range.lowerBound) }
        index = skippingBlanks(line, from: index)
        guard index < line.count, line[index] == UInt8(ascii: ":") else { throw unexpected(line, at: index) }
        index = skippingBlanks(line, from: index + 1)
        let value = try value(line, at: &index)
        index = skippingBlanks(line, from: index)
        guard index < line.count, line[index] == UInt8(ascii: ",") || line[index] == UInt8(ascii: "}") else { throw unexpected(line, at: index) }
        index += 1
        return (name.range, value, line[index - 1] == UInt8(ascii: "}"))
    }

    static func unexpected(_ line: Span<UInt8>, at index: Int) -> TraceFault {
        index < line.count
            ? TraceFault("expected a JSON object, but found \(TraceFault.describe(line[index])) at byte \(index + 1).")
            : TraceFault("the JSON object breaks off before its end.")
    }

    private static func value(_ line: Span<UInt8>, at index: inout Int) throws(TraceFault) -> JSONValue {
        let start = index
        guard start < line.count else { throw unexpected(line, at: start) }
        switch line[start] {
        case UInt8(ascii: "\""):
            let isEscaped = try skipText(line, at: &index)
            return JSONValue(kind: isEscaped ? .escapedText : .text, range: start + 1..<index - 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try skipBrackets(line, at: &index)
            return JSONValue(kind: line[start] == UInt8(ascii: "{") ? .object : .other, range: start..<index)
        default:
            while index < line.count, isWord(line[index]) { index += 1 }
            guard index > start else { throw unexpected(line, at: start) }
            return JSONValue(kind: .other, range: start..<index)
        }
    }

    /// Whether a byte may be part of a number, or of true, false and null.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"): true
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// Moves behind a text, and returns whether anything in it is escaped.
    private static func skipText(_ line: Span<UInt8>, at index: inout Int) throws(TraceFault) -> Bool {
        var isEscaped = false
        index += 1
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\""):
                index += 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                index += 2
            default: index += 1
            }
        }
        throw unexpected(line, at: line.count)
    }

    /// Moves behind an object or an array.
    private static func skipBrackets(_ line: Span<UInt8>, at index: inout Int) throws(TraceFault) {
        var depth = 0
        while index < line.count {
            switch line[index] {
            case UInt8(ascii: "\""):
                _ = try skipText(line, at: &index)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return }
        }
        throw unexpected(line, at: line.count)
    }
}
