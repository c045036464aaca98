// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

/// Where the parts of a payload file are.
///
/// | Part | Length in bytes |
/// | --- | --- |
/// | the payload, sealed chunk by chunk | `byteCount` |
/// | the table: a tag for each chunk | `tagByteCount` each |
/// | the footer | 32 |
///
/// The payload comes first and in one piece, so that the system can send any range of it straight from the file. The footer begins with the letters
/// `HoardPay`. Little-endian numbers follow: the version (2 bytes), the length of a tag (2), the length of a chunk (4), the payload's length (8) and
/// the XXH64 of these 24 bytes (8).
struct PayloadFileLayout: Hashable, Sendable {
    /// The length of every chunk but the last, which may be shorter. An empty payload has no chunk.
    static let chunkByteCount = 128 << 10
    static let version: UInt16 = 1
    static let footerByteCount = 32
    static let maximumByteCount = Int.max / 2

    /// The length of the payload.
    let byteCount: Int
    let tagByteCount: Int

    /// `nil` if no file can hold a payload of this length.
    init?(byteCount: Int, tagByteCount: Int) {
        // A table has less than a hundredth of the payload's length, and a tag, so nothing here can overflow.
        guard byteCount >= 0, byteCount <= Self.maximumByteCount, tagByteCount > 0, tagByteCount <= 1024 else { return nil }
        self.byteCount = byteCount
        self.tagByteCount = tagByteCount
    }

    var chunkCount: Int { (byteCount + Self.chunkByteCount - 1) / Self.chunkByteCount }

    /// The length of the table.
    var tableByteCount: Int { chunkCount * tagByteCount }

    /// The length of the table and the footer, which follow the payload.
    var tailByteCount: Int { tableByteCount + Self.footerByteCount }

    var fileByteCount: Int { byteCount + tailByteCount }

    /// The bytes of the payload, and of the file, that a chunk has.
    func chunk(_ index: Int) -> Range<Int> {
        let start = index * Self.chunkByteCount
        return start..<min(start + Self.chunkByteCount, byteCount)
    }

    /// The bytes of the table that are a chunk's tag.
    func tag(_ index: Int) -> Range<Int> {
        index * tagByteCount..<(index + 1) * tagByteCount
    }

    /// The indices of the chunks that a range of the payload touches.
    func chunks(overlapping range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        return range.lowerBound / Self.chunkByteCount..<(range.upperBound - 1) / Self.chunkByteCount + 1
    }

    /// The bytes at the file's end. Every file with this layout has the same.
    var footer: [UInt8] {
        var bytes = Array("HoardPay".utf8)
        bytes.append(littleEndian: Self.version)
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: tagByteCount))
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: Self.chunkByteCount))
        bytes.append(littleEndian: UInt64(byteCount))
        bytes.append(littleEndian: bytes.withUnsafeBytes { XXH64.hash($0) })
        return bytes
    }

    /// Whether `tail`, which was read from behind the payload, belongs to a file of this layout with this root.
    func accepts(tail: UnsafeRawBufferPointer, root: UInt64, sealer: any ChunkSealer) -> Bool {
        guard tail.count == tailByteCount, tail[tableByteCount...].elementsEqual(footer) else { return false }
        return sealer.root(tags: UnsafeRawBufferPointer(rebasing: tail[..<tableByteCount]), byteCount: byteCount) == root
    }
}

extension [UInt8] {
    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
