// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A colour that a server writes as in CSS: `#RGB`, `#RGBA`, `#RRGGBB` or `#RRGGBBAA`.
///
/// Source: [CSS Color Module Level 4 §5.2](https://www.w3.org/TR/css-color-4/#hex-notation).
public struct ComponentColor: Hashable, Sendable {
    /// From 0 to 1, in sRGB.
    public let red, green, blue, opacity: Double

    /// The colour of a text; `nil` if it is none.
    public init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        var digits = text.utf8.dropFirst().compactMap { byte in Character(Unicode.Scalar(byte)).hexDigitValue }
        guard digits.count == text.utf8.count - 1 else { return nil }
        if digits.count <= 4 { digits = digits.flatMap { [$0, $0] } }
        guard digits.count == 6 || digits.count == 8 else { return nil }
        let values = stride(from: 0, to: digits.count, by: 2).map { Double(digits[$0] * 16 + digits[$0 + 1]) / 255 }
        (red, green, blue, opacity) = (values[0], values[1], values[2], values.count == 4 ? values[3] : 1)
    }
}
