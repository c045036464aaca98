// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A hash of a key on the server, without the prefix that all have in common. Tables use it as their key.
///
/// It is Swift's own hash with the process's random seed, so that no caller can choose keys that collide. If two collide all the same, a change of
/// one counts as a change of the other, which costs a read.
struct KeyHash: Hashable, Sendable {
    private let value: Int

    /// - Parameters:
    ///   - kind: The letter that the key begins with after the prefix.
    ///   - bytes: The bytes that follow.
    init(_ kind: RedisKeys.Kind, _ bytes: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(kind.rawValue)
        hasher.combine(bytes: bytes)
        value = hasher.finalize()
    }

    init(record key: RecordKey) {
        self = key.bytes.withUnsafeBytes { KeyHash(.record, $0) }
    }

    init(lease key: RecordKey) {
        self = key.bytes.withUnsafeBytes { KeyHash(.lease, $0) }
    }

    init(_ scope: RecordScope) {
        switch scope {
        case .everything: self = KeyHash(.everything, UnsafeRawBufferPointer(start: nil, count: 0))
        case .partition(let name): self = KeyHash(.partition, text: name)
        case .tag(let name): self = KeyHash(.tag, text: name.canonicalForm)
        }
    }

    private init(_ kind: RedisKeys.Kind, text: String) {
        var text = text
        self = text.withUTF8 { KeyHash(kind, UnsafeRawBufferPointer($0)) }
    }

    /// The hash of the bytes of a buffer from `offset` on.
    init(_ kind: RedisKeys.Kind, in buffer: ByteBuffer, from offset: Int) {
        self = buffer.withUnsafeReadableBytes { KeyHash(kind, UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }
}

/// Checksums of the content of buffers and arrays. The pointers do not leave the calls, because XXH64 only reads
/// through them.
enum RecordChecksum {
    /// Ties a record to its key.
    static func seed(for key: RecordKey) -> UInt64 {
        key.bytes.withUnsafeBytes { XXH64.hash($0) }
    }

    static func hash(_ payload: Data, seed: UInt64) -> UInt64 {
        payload.withUnsafeBytes { XXH64.hash($0, seed: seed) }
    }

    /// - Parameter range: Offsets into the readable bytes.
    static func hash(_ buffer: ByteBuffer, _ range: Range<Int>, seed: UInt64) -> UInt64 {
        buffer.withUnsafeReadableBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed) }
    }
}
