// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The content of a record's key on the server: a record, or a tombstone that says that the record was removed.
///
/// | offset | |
/// | --: | --- |
/// | 0 | `HRR` and the version, 1 |
/// | 4 | kind: 0 tombstone, 1 record |
/// | 5 | ``Contents``, 2 bytes; 0 for a tombstone |
/// | 7 | 0 |
/// | 8 | number, 8 bytes: random, another for each write. A conditional write compares it, and fails if another writer came first |
/// | 16 | a tombstone ends here. Length of the header, its checksum included, 4 bytes |
/// | 20 | length of the payload, 4 bytes |
/// | 24 | XXH64 of the payload, 8 bytes |
/// | 32 | number of the store's generation, 8 bytes; count of its marks, 8 bytes |
/// | 48 | created, fresh until, stale until, last access when written: the bits of `Double` seconds since 2001-01-01 00:00 UTC, 8 bytes each; 0 where absent |
/// | 80 | schema fingerprint, 8 bytes |
/// | 88 | number of tags, 2 bytes |
/// | 90 | for each tag: its text, the number of its generation, 8 bytes, and the count of its marks, 8 bytes |
/// | | the partition's text and the same of its generation, if there is one |
/// | | validator and content type, those that there are |
/// | | three lengths of time, those that there are: whole seconds and attoseconds, 8 bytes each |
/// | | XXH64 of the header up to here, 8 bytes |
/// | | the payload |
///
/// A text is its length in 4 bytes, and its UTF-8. Numbers are little-endian. The seed of both checksums is the hash of the record's key, so that a
/// value that has come to another key fails them. The header has a checksum of its own, so that it can be read, and the end of the freshness written,
/// without the payload.
struct StoredRecord: Sendable, Hashable {
    /// The optional parts that a record has.
    struct Contents: OptionSet, Sendable {
        let rawValue: UInt16
        static let freshUntil = Contents(rawValue: 1)
        static let staleUntil = Contents(rawValue: 2)
        static let validator = Contents(rawValue: 4)
        static let contentType = Contents(rawValue: 8)
        static let partition = Contents(rawValue: 16)
        static let isNegative = Contents(rawValue: 32)
        static let staleWhileRevalidate = Contents(rawValue: 64)
        static let staleIfError = Contents(rawValue: 128)
        static let loadDuration = Contents(rawValue: 256)
        static let known = Contents(rawValue: 511)
    }

    /// Written anew with each write.
    var number: UInt64
    /// Without its payload if only the header was read.
    var record: Record
    var payloadByteCount: Int
    var payloadChecksum: UInt64
    /// The generation of everything.
    var generation: GenerationReference
    /// Tags and the partition, with the generations that they had when the record was written.
    var references: [(scope: RecordScope, generation: GenerationReference)]

    static let magic: UInt32 = 0x4852_5201
    /// The beginning of a record in all versions of Hoard.
    static let family: UInt32 = 0x4852_5200
    static let tombstoneKind: UInt8 = 0
    static let recordKind: UInt8 = 1
    /// Where the random number lies.
    static let numberRange = 8..<16
    static let tombstoneByteCount = 16
    /// How much of a header is read at first when the payload is not wanted. Most headers are shorter.
    static let usualHeaderByteCount = 512
    static let fixedByteCount = 90
    static let checksumByteCount = 8

    static func == (left: Self, right: Self) -> Bool {
        left.number == right.number && left.record == right.record && left.payloadByteCount == right.payloadByteCount
            && left.payloadChecksum == right.payloadChecksum && left.generation == right.generation
            && left.references.elementsEqual(right.references) { $0.scope == $1.scope && $0.generation == $1.generation }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The decoded value of a record's key.
enum StoredValue: Sendable {
    case absent
    case tombstone
    case record(StoredRecord)
    /// A record of a later version of Hoard.
    case newer
    /// Damaged, or nothing that Hoard has written.
    case unreadable
}

extension RecordVersion {
    /// The version of a whole value, or of as much of its beginning as was read.
    init(ofValue value: ByteBuffer?) {
        guard let value,
            let number = value.getInteger(at: value.readerIndex + StoredRecord.numberRange.lowerBound, endianness: .little, as: UInt64.self)
        else {
            self = .absent
            return
        }
        self = .number(number)
    }

    /// The bytes that `GETRANGE` of ``StoredRecord/numberRange`` returns if a key has this version, or fewer than 8 if it is absent.
    var bytes: [UInt8] {
        switch self {
        case .absent: []
        case .number(let number): withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
    }

    /// The version that `GETRANGE` of ``StoredRecord/numberRange`` has told.
    init(ofNumber bytes: ByteBuffer) {
        guard bytes.readableBytes == StoredRecord.numberRange.count,
            let number = bytes.getInteger(at: bytes.readerIndex, endianness: .little, as: UInt64.self)
        else {
            self = .absent
            return
        }
        self = .number(number)
    }
}
