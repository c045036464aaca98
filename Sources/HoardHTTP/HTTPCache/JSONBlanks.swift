// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The blanks of a JSON text that mean nothing: [RFC 8259 §2](https://www.rfc-editor.org/rfc/rfc8259#section-2).
///
/// The order of members, the spelling of numbers and escapes stay: there are servers for which they count.
enum JSONBlanks {
    /// The text without blanks next to brackets, braces, commas and colons, and at both ends. Of others, which no JSON has, one stays, so that what is no
    /// JSON becomes no other text. O(*n*).
    static func removed(from text: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: text.count) { kept, count in
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
                } else if isBlank(byte) {
                    hasBlank = true
                    continue
                } else {
                    if hasBlank, count > 0, !isStructural(byte), !isStructural(kept[count - 1]) {
                        kept[count] = 0x20
                        count += 1
                    }
                    hasBlank = false
                    isInString = byte == UInt8(ascii: "\"")
                }
                kept[count] = byte
                count += 1
            }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }

    private static func isStructural(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"): true
        default: false
        }
    }
}
