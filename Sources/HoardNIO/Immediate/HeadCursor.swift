// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads the lines of a head one after the other, in one pass over its bytes: [RFC 9112 §2 to §5](https://www.rfc-editor.org/rfc/rfc9112#section-2).
///
/// It understands visible ASCII, spaces and tabs only, and lines that end with a carriage return and a line feed.
struct HeadCursor {
    enum Result {
        case done
        /// The bytes have ended.
        case short
        /// Something that is not understood.
        case odd
    }

    let bytes: UnsafeRawBufferPointer
    var index = 0
    private var fieldsLeft: Int
    /// Where the name of the field is that was read last.
    private(set) var name = 0..<0
    /// Where its value is, without the white space around it.
    private(set) var value = 0..<0
    /// The range of its line, with the line's end.
    private(set) var line = 0..<0

    init(_ bytes: UnsafeRawBufferPointer, maximumFieldCount: Int) {
        self.bytes = bytes
        fieldsLeft = maximumFieldCount
    }

    /// Goes past a text.
    mutating func take(_ text: StaticString) -> Result {
        let count = min(text.utf8CodeUnitCount, bytes.count - index)
        for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return .odd }
        guard count == text.utf8CodeUnitCount else { return .short }
        index += count
        return .done
    }

    /// Where the fields begin, behind the line that a head begins with.
    func endOfFirstLine() -> Int? {
        var rest = self
        rest.skipValue()
        guard rest.index + 1 < bytes.count, bytes[rest.index] == .carriageReturn, bytes[rest.index + 1] == .lineFeed else { return nil }
        return rest.index + 2
    }

    /// Goes past the empty line that ends a head, if it is next; `nil`: a field is.
    mutating func takeEnd() -> Result? {
        guard index < bytes.count else { return .short }
        guard bytes[index] == .carriageReturn else { return nil }
        guard index + 1 < bytes.count else { return .short }
        guard bytes[index + 1] == .lineFeed else { return .odd }
        index += 2
        return .done
    }

    /// Reads a field.
    mutating func takeField() -> Result {
        let start = index
        while index < bytes.count, FieldNameBytes.contains(bytes[index]) { index += 1 }
        guard index < bytes.count else { return .short }
        guard bytes[index] == UInt8(ascii: ":"), index > start, fieldsLeft > 0 else { return .odd }
        fieldsLeft -= 1
        name = start..<index
        index += 1
        let valueStart = index
        skipValue()
        guard index + 1 < bytes.count else { return index < bytes.count && bytes[index] != .carriageReturn ? .odd : .short }
        guard bytes[index] == .carriageReturn, bytes[index + 1] == .lineFeed else { return .odd }
        value = trimmed(valueStart..<index)
        index += 2
        line = start..<index
        return .done
    }

    /// Goes on to the first byte that belongs to no value. Visible ASCII, spaces and tabs do.
    mutating func skipValue() {
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            // A bit for each byte that is below 0x20, is 0x7F, or is beyond ASCII. Bytes above such a byte may have one too, which does no harm.
            let control = (word &- 0x2020_2020_2020_2020) & ~word
            let difference = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let delete = (difference &- 0x0101_0101_0101_0101) & ~difference
            guard (control | delete | word) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < bytes.count, (0x20...0x7E).contains(bytes[index]) || bytes[index] == 0x09 { index += 1 }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    /// Whether the bytes are this text of small letters and hyphens, in capitals or small letters.
    func isName(_ range: Range<Int>, _ text: StaticString) -> Bool {
        range.count == text.utf8CodeUnitCount && hasPrefix(range, text)
    }

    /// Whether the bytes begin with this text.
    func hasPrefix(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount where bytes[range.lowerBound + offset].lowercasedLetter != text.utf8Start[offset] { return false }
        return true
    }

    /// Whether this text is anywhere in the bytes. Complexity: O(*n* · *m*).
    func contains(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count >= text.utf8CodeUnitCount else { return false }
        return (range.lowerBound...range.upperBound - text.utf8CodeUnitCount).contains { hasPrefix($0..<range.upperBound, text) }
    }
}

/// The bytes of tokens: [RFC 9110 §5.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
enum FieldNameBytes {
    /// A bit for each byte below 64, and one for each from 64 to 127.
    private static let low: UInt64 = bits("!#$%&'*+-.0123456789", from: 0)
    private static let high: UInt64 = bits("ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~", from: 64)

    private static func bits(_ text: StaticString, from first: UInt8) -> UInt64 {
        (0..<text.utf8CodeUnitCount).reduce(0) { $0 | 1 << UInt64(text.utf8Start[$1] - first) }
    }

    @inline(__always)
    static func contains(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-")
            || (byte < 64 ? low >> UInt64(byte) & 1 : byte < 128 ? high >> UInt64(byte - 64) & 1 : 0) == 1
    }

    @inline(__always)
    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

extension UInt8 {
    static var carriageReturn: UInt8 { 0x0D }
    static var lineFeed: UInt8 { 0x0A }

    var lowercasedLetter: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
