// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension StoredRecord {
    /// The value that says that a record was removed.
    static func tombstone(number: UInt64) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(tombstoneByteCount)
        buffer.writeInteger(magic)
        buffer.writeInteger(tombstoneKind)
        buffer.writeRepeatingByte(0, count: 3)
        buffer.writeInteger(number, endianness: .little)
        return buffer
    }

    /// The number of bytes that a record takes on the server, its key left out. O(number of tags).
    static func byteCount(of record: Record) -> Int {
        var count = fixedByteCount + checksumByteCount + record.payload.count
        for tag in record.tags { count += 20 + tag.utf8.count }
        if let partition = record.partition { count += 20 + partition.utf8.count }
        if let validator = record.validator { count += 4 + validator.utf8.count }
        if let contentType = record.contentType { count += 4 + contentType.utf8.count }
        return count + 16 * lengths(of: record).count
    }

    private static func lengths(of record: Record) -> [(Contents, Duration)] {
        var lengths: [(Contents, Duration)] = []
        if record.staleWhileRevalidate != .zero { lengths.append((.staleWhileRevalidate, record.staleWhileRevalidate)) }
        if record.staleIfError != .zero { lengths.append((.staleIfError, record.staleIfError)) }
        if let loadDuration = record.loadDuration { lengths.append((.loadDuration, loadDuration)) }
        return lengths
    }

    /// The value of a record that is to be written. The payload is copied once.
    ///
    /// - Parameters:
    ///   - generations: Those of everything that ``RecordScope/all(of:)`` says.
    ///   - now: Stands in for a date that is not a number.
    static func encode(
        _ record: Record,
        key: RecordKey,
        number: UInt64,
        now: Date,
        generations: (RecordScope) -> GenerationReference
    ) -> ByteBuffer {
        let seed = RecordChecksum.seed(for: key)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(byteCount(of: record))
        let payloadChecksum = RecordChecksum.hash(record.payload, seed: seed)
        var references: [(scope: RecordScope, generation: GenerationReference)] = []
        references.reserveCapacity(record.tags.count + 1)
        for tag in record.tags { references.append((.tag(tag), generations(.tag(tag)))) }
        if let partition = record.partition { references.append((.partition(partition), generations(.partition(partition)))) }
        writeHeader(
            record,
            into: &buffer,
            number: number,
            payloadByteCount: record.payload.count,
            payloadChecksum: payloadChecksum,
            generation: generations(.everything),
            references: references,
            now: now,
            seed: seed
        )
        buffer.writeBytes(record.payload)
        return buffer
    }

    /// The header as it is to be written over the old one, which is as long. The payload stays.
    func encodedHeader(key: RecordKey) -> ByteBuffer {
        var buffer = ByteBuffer()
        Self.writeHeader(
            record,
            into: &buffer,
            number: number,
            payloadByteCount: payloadByteCount,
            payloadChecksum: payloadChecksum,
            generation: generation,
            references: references,
            now: record.created,
            seed: RecordChecksum.seed(for: key)
        )
        return buffer
    }

    private static func writeHeader(
        _ record: Record,
        into buffer: inout ByteBuffer,
        number: UInt64,
        payloadByteCount: Int,
        payloadChecksum: UInt64,
        generation: GenerationReference,
        references: [(scope: RecordScope, generation: GenerationReference)],
        now: Date,
        seed: UInt64
    ) {
        let lengths = lengths(of: record)
        var contents: Contents = lengths.reduce(into: []) { $0.formUnion($1.0) }
        if record.freshUntil != nil { contents.insert(.freshUntil) }
        if record.staleUntil != nil { contents.insert(.staleUntil) }
        if record.validator != nil { contents.insert(.validator) }
        if record.contentType != nil { contents.insert(.contentType) }
        if record.partition != nil { contents.insert(.partition) }
        if record.isNegative { contents.insert(.isNegative) }
        buffer.writeInteger(magic)
        buffer.writeInteger(recordKind)
        buffer.writeInteger(contents.rawValue, endianness: .little)
        buffer.writeInteger(0 as UInt8)
        buffer.writeInteger(number, endianness: .little)
        let lengthIndex = buffer.writerIndex
        buffer.writeInteger(0 as UInt32)
        buffer.writeInteger(UInt32(truncatingIfNeeded: payloadByteCount), endianness: .little)
        buffer.writeInteger(payloadChecksum, endianness: .little)
        buffer.write(generation)
        for date in [record.created, record.freshUntil, record.staleUntil, record.lastAccess] {
            let seconds = date?.timeIntervalSinceReferenceDate ?? 0
            buffer.writeInteger((seconds.isNaN ? now.timeIntervalSinceReferenceDate : seconds).bitPattern, endianness: .little)
        }
        buffer.writeInteger(record.schemaFingerprint, endianness: .little)
        buffer.writeInteger(UInt16(truncatingIfNeeded: record.tags.count), endianness: .little)
        // Tags first, then the partition.
        for case (.tag(let tag), let generation) in references {
            buffer.write(text: tag)
            buffer.write(generation)
        }
        for case (.partition(let partition), let generation) in references {
            buffer.write(text: partition)
            buffer.write(generation)
        }
        for case let text? in [record.validator, record.contentType] { buffer.write(text: text) }
        for (_, length) in lengths {
            let (seconds, attoseconds) = length.saturatingComponents
            buffer.writeInteger(seconds, endianness: .little)
            buffer.writeInteger(attoseconds, endianness: .little)
        }
        buffer.setInteger(UInt32(truncatingIfNeeded: buffer.readableBytes + checksumByteCount), at: lengthIndex, endianness: .little)
        buffer.writeInteger(RecordChecksum.hash(buffer, 0..<buffer.readableBytes, seed: seed), endianness: .little)
    }
}

extension ByteBuffer {
    fileprivate mutating func write(text: String) {
        writeInteger(UInt32(truncatingIfNeeded: text.utf8.count), endianness: .little)
        writeString(text)
    }

    fileprivate mutating func write(_ generation: GenerationReference) {
        writeInteger(generation.number, endianness: .little)
        writeInteger(generation.markCount, endianness: .little)
    }
}
