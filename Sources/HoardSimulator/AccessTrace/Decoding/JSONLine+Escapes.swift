// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension JSONLine {
    /// The bytes of a text in which something is escaped (RFC 8259, section 7). Half a pair of surrogates
    /// becomes U+FFFD, as does an escape that JSON does not know.
    static func unescaped(_ line: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = line[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < range.upperBound else {
                text.append(byte)
                continue
            }
            let escape = line[index]
            index += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escape)
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0c)
            case UInt8(ascii: "n"): text.append(0x0a)
            case UInt8(ascii: "r"): text.append(0x0d)
            case UInt8(ascii: "t"): text.append(0x09)
            // As nginx escapes without `escape=json`.
            case UInt8(ascii: "x"): text.append(hex(line, &index, digits: 2, before: range.upperBound).flatMap { UInt8(exactly: $0) } ?? 0x78)
            case UInt8(ascii: "u"): text.append(contentsOf: scalar(line, &index, before: range.upperBound).utf8)
            default: text.append(contentsOf: "\u{FFFD}".utf8)
            }
        }
        return text
    }

    private static func scalar(_ line: Span<UInt8>, _ index: inout Int, before end: Int) -> Character {
        guard let first = hex(line, &index, digits: 4, before: end) else { return "\u{FFFD}" }
        guard 0xd800 <= first, first < 0xdc00 else { return Unicode.Scalar(first).map { Character($0) } ?? "\u{FFFD}" }
        var next = index + 2
        guard next <= end, line[index] == UInt8(ascii: "\\"), line[index + 1] == UInt8(ascii: "u"),
            let second = hex(line, &next, digits: 4, before: end), 0xdc00 <= second, second < 0xe000
        else { return "\u{FFFD}" }
        index = next
        return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00)).map { Character($0) } ?? "\u{FFFD}"
    }

    private static func hex(_ line: Span<UInt8>, _ index: inout Int, digits: Int, before end: Int) -> UInt32? {
        guard index + digits <= end else { return nil }
        var value: UInt32 = 0
        for place in index..<index + digits {
            switch line[place] {
            case let byte where 0x30...0x39 ~= byte: value = value << 4 | UInt32(byte - 0x30)
            case let byte where 0x41...0x46 ~= byte || 0x61...0x66 ~= byte: value = value << 4 | UInt32((byte | 0x20) - 0x57)
            default: return nil
            }
        }
        index += digits
        return value
    }
}
