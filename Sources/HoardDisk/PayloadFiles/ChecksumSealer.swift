// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Detects damage to a payload file: a tag is the XXH64 of its chunk. Does not protect against forgery, and does not encrypt.
///
/// The file's nonce and the chunk's index go into the tag, so that a chunk in the place of another is damage too.
struct ChecksumSealer: ChunkSealer {
    /// The nonce in the file's name.
    let nonce: UInt64

    var tagByteCount: Int { 8 }

    func seal(_ chunk: UnsafeRawBufferPointer, index: Int, tags: inout [UInt8]) -> Data? {
        tags.append(littleEndian: XXH64.hash(chunk, seed: seed(UInt64(index))))
        return nil
    }

    func open(_ chunk: UnsafeMutableRawBufferPointer, index: Int, tag: UnsafeRawBufferPointer) -> Bool {
        guard tag.count == tagByteCount else { return false }
        let expected = UInt64(littleEndian: tag.loadUnaligned(as: UInt64.self))
        return XXH64.hash(UnsafeRawBufferPointer(chunk), seed: seed(UInt64(index))) == expected
    }

    func root(tags: UnsafeRawBufferPointer, byteCount: Int) -> UInt64 {
        // No chunk has an index with the highest bit set.
        XXH64.hash(tags, seed: seed(UInt64(byteCount) | 1 << 63))
    }

    /// Mixes `number` and the nonce well enough that neighbours have nothing in common.
    private func seed(_ number: UInt64) -> UInt64 {
        withUnsafeBytes(of: number.littleEndian) { XXH64.hash($0, seed: nonce) }
    }
}
