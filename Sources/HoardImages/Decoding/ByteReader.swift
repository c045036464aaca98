// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Reads numbers from bytes that may be anything. A number outside is `nil`.
///
/// The only place of this target where single bytes are read from an unsafe buffer, because the rows of a picture are too many for a copy; every read is
/// checked here. A reader must not outlive the call that lends the buffer.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return bytes[offset]
    }

    func uint16(at offset: Int, isBigEndian: Bool = true) -> Int? {
        guard offset >= 0, offset <= bytes.count - 2 else { return nil }
        let (first, second) = (Int(bytes[offset]), Int(bytes[offset + 1]))
        return isBigEndian ? first << 8 | second : second << 8 | first
    }

    func uint32(at offset: Int, isBigEndian: Bool = true) -> Int? {
        guard offset >= 0, offset <= bytes.count - 4,
            let first = uint16(at: offset, isBigEndian: isBigEndian),
            let second = uint16(at: offset + 2, isBigEndian: isBigEndian)
        else { return nil }
        return isBigEndian ? first << 16 | second : second << 16 | first
    }

    func has(_ expected: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= bytes.count - expected.count else { return false }
        return expected.indices.allSatisfy { bytes[offset + $0] == expected[$0] }
    }

    func has(_ expected: String, at offset: Int) -> Bool {
        has(Array(expected.utf8), at: offset)
    }
}
