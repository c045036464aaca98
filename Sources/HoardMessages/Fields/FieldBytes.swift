// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

// Field values are bytes. Reading them as `String` would replace bytes that are not UTF-8, and comparing strings
// compares by canonical equivalence; neither is right for entity tags or for Vary. So the rules work on `[UInt8]`.

extension HTTPField {
    /// The bytes of the value.
    ///
    /// The unsafe buffer is safe here because it is copied before the closure returns.
    package var valueBytes: [UInt8] {
        withUnsafeBytesOfValue { Array($0) }
    }
}

extension HTTPFields {
    /// The values of all lines of one field, in order. Complexity: O(*n*) in the number of fields.
    package func lines(of name: HTTPField.Name) -> [[UInt8]] {
        contains(name) ? self[fields: name].map(\.valueBytes) : []
    }

    /// The value of a field that may occur once: `nil` if it is absent, or if several lines contradict each other.
    package func singleLine(of name: HTTPField.Name) -> [UInt8]? {
        guard contains(name) else { return nil }
        var first: [UInt8]?
        for field in self[fields: name] {
            let value = field.valueBytes
            guard first ?? value == value else { return nil }
            first = value
        }
        return first
    }
}

extension UInt8 {
    @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
    @inlinable package static var doubleQuote: UInt8 { UInt8(ascii: "\"") }
    @inlinable package static var percent: UInt8 { UInt8(ascii: "%") }
    @inlinable package static var plus: UInt8 { UInt8(ascii: "+") }
    @inlinable package static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable package static var hyphen: UInt8 { UInt8(ascii: "-") }
    @inlinable package static var slash: UInt8 { UInt8(ascii: "/") }
    @inlinable package static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable package static var semicolon: UInt8 { UInt8(ascii: ";") }
    @inlinable package static var equalsSign: UInt8 { UInt8(ascii: "=") }
    @inlinable package static var questionMark: UInt8 { UInt8(ascii: "?") }
    @inlinable package static var backslash: UInt8 { UInt8(ascii: "\\") }

    @inlinable package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    @inlinable package var isLetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }

    /// Space or tab: RFC 9110 §5.6.3.
    @inlinable package var isOptionalWhitespace: Bool { self == 0x20 || self == 0x09 }

    /// `A` to `Z` become small letters; everything else stays.
    @inlinable package var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// `tchar`: RFC 9110 §5.6.2.
    @inlinable package var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// Whether a request target may hold the byte: visible ASCII but `#`. More than [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986) allows, for browsers
    /// leave `|`, `{` and their like as they are.
    @inlinable package var isAllowedInTarget: Bool { (0x21...0x7E).contains(self) && self != UInt8(ascii: "#") }

    /// The value of a hexadecimal digit.
    @inlinable package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// Appends `%` and two hexadecimal digits in capitals.
    package mutating func append(percentEncoded byte: UInt8) {
        append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 0x0F] {
            append(digit < 10 ? 0x30 + digit : 0x41 + digit - 10)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes are `name`, which is in small letters, when the case of `A` to `Z` is ignored.
    package func lowercasedEquals(_ name: [UInt8]) -> Bool {
        guard count == name.count else { return false }
        for offset in 0..<count where self[startIndex + offset].lowercased != name[offset] { return false }
        return true
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces and tabs at both ends.
    @inlinable package var trimmed: SubSequence {
        guard let first = firstIndex(where: { !$0.isOptionalWhitespace }),
            let last = lastIndex(where: { !$0.isOptionalWhitespace })
        else { return self[endIndex..<endIndex] }
        return self[first...last]
    }
}

extension Int {
    /// Reads one or more digits and nothing else. A number too large to hold counts as the largest one.
    @inlinable package init?(saturatingDigits bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return nil }
        var number = 0
        for byte in bytes {
            guard byte.isDigit else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = tens.addingReportingOverflow(Int(byte - 0x30))
            number = overflow || sumOverflow ? .max : sum
        }
        self = number
    }
}
