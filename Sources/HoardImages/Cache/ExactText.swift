// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A text that is equal only to what has the same bytes.
///
/// Swift holds two strings to be equal that spell the same characters in different bytes, such as "é" in one scalar or in two. Stores and HTTP do not,
/// and two users whose names differ only in that are two users.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    var byteCount: Int { text.utf8.count }

    var isEmpty: Bool { text.isEmpty }

    static func == (first: ExactText, second: ExactText) -> Bool {
        first.text.utf8.elementsEqual(second.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }

    /// The text in ASCII, different for different bytes: for what is compared as a string.
    var label: String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return "=" + text }
        return text.utf8.reduce(into: "%") { label, byte in
            if byte < 0x80, byte != UInt8(ascii: "%") {
                label.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                label += "%" + String(byte, radix: 16)
            }
        }
    }
}
