// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The blanks of a JSON text that mean nothing: [RFC 8259 §2](https://www.rfc-editor.org/rfc/rfc8259#section-2).
///
/// The order of members, the spelling of numbers and escapes stay: there are servers for which they count.
enum JSONBlanks {
    /// The text without blanks next to brackets, braces, commas and colons, and at both ends. Of others, which no JSON
    /// has, one stays, so that text that is no JSON becomes no other text. O(*n*).
    ///
    /// - Returns: `nil` if it is not UTF-8, or has bytes outside strings that JSON has not, such as those of comments:
    ///   its readers may read blanks otherwise.
    static func removed(from text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard String(validating: text, as: UTF8.self) != nil else { return nil }
        var isJSON = true
        let kept = [UInt8](unsafeUninitializedCapacity: text.count) { kept, count in
            var (isInString, isEscaped, hasBlank) = (false, false, false)
            for byte in text {
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    }
                } else {
                    switch kind(of: byte) {
                    case .blank:
                        hasBlank = true
                        continue
                    case .structural: break
                    case .word, .quote:
                        if hasBlank, count > 0, kind(of: kept[count - 1]) != .structural {
                            kept[count] = 0x20
                            count += 1
                        }
                        isInString = byte == UInt8(ascii: "\"")
                    case .other:
                        isJSON = false
                        return
                    }
                    hasBlank = false
                }
                kept[count] = byte
                count += 1
            }
        }
        return isJSON ? kept : nil
    }

    private enum Kind { case blank, structural, quote, word, other }

    private static func kind(of byte: UInt8) -> Kind {
        switch byte {
        case 0x20, 0x09, 0x0a, 0x0d: .blank
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"): .structural
        case UInt8(ascii: "\""): .quote
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .word
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): .word
        default: .other
        }
    }
}
