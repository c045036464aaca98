// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension StoredResponse {
    /// `HTTPFields` traps at 65,535 fields. This leaves room for those that an answer has beyond the stored ones.
    static let maximumFieldCount = 65_500

    func write(into buffer: inout ByteBuffer) throws {
        buffer.writeInteger(requestTime.timeIntervalSince1970.bitPattern)
        buffer.writeInteger(responseTime.timeIntervalSince1970.bitPattern)
        if let wire = wireHead {
            buffer.writeInteger(UInt16(clamping: statusCode))
            try buffer.writeLengthPrefixed(wire.reasonPhrase.utf8)
            try wire.withLines { try Self.write($0, into: &buffer) }
        } else {
            let head = head
            guard let code = UInt16(exactly: head.status.code) else { throw MalformedEntry() }
            buffer.writeInteger(code)
            try buffer.writeLengthPrefixed(head.status.reasonPhrase.utf8)
            try Self.write(head.headerFields, into: &buffer)
        }
        try Self.write(trailers, into: &buffer)
        try body.write(into: &buffer)
    }

    init(readingFrom buffer: inout ByteBuffer, rules: HTTPCacheRules) throws {
        let requestTime = try buffer.readDate()
        let responseTime = try buffer.readDate()
        let code = Int(try buffer.read(UInt16.self))
        guard (100...999).contains(code) else { throw MalformedEntry() }
        var head = HTTPResponse(status: .init(code: code, reasonPhrase: try buffer.readText()))
        head.headerFields = try Self.readFields(from: &buffer)
        let trailers = try Self.readFields(from: &buffer)
        let body = try StoredBody(readingFrom: &buffer)
        // Content in a buffer would keep all that was read alive.
        self = Self(head: head, body: body, trailers: trailers, requestTime: requestTime, responseTime: responseTime, rules: rules).packed
    }

    private static func write(_ fields: HTTPFields, into buffer: inout ByteBuffer) throws {
        guard fields.count <= maximumFieldCount, let count = UInt16(exactly: fields.count) else { throw MalformedEntry() }
        buffer.writeInteger(count)
        for field in fields {
            try buffer.writeLengthPrefixed(field.name.rawName.utf8)
            try field.withUnsafeBytesOfValue { try buffer.writeLengthPrefixed($0) }
        }
    }

    /// The same fields, as lines.
    private static func write(_ lines: PlainLines, into buffer: inout ByteBuffer) throws {
        var count = 0
        let start = buffer.writerIndex
        buffer.writeInteger(0 as UInt16)
        for line in lines {
            count += 1
            try buffer.writeLengthPrefixed(line.name)
            try buffer.writeLengthPrefixed(line.value)
        }
        guard count <= maximumFieldCount else { throw MalformedEntry() }
        buffer.setInteger(UInt16(clamping: count), at: start)
    }

    private static func readFields(from buffer: inout ByteBuffer) throws -> HTTPFields {
        let count = Int(try buffer.read(UInt16.self))
        guard count <= maximumFieldCount else { throw MalformedEntry() }
        var fields = HTTPFields()
        for _ in 0..<count {
            guard let name = HTTPField.Name(try buffer.readText()) else { throw MalformedEntry() }
            // Leniently, as transports read fields: bytes that they have let through come back as they were.
            fields.append(HTTPField(name: name, lenientValue: try buffer.readLengthPrefixed().readableBytesView))
        }
        return fields
    }
}

/// Where the bytes of an extent are, in the stored form.
private enum SourceKind: UInt8 {
    case bytes, reference
}

extension StoredBody {
    /// Stands for a length that is not known.
    private static let unknownLength = UInt64.max

    fileprivate func write(into buffer: inout ByteBuffer) throws {
        if let length = wholeByteCount, length > 0 {
            buffer.writeInteger(UInt64(length))
            buffer.writeInteger(1 as UInt16)
            buffer.writeInteger(0 as UInt64)
            buffer.writeInteger(UInt64(length))
            buffer.writeInteger(SourceKind.bytes.rawValue)
            _ = withBytesAtHand { buffer.writeBytes($0) }
            return
        }
        guard let count = UInt16(exactly: extents.count) else { throw MalformedEntry() }
        buffer.writeInteger(completeLength.map { UInt64($0) } ?? Self.unknownLength)
        buffer.writeInteger(count)
        for extent in extents {
            buffer.writeInteger(UInt64(extent.offset))
            buffer.writeInteger(UInt64(extent.length))
            switch extent.source {
            case .bytes(let bytes):
                guard bytes.readableBytes == extent.length else { throw MalformedEntry() }
                buffer.writeInteger(SourceKind.bytes.rawValue)
                buffer.writeImmutableBuffer(bytes)
            case .reference(let reference):
                buffer.writeInteger(SourceKind.reference.rawValue)
                buffer.writeInteger(reference.id)
                buffer.writeInteger(UInt64(reference.segmentLength))
                buffer.writeInteger(UInt64(reference.length))
                buffer.writeInteger(UInt64(reference.start))
                buffer.writeInteger(reference.keptUntil.timeIntervalSince1970.bitPattern)
            }
        }
    }

    fileprivate init(readingFrom buffer: inout ByteBuffer) throws {
        let completeLength = try buffer.read(UInt64.self)
        let knownLength = completeLength == Self.unknownLength ? nil : Int(exactly: completeLength)
        guard completeLength == Self.unknownLength || knownLength != nil else { throw MalformedEntry() }
        let count = try buffer.read(UInt16.self)
        guard count <= Self.maximumExtentCount else { throw MalformedEntry() }
        var extents: [Extent] = []
        var end = 0
        for _ in 0..<count {
            let extent = try Extent(readingFrom: &buffer)
            // Sorted, apart from each other, and within the whole.
            guard extent.offset >= end, extent.range.upperBound <= knownLength ?? .max else { throw MalformedEntry() }
            end = extent.range.upperBound
            extents.append(extent)
        }
        self.init(extents: extents, completeLength: knownLength)
    }
}

extension StoredBody.Extent {
    fileprivate init(readingFrom buffer: inout ByteBuffer) throws {
        let offset = try buffer.readLength()
        let length = try buffer.readLength()
        guard length > 0, !offset.addingReportingOverflow(length).overflow else { throw MalformedEntry() }
        switch SourceKind(rawValue: try buffer.read(UInt8.self)) {
        case .bytes:
            guard let bytes = buffer.readSlice(length: length) else { throw MalformedEntry() }
            self.init(offset: offset, length: length, source: .bytes(bytes))
        case .reference:
            let reference = BodyReference(
                id: try buffer.read(UInt64.self),
                segmentLength: try buffer.readLength(),
                length: try buffer.readLength(),
                start: try buffer.readLength(),
                keptUntil: try buffer.readDate()
            )
            // A segment is read whole, so its length is bounded; all of them are named when they are removed, so their number is.
            guard (1...BodyReference.maximumSegmentLength).contains(reference.segmentLength),
                !reference.length.addingReportingOverflow(reference.segmentLength).overflow,
                reference.segmentCount <= BodyReference.maximumSegmentCount,
                reference.start <= reference.length, length <= reference.length - reference.start
            else { throw MalformedEntry() }
            self.init(offset: offset, length: length, source: .reference(reference))
        case nil:
            throw MalformedEntry()
        }
    }
}

extension BodyReference {
    /// The longest segments that are read: 16 MiB.
    static let maximumSegmentLength = 1 << 24
    /// The most segments of one body: 256 GiB, in segments of the length in which they are written.
    static let maximumSegmentCount = 1 << 20
}
