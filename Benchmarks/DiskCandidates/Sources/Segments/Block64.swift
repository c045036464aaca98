// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The small blocks of a store: 64 bytes, which begin with the 8 bytes of their kind and end
/// with a checksum of the rest.
///
/// | block | 8 | 16 | 24 | 32 | 40 | 48 |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | `HoardSeg`: head of a segment | format, 6 | store | number | first sequence | nonce | end of the data before |
/// | `HoardEnd`: end of a sealed segment | number of places | data's end | number | last sequence | 0 | seed |
/// | `HoardPos`: the file `position` | generation | number | valid length | sequence | boot | seed |
/// | `HoardSto`: the file `store` | format, 6 | store | secret | secret | length of a segment | 0 |
///
/// The seed of a segment is the checksum of its head. All checksums in the segment begin with it.
struct Block64: Sendable {
    enum Kind: UInt64 {
        // The texts as little-endian numbers.
        case head = 0x6765_5364_7261_6F48
        case end = 0x646E_4564_7261_6F48
        case position = 0x736F_5064_7261_6F48
        case store = 0x6F74_5364_7261_6F48
    }

    /// The block's eight numbers, in the order of its bytes.
    private var numbers: SIMD8<UInt64>

    static let byteCount = 64
    static let format: UInt64 = 6

    init(_ kind: Kind, _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64, _ e: UInt64, _ f: UInt64) {
        numbers = SIMD8(kind.rawValue, a, b, c, d, e, f, 0)
        numbers[7] = computedChecksum
    }

    /// Reads a block, if it is one of this kind and whole.
    init?(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount else { return nil }
        numbers = .zero
        for index in 0..<8 { numbers[index] = bytes.number(at: index * 8) }
        guard numbers[0] == kind.rawValue, numbers[7] == computedChecksum else { return nil }
    }

    /// Reads the block at an offset of a file.
    static func read(_ kind: Kind, from file: DataFile, at offset: Int) throws(SegmentError) -> Block64? {
        guard offset >= 0 else { return nil }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 8)
        defer { bytes.deallocate() }
        guard try file.read(into: bytes, at: offset) == byteCount else { return nil }
        return Block64(kind, UnsafeRawBufferPointer(bytes))
    }

    /// One of the six numbers between kind and checksum.
    subscript(_ field: Int) -> UInt64 { numbers[field + 1] }

    /// The checksum that ends the block.
    var checksum: UInt64 { numbers[7] }

    func write(to file: DataFile, at offset: Int) throws(SegmentError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.byteCount, alignment: 8)
        defer { bytes.deallocate() }
        store(to: bytes)
        try file.write(UnsafeRawBufferPointer(bytes), at: offset)
    }

    private func store(to bytes: UnsafeMutableRawBufferPointer) {
        for index in 0..<8 { bytes.store(numbers[index], at: index * 8) }
    }

    private var computedChecksum: UInt64 {
        withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { bytes in
            store(to: bytes)
            return XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[..<56]))
        }
    }
}
