// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension StoredValue {
    /// Reads a whole value. Never traps. The payload is copied once.
    init(_ value: ByteBuffer?, key: RecordKey) {
        guard let value else {
            self = .absent
            return
        }
        self = StoredValue(header: value, key: key)
        guard case .record(var stored) = self else { return }
        let headerByteCount = StoredRecord.headerByteCount(in: value) ?? 0
        let range = headerByteCount..<value.readableBytes
        guard range.count == stored.payloadByteCount,
            RecordChecksum.hash(value, range, seed: RecordChecksum.seed(for: key)) == stored.payloadChecksum
        else {
            self = .unreadable
            return
        }
        stored.record.payload = Data(value.readableBytesView[(value.readerIndex + headerByteCount)...])
        self = .record(stored)
    }

    /// Reads a value without its payload. Never traps.
    ///
    /// - Parameter value: The whole value or its beginning, not less than the header.
    init(header value: ByteBuffer, key: RecordKey) {
        var buffer = value
        guard let magic = buffer.readInteger(as: UInt32.self), let kind = buffer.readInteger(as: UInt8.self) else {
            self = .unreadable
            return
        }
        guard magic == StoredRecord.magic else {
            self = magic & 0xFFFF_FF00 == StoredRecord.family ? .newer : .unreadable
            return
        }
        if kind == StoredRecord.tombstoneKind, value.readableBytes == StoredRecord.tombstoneByteCount {
            self = .tombstone
        } else if kind == StoredRecord.recordKind, let record = StoredRecord(header: value, key: key) {
            self = .record(record)
        } else {
            self = .unreadable
        }
    }
}

extension StoredRecord {
    /// The length of a record's header; `nil` if there are too few bytes to tell, or none.
    static func headerByteCount(in value: ByteBuffer) -> Int? {
        guard value.readableBytes >= fixedByteCount + checksumByteCount,
            value.getInteger(at: value.readerIndex, as: UInt32.self) == magic,
            value.getInteger(at: value.readerIndex + 4, as: UInt8.self) == recordKind,
            let count = value.getInteger(at: value.readerIndex + 16, endianness: .little, as: UInt32.self)
        else { return nil }
        return Int(count)
    }

    /// Whether a value's beginning is that of a record, and which number its store's generation had; `nil` if it is none.
    static func generationNumber(inBeginningOf value: ByteBuffer) -> UInt64? {
        guard value.getInteger(at: value.readerIndex, as: UInt32.self) == magic,
            value.getInteger(at: value.readerIndex + 4, as: UInt8.self) == recordKind
        else { return nil }
        return value.getInteger(at: value.readerIndex + 32, endianness: .little, as: UInt64.self)
    }

    /// How much of a value ``generationNumber(inBeginningOf:)`` needs.
    static let beginningByteCount = 40

    init?(header value: ByteBuffer, key: RecordKey) {
        guard let headerByteCount = Self.headerByteCount(in: value), headerByteCount <= value.readableBytes,
            headerByteCount >= Self.fixedByteCount + Self.checksumByteCount
        else { return nil }
        let end = headerByteCount - Self.checksumByteCount
        guard
            value.getInteger(at: value.readerIndex + end, endianness: .little, as: UInt64.self)
                == RecordChecksum.hash(value, 0..<end, seed: RecordChecksum.seed(for: key)),
            var reader = value.getSlice(at: value.readerIndex, length: end)
        else { return nil }
        reader.moveReaderIndex(forwardBy: 5)
        guard let bits = reader.readInteger(endianness: .little, as: UInt16.self), reader.readInteger(as: UInt8.self) == 0,
            let number = reader.readInteger(endianness: .little, as: UInt64.self), reader.readInteger(as: UInt32.self) != nil,
            let payloadByteCount = reader.readInteger(endianness: .little, as: UInt32.self),
            let payloadChecksum = reader.readInteger(endianness: .little, as: UInt64.self),
            let generation = reader.readGeneration(),
            let created = reader.readDate(), let freshUntil = reader.readDate(), let staleUntil = reader.readDate(),
            let lastAccess = reader.readDate(),
            let fingerprint = reader.readInteger(endianness: .little, as: UInt64.self),
            let tagCount = reader.readInteger(endianness: .little, as: UInt16.self)
        else { return nil }
        let contents = Contents(rawValue: bits)
        guard contents.isSubset(of: .known) else { return nil }
        var record = Record(payload: Data(), created: created, staleUntil: .forever, lastAccess: lastAccess, schemaFingerprint: fingerprint)
        if contents.contains(.freshUntil) { record.freshUntil = freshUntil }
        if contents.contains(.staleUntil) { record.staleUntil = staleUntil }
        var references: [(scope: RecordScope, generation: GenerationReference)] = []
        references.reserveCapacity(Int(tagCount) + 1)
        for _ in 0..<tagCount {
            guard let tag = reader.readText(), let generation = reader.readGeneration() else { return nil }
            record.tags.insert(tag)
            references.append((.tag(tag), generation))
        }
        if contents.contains(.partition) {
            guard let partition = reader.readText(), let generation = reader.readGeneration() else { return nil }
            record.partition = partition
            references.append((.partition(partition), generation))
        }
        guard reader.readRest(of: contents, into: &record), reader.readableBytes == 0 else { return nil }
        self.init(
            number: number,
            record: record,
            payloadByteCount: Int(payloadByteCount),
            payloadChecksum: payloadChecksum,
            generation: generation,
            references: references
        )
    }
}

extension ByteBuffer {
    /// `nil`: there is no text.
    fileprivate mutating func readText() -> String? {
        guard let count = readInteger(endianness: .little, as: UInt32.self), Int(count) <= readableBytes else { return nil }
        defer { moveReaderIndex(forwardBy: Int(count)) }
        return String(validating: readableBytesView.prefix(Int(count)), as: UTF8.self)
    }

    fileprivate mutating func readGeneration() -> GenerationReference? {
        guard let number = readInteger(endianness: .little, as: UInt64.self), let markCount = readInteger(endianness: .little, as: Int64.self) else {
            return nil
        }
        return GenerationReference(number: number, markCount: markCount)
    }

    fileprivate mutating func readDate() -> Date? {
        readInteger(endianness: .little, as: UInt64.self).map { Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0)) }
    }

    /// A length of time as ``Duration`` gives it, so that each has one form and no sum overflows.
    private mutating func readLength() -> Duration? {
        guard let seconds = readInteger(endianness: .little, as: Int64.self), let attoseconds = readInteger(endianness: .little, as: Int64.self),
            attoseconds.magnitude < 1_000_000_000_000_000_000, seconds == 0 || attoseconds == 0 || (seconds < 0) == (attoseconds < 0)
        else { return nil }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    fileprivate mutating func readRest(of contents: StoredRecord.Contents, into record: inout Record) -> Bool {
        record.isNegative = contents.contains(.isNegative)
        if contents.contains(.validator) {
            guard let text = readText() else { return false }
            record.validator = text
        }
        if contents.contains(.contentType) {
            guard let text = readText() else { return false }
            record.contentType = text
        }
        if contents.contains(.staleWhileRevalidate) {
            guard let length = readLength() else { return false }
            record.staleWhileRevalidate = length
        }
        if contents.contains(.staleIfError) {
            guard let length = readLength() else { return false }
            record.staleIfError = length
        }
        if contents.contains(.loadDuration) {
            guard let length = readLength() else { return false }
            record.loadDuration = length
        }
        return true
    }
}
