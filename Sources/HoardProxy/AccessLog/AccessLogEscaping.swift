// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Makes bytes of strangers harmless.
enum AccessLogEscaping {
    private static let digits: StaticString = "0123456789ABCDEF"

    /// As nginx does: `"`, `\`, control characters and everything beyond ASCII become `\xHH`.
    static func appendHexEscaped(_ byte: UInt8, to line: inout [UInt8]) {
        switch byte {
        case 0x22, 0x5C, 0x00...0x1F, 0x7F...0xFF:
            line.append("\\x")
            appendHex(byte, to: &line)
        default: line.append(byte)
        }
    }

    /// The inside of a JSON string, in ASCII: [RFC 8259 §7](https://www.rfc-editor.org/rfc/rfc8259#section-7). Bytes
    /// that are no UTF-8 become U+FFFD.
    static func appendJSONEscaped(_ bytes: ArraySlice<UInt8>, to line: inout [UInt8]) {
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            line.append(contentsOf: bytes)
            return
        }
        for unit in String(decoding: bytes, as: UTF8.self).utf16 {
            switch unit {
            case 0x22: line.append("\\\"")
            case 0x5C: line.append("\\\\")
            case 0x20...0x7E: line.append(UInt8(truncatingIfNeeded: unit))
            default:
                line.append("\\u")
                appendHex(UInt8(truncatingIfNeeded: unit >> 8), to: &line)
                appendHex(UInt8(truncatingIfNeeded: unit), to: &line)
            }
        }
    }

    private static func appendHex(_ byte: UInt8, to line: inout [UInt8]) {
        line.append(digits.utf8Start[Int(byte >> 4)])
        line.append(digits.utf8Start[Int(byte & 15)])
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        append(contentsOf: text.utf8)
    }

    /// In decimal digits.
    mutating func append(number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        self[start...].reverse()
    }

    /// Nanoseconds as seconds with six digits behind the point.
    mutating func append(seconds nanoseconds: Int64) {
        let microseconds = Int(Swift.max(0, nanoseconds)) / 1_000
        append(number: microseconds / 1_000_000)
        append(UInt8(ascii: "."))
        appendPadded(microseconds % 1_000_000, digits: 6)
    }

    /// With zeros in front.
    mutating func appendPadded(_ number: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
