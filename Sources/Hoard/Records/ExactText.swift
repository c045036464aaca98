// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A text that is equal only to a text with the same bytes.
///
/// Swift holds two strings to be equal that spell the same characters in different bytes, such as "é" in one scalar or in two. Stores and HTTP do not,
/// and two users, or partitions, whose names differ only in that are two.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var byteCount: Int { text.utf8.count }

    package var isEmpty: Bool { text.isEmpty }

    package static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }

    /// The text in ASCII, different for different bytes, for comparison as a string: letters, digits, `.` and `_` as
    /// they are, every other byte percent-encoded.
    package var label: String {
        var label: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                label.append(byte)
            default:
                label.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 0x0F] { label.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10) }
            }
        }
        return String(decoding: label, as: UTF8.self)
    }
}
