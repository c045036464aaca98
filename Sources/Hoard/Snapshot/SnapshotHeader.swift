// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The bytes before the payload in a snapshot file. Numbers have their lowest byte first.
///
/// | Offset | Bytes | Content |
/// | --- | --- | --- |
/// | 0 | 8 | the magic, `89 48 6F 61 72 64 0D 0A` |
/// | 8 | 4 | version of the format, now 1 |
/// | 12 | 4 | length *s* of the schema, at most ``maximumSchemaByteCount`` |
/// | 16 | 8 | length *p* of the payload |
/// | 24 | *s* | the schema, UTF-8 |
/// | 24 + *s* | *p* | the payload |
/// | 24 + *s* + *p* | 8 | XXH64 of the payload, seeded with the XXH64 of all that stands before it |
struct SnapshotHeader: Hashable {
    /// "Hoard" between a byte that is not ASCII and a line end, either of which a transfer as text would change.
    static let magic: [UInt8] = [0x89, 0x48, 0x6F, 0x61, 0x72, 0x64, 0x0D, 0x0A]
    static let formatVersion: UInt32 = 1
    static let maximumSchemaByteCount = 1024
    static let fixedByteCount = 24
    static let checksumByteCount = 8

    var schemaByteCount: Int
    var payloadByteCount: Int

    /// The length of the whole file, or `nil` if no file can be so long.
    var fileByteCount: Int? {
        let (sum, overflowed) = payloadByteCount.addingReportingOverflow(Self.fixedByteCount + schemaByteCount + Self.checksumByteCount)
        return overflowed ? nil : sum
    }

    /// The bytes before the payload.
    static func encoded(schema: String, payloadByteCount: Int) -> [UInt8] {
        let schema = Array(schema.utf8)
        precondition(schema.count <= maximumSchemaByteCount, "The name of a snapshot's schema has at most \(maximumSchemaByteCount) bytes.")
        var bytes = magic
        bytes.reserveCapacity(fixedByteCount + schema.count)
        bytes.append(littleEndian: formatVersion)
        bytes.append(littleEndian: UInt32(schema.count))
        bytes.append(littleEndian: UInt64(payloadByteCount))
        bytes += schema
        return bytes
    }

    /// Reads the first ``fixedByteCount`` bytes of a file.
    ///
    /// - Throws: ``SnapshotError/Code/foreign``, ``SnapshotError/Code/newerFormat``, ``SnapshotError/Code/corrupt``.
    init(decoding bytes: [UInt8], path: String) throws(SnapshotError) {
        guard Self.magic.starts(with: bytes.prefix(Self.magic.count)) else {
            throw SnapshotError(.foreign, "The file \(path) is not a snapshot.")
        }
        guard bytes.count >= Self.fixedByteCount else { throw .corrupt(path) }
        let version = bytes.number(at: 8, as: UInt32.self)
        guard version <= Self.formatVersion else {
            throw SnapshotError(.newerFormat, "The snapshot \(path) has format \(version); this version of Hoard reads format \(Self.formatVersion).")
        }
        guard version == Self.formatVersion,
            let schemaByteCount = Int(exactly: bytes.number(at: 12, as: UInt32.self)), schemaByteCount <= Self.maximumSchemaByteCount,
            let payloadByteCount = Int(exactly: bytes.number(at: 16, as: UInt64.self))
        else { throw .corrupt(path) }
        self.schemaByteCount = schemaByteCount
        self.payloadByteCount = payloadByteCount
    }

    /// The checksum of a payload and of the bytes before it, in the form in which it ends the file.
    static func encodedChecksum(header: [UInt8], payload: [UInt8]) -> [UInt8] {
        // The hash of the header seeds the hash of the payload, so the two need not be copied together.
        let seed = header.withUnsafeBytes { XXH64.hash($0) }
        var bytes: [UInt8] = []
        bytes.append(littleEndian: payload.withUnsafeBytes { XXH64.hash($0, seed: seed) })
        return bytes
    }
}

extension SnapshotError {
    static func corrupt(_ path: String) -> SnapshotError {
        SnapshotError(.corrupt, "The snapshot \(path) is damaged.")
    }
}
