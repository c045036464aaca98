// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The first 32 bytes of an entry. The key follows, then the payload, then zeros up to a multiple of 16.
///
/// | offset | bytes | |
/// | --: | --: | --- |
/// | 0 | 8 | checksum of everything that follows but the zeros, the segment and the offset |
/// | 8 | 8 | hash of the key; in a commit, the offset where its batch begins |
/// | 16 | 8 | sequence: the place in the order of all writes, kept when the entry moves |
/// | 24 | 4 | length of the payload |
/// | 28 | 3 | length of the key |
/// | 31 | 1 | kind; the highest bit is the shadow (``Place``) |
struct EntryHeader: Sendable {
    enum Kind: UInt8 {
        case record = 1
        case removal = 2
        /// The end of a batch. Its payload is the hashes of the batch's entries, 8 bytes each.
        case commit = 3
    }

    var hash: UInt64
    var sequence: UInt64
    var payloadByteCount: Int
    var keyByteCount: Int
    var kind: Kind
    /// Whether the main log may have an older record of the key.
    var isShadow: Bool

    static let byteCount = 32

    init(hash: UInt64, sequence: UInt64, payloadByteCount: Int = 0, keyByteCount: Int = 0, kind: Kind, isShadow: Bool = false) {
        self.hash = hash
        self.sequence = sequence
        self.payloadByteCount = payloadByteCount
        self.keyByteCount = keyByteCount
        self.kind = kind
        self.isShadow = isShadow
    }

    var contentByteCount: Int { Self.byteCount + keyByteCount + payloadByteCount }
    /// The size of the whole entry.
    var entryByteCount: Int { Self.entryByteCount(key: keyByteCount, payload: payloadByteCount) }

    static func entryByteCount(key: Int, payload: Int) -> Int { (byteCount + key + payload + 15) & ~15 }
}

extension EntryHeader {
    /// Reads a header, if it can be one. Only the checksum tells whether it is.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount, let kind = Kind(rawValue: bytes[31] & 0x7F) else { return nil }
        hash = bytes.number(at: 8)
        sequence = bytes.number(at: 16)
        payloadByteCount = Int(UInt32(truncatingIfNeeded: bytes.number(at: 24)))
        keyByteCount = Int(truncatingIfNeeded: bytes.number(at: 24) >> 32 & 0xFF_FFFF)
        self.kind = kind
        isShadow = bytes[31] & 0x80 != 0
    }

    /// Writes everything but the checksum.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        bytes.store(hash, at: 8)
        bytes.store(sequence, at: 16)
        bytes.store(UInt64(payloadByteCount) | UInt64(keyByteCount) << 32 | UInt64(kind.rawValue | (isShadow ? 0x80 : 0)) << 56, at: 24)
    }

    /// The checksum of an entry: that of the payload, begun with that of header and key, begun with the segment's and the offset. So an entry that lies
    /// elsewhere than it was written to is not valid.
    static func checksum(headerAndKey: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, seed: UInt64, offset: Int) -> UInt64 {
        let head = UnsafeRawBufferPointer(rebasing: headerAndKey[8...])
        return XXH64.hash(payload, seed: XXH64.hash(head, seed: seed ^ UInt64(offset)))
    }

    /// Whether the entry at the beginning of `bytes` is whole.
    func isValid(in bytes: UnsafeRawBufferPointer, seed: UInt64, offset: Int) -> Bool {
        guard bytes.count >= contentByteCount else { return false }
        let border = Self.byteCount + keyByteCount
        let sum = Self.checksum(
            headerAndKey: UnsafeRawBufferPointer(rebasing: bytes[..<border]),
            payload: UnsafeRawBufferPointer(rebasing: bytes[border..<contentByteCount]),
            seed: seed,
            offset: offset
        )
        return bytes.number(at: 0) == sum
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func number(at offset: Int) -> UInt64 { UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
}

extension UnsafeMutableRawBufferPointer {
    @inline(__always)
    func store(_ number: UInt64, at offset: Int) { storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self) }
}
