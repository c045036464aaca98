// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Protects the chunks of one payload file against damage, and against readers if it encrypts.
protocol ChunkSealer: Sendable {
    /// The length of a chunk's tag: 8 for a checksum, 16 for AES-GCM.
    var tagByteCount: Int { get }
    /// Appends the chunk's tag to `tags`. Returns the bytes to write instead of the chunk, of the same length; `nil`:
    /// write the chunk as it is.
    func seal(_ chunk: UnsafeRawBufferPointer, index: Int, tags: inout [UInt8]) -> Data?
    /// Verifies a chunk as it was read, and decrypts it in place if it is encrypted. `false`: it is damaged.
    func open(_ chunk: UnsafeMutableRawBufferPointer, index: Int, tag: UnsafeRawBufferPointer) -> Bool
    /// A digest of the file's table of tags together with the payload's length, which goes into the record's row: it binds file and row.
    func root(tags: UnsafeRawBufferPointer, byteCount: Int) -> UInt64
}
