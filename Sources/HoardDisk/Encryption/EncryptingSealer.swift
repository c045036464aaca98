// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encrypts and authenticates the chunks of one payload file with AES-256-GCM.
///
/// Each file has a key of its own, derived from the data key, the record's identifier and the file's nonce (HKDF-SHA256, RFC 5869),
/// and a chunk's nonce is its index. So a chunk cannot be moved within the file or to another one without being noticed, and
/// 16 bytes per chunk suffice.
///
/// - Important: Identifier and nonce together must never be used again with the same data key, and each chunk must be sealed once
///   only. Of two different chunks with the same key and index a reader learns the difference, and can forge others.
struct EncryptingSealer: ChunkSealer {
    private let key: SymmetricKey
    private let rootHash: SipHash
    private let file: FileIdentifier

    /// - Parameters:
    ///   - dataKey: 256 random bits, which is why HKDF's first step, to extract them, can be left out (RFC 5869, 3.3).
    ///   - rootHash: The hash for the roots of all files of this data key, from ``rootHash(dataKey:)``.
    init(dataKey: SymmetricKey, rootHash: SipHash, file: FileIdentifier) {
        let chunkKey = HKDF<SHA256>.expand(
            pseudoRandomKey: dataKey,
            info: Array("hoard payload file".utf8) + file.bytes,
            outputByteCount: 32
        )
        self.init(chunkKey: chunkKey, rootHash: rootHash, file: file)
    }

    init(chunkKey: SymmetricKey, rootHash: SipHash, file: FileIdentifier) {
        key = chunkKey
        self.rootHash = rootHash
        self.file = file
    }

    static func rootHash(dataKey: SymmetricKey) -> SipHash {
        let key = HKDF<SHA256>.expand(pseudoRandomKey: dataKey, info: Array("hoard payload roots".utf8), outputByteCount: 16)
        return SipHash(key: key.withUnsafeBytes { $0.sipHashKey(at: 0) })
    }

    var tagByteCount: Int { 16 }

    /// If the cryptographic library refuses, which it does only for chunks of more than 64 GiB, returns zeros and a tag that does not fit them. So
    /// the plaintext does not reach the disk, and reads find the chunk damaged.
    func seal(_ chunk: UnsafeRawBufferPointer, index: Int, tags: inout [UInt8]) -> Data? {
        guard let box = try? AES.GCM.seal(chunk, using: key, nonce: nonce(ofChunk: index)) else {
            tags.append(contentsOf: repeatElement(0, count: tagByteCount))
            return Data(count: chunk.count)
        }
        tags.append(contentsOf: box.tag)
        // A copy, because the box's ciphertext is a slice whose indices begin at 12.
        return Data(box.ciphertext)
    }

    func open(_ chunk: UnsafeMutableRawBufferPointer, index: Int, tag: UnsafeRawBufferPointer) -> Bool {
        guard
            let nonce = try? nonce(ofChunk: index),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: UnsafeRawBufferPointer(chunk), tag: tag),
            let plaintext = try? AES.GCM.open(box, using: key), plaintext.count == chunk.count
        else { return false }
        plaintext.withUnsafeBytes { chunk.copyMemory(from: $0) }
        return true
    }

    /// SipHash-2-4 of the file's nonce and identifier, the length and the tags, with a key derived from the data key.
    func root(tags: UnsafeRawBufferPointer, byteCount: Int) -> UInt64 {
        var message = file.bytes
        message.reserveCapacity(24 + tags.count)
        message += UInt64(truncatingIfNeeded: byteCount).bigEndianBytes
        message += tags
        return message.withUnsafeBytes { rootHash.hash($0) }
    }

    private func nonce(ofChunk index: Int) throws -> AES.GCM.Nonce {
        let index = UInt64(truncatingIfNeeded: index)
        return try AES.GCM.Nonce(index >> 32, UInt32(truncatingIfNeeded: index))
    }
}

extension EncryptingSealer {
    /// The identifier of a file, which no two files of a data key share.
    struct FileIdentifier: Sendable {
        var nonce: UInt64
        var record: Int64

        fileprivate var bytes: [UInt8] { nonce.bigEndianBytes + UInt64(bitPattern: record).bigEndianBytes }
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UnsafeRawBufferPointer {
    /// The 16 bytes from `offset` on as a key for ``SipHash``.
    func sipHashKey(at offset: Int) -> (UInt64, UInt64) {
        (
            UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
            UInt64(littleEndian: loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        )
    }
}
