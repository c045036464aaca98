// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Where the parts of a request's head lie in its bytes: [RFC 9112 §2.1](https://www.rfc-editor.org/rfc/rfc9112#section-2.1). Nothing is copied.
///
/// The head has been found valid by others. Here, bytes of any kind are read without harm, whatever comes of it.
struct RequestHeadScan {
    private let bytes: UnsafeRawBufferPointer
    let method: Range<Int>
    let target: Range<Int>
    let version: Range<Int>
    private let fieldsStart: Int

    /// - Returns: `nil` if the first line has no three words.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let lineEnd = Self.find(UInt8(ascii: "\n"), in: bytes, from: 0) ?? bytes.count
        guard let methodEnd = Self.find(UInt8(ascii: " "), in: bytes, from: 0), methodEnd < lineEnd,
            let targetEnd = Self.find(UInt8(ascii: " "), in: bytes, from: methodEnd + 1), targetEnd < lineEnd
        else { return nil }
        self.bytes = bytes
        method = 0..<methodEnd
        target = methodEnd + 1..<targetEnd
        let versionEnd = lineEnd > targetEnd + 1 && bytes[lineEnd - 1] == UInt8(ascii: "\r") ? lineEnd - 1 : lineEnd
        version = targetEnd + 1..<versionEnd
        fieldsStart = min(lineEnd + 1, bytes.count)
    }

    subscript(range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

    /// Calls `body` with each field's name and value, without the whitespace around it, until it returns `false`. O(*n*) in the bytes.
    func forEachField(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool) {
        var start = fieldsStart
        while start < bytes.count {
            let lineEnd = Self.find(UInt8(ascii: "\n"), in: bytes, from: start) ?? bytes.count
            guard let colon = Self.find(UInt8(ascii: ":"), in: bytes, from: start), colon < lineEnd else { return }
            var value = colon + 1..<lineEnd
            while let last = value.last, bytes[last].isLineSpace { value = value.lowerBound..<last }
            while let first = value.first, bytes[first].isLineSpace { value = first + 1..<value.upperBound }
            guard body(start..<colon, value) else { return }
            start = lineEnd + 1
        }
    }

    /// Whether the bytes are that name, which is written in small letters here and in any letters there.
    func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where bytes[range.lowerBound &+ offset] | 0x20 != name.utf8Start[offset] | 0x20 { return false }
        return true
    }

    /// The value of `Host`.
    var host: Range<Int>? {
        var found: Range<Int>?
        forEachField { name, value in
            guard isName(name, "host") else { return true }
            found = value
            return false
        }
        return found
    }

    private static func find(_ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress, let place = memchr(base + start, Int32(byte), bytes.count - start) else {
            return nil
        }
        return UnsafeRawPointer(place) - base
    }
}

extension UInt8 {
    fileprivate var isLineSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
