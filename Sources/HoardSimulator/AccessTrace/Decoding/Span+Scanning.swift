// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hoard

// Positions are returned and not spans, which cannot be kept. The two functions with pointers call the system
// and the hash, which know no spans.
extension Span where Element == UInt8 {
    /// The place of the next line feed.
    func lineFeed(from start: Int) -> Int? {
        withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress, start < bytes.count, let found = memchr(base + start, 0x0a, bytes.count - start) else { return nil }
            return UnsafeRawPointer(found) - UnsafeRawPointer(base)
        }
    }

    /// A hash of some of the bytes that is the same in every process.
    func hash(_ range: Range<Int>, seed: UInt64 = 0) -> UInt64 {
        extracting(range).withUnsafeBytes { XXH64.hash($0, seed: seed) }
    }

    /// The place of the next such byte.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// The place behind the spaces and tabs that begin here.
    func skippingBlanks(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, self[index] == 0x20 || self[index] == 0x09 { index += 1 }
        return index
    }

    /// The place behind the last byte of a line without its carriage return.
    var contentEnd: Int { count > 0 && self[count - 1] == 0x0d ? count - 1 : count }

    /// The range without blanks and quotation marks at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, Self.isTrimmed(self[start]) { start += 1 }
        while start < end, Self.isTrimmed(self[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isTrimmed(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x22 || byte == 0x27 }

    /// Whether some of the bytes are this text.
    func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return starts(range, with: text)
    }

    /// Whether some of the bytes begin with this text.
    func starts(_ range: Range<Int>, with text: StaticString) -> Bool {
        guard range.count >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for offset in 0..<text.count where text[offset] != self[range.lowerBound + offset] { return false }
            return true
        }
    }

    /// Whether some of the bytes are this text of lower case, if their letters are read as lower case.
    func equalsInAnyCase(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            for offset in 0..<text.count where text[offset] != Self.lowercased(self[range.lowerBound + offset]) { return false }
            return true
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { 0x41 <= byte && byte <= 0x5a ? byte | 0x20 : byte }
}
