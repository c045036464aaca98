// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Codec where Value == HTTPCacheEntry {
    /// The stored form of an entry: a version byte, then fields of fixed width and strings with their lengths, all big-endian.
    ///
    /// The decoder accepts nothing but what the encoder writes; any bytes whatever give an entry or an error, never a crash.
    package static var httpCacheEntry: Codec {
        Codec(
            schema: "hoard-http/1",
            contentType: "application/x-hoard-http",
            encode: { entry in
                var buffer = ByteBuffer()
                try entry.write(into: &buffer)
                return Data(buffer.readableBytesView)
            },
            decode: { data in
                var buffer = ByteBuffer(bytes: data)
                let entry = try HTTPCacheEntry(readingFrom: &buffer)
                guard buffer.readableBytes == 0 else { throw MalformedEntry() }
                return entry
            }
        )
    }
}

/// The bytes are not a stored entry, or the entry cannot be written in the stored form.
private struct MalformedEntry: Error {}

extension HTTPCacheEntry {
    private static let version: UInt8 = 1
    private static let responseTag: UInt8 = 0
    private static let variantsTag: UInt8 = 1

    fileprivate func write(into buffer: inout ByteBuffer) throws {
        buffer.writeInteger(Self.version)
        switch self {
        case .response(let response):
            buffer.writeInteger(Self.responseTag)
            try response.write(into: &buffer)
        case .variants(let index):
            buffer.writeInteger(Self.variantsTag)
            buffer.writeInteger(index.generation)
            buffer.writeInteger(UInt8(clamping: index.fieldNameSets.count))
            for names in index.fieldNameSets {
                guard let count = UInt16(exactly: names.count) else { throw MalformedEntry() }
                buffer.writeInteger(count)
                for name in names { buffer.writeLengthPrefixed(name.utf8) }
            }
        }
    }

    fileprivate init(readingFrom buffer: inout ByteBuffer) throws {
        guard try buffer.read(UInt8.self) == Self.version else { throw MalformedEntry() }
        switch try buffer.read(UInt8.self) {
        case Self.responseTag:
            self = .response(try StoredResponse(readingFrom: &buffer))
        case Self.variantsTag:
            let generation = try buffer.read(UInt64.self)
            let sets = try (0..<buffer.read(UInt8.self)).map { _ in
                try (0..<buffer.read(UInt16.self)).map { _ in try buffer.readText() }
            }
            guard sets.count <= VariantIndex.maximumFieldNameSets else { throw MalformedEntry() }
            self = .variants(VariantIndex(generation: generation, fieldNameSets: sets))
        default:
            throw MalformedEntry()
        }
    }
}

extension StoredResponse {
    /// `HTTPFields` traps at 65,535 fields. This leaves room for those that an answer has beyond the stored ones.
    private static let maximumFieldCount: UInt16 = 65_500

    fileprivate func write(into buffer: inout ByteBuffer) throws {
        guard let code = UInt16(exactly: head.status.code), let fieldCount = UInt16(exactly: head.headerFields.count),
            fieldCount <= Self.maximumFieldCount
        else {
            throw MalformedEntry()
        }
        buffer.writeInteger(requestTime.timeIntervalSince1970.bitPattern)
        buffer.writeInteger(responseTime.timeIntervalSince1970.bitPattern)
        buffer.writeInteger(code)
        buffer.writeLengthPrefixed(head.status.reasonPhrase.utf8)
        buffer.writeInteger(fieldCount)
        for field in head.headerFields {
            buffer.writeLengthPrefixed(field.name.rawName.utf8)
            field.withUnsafeBytesOfValue { buffer.writeLengthPrefixed($0) }
        }
        buffer.writeInteger(UInt64(body.readableBytes))
        buffer.writeImmutableBuffer(body)
    }

    fileprivate init(readingFrom buffer: inout ByteBuffer) throws {
        let requestTime = Date(timeIntervalSince1970: Double(bitPattern: try buffer.read(UInt64.self)))
        let responseTime = Date(timeIntervalSince1970: Double(bitPattern: try buffer.read(UInt64.self)))
        let code = Int(try buffer.read(UInt16.self))
        guard (100...999).contains(code), requestTime.timeIntervalSince1970.isFinite, responseTime.timeIntervalSince1970.isFinite else {
            throw MalformedEntry()
        }
        var head = HTTPResponse(status: .init(code: code, reasonPhrase: try buffer.readText()))
        let fieldCount = try buffer.read(UInt16.self)
        guard fieldCount <= Self.maximumFieldCount else { throw MalformedEntry() }
        for _ in 0..<fieldCount {
            guard let name = HTTPField.Name(try buffer.readText()) else { throw MalformedEntry() }
            // Leniently, as transports read fields: bytes that they have let through come back as they were.
            head.headerFields.append(HTTPField(name: name, lenientValue: try buffer.readLengthPrefixed().readableBytesView))
        }
        let length = try buffer.read(UInt64.self)
        guard let length = Int(exactly: length), let body = buffer.readSlice(length: length) else { throw MalformedEntry() }
        self.init(head: head, body: body, requestTime: requestTime, responseTime: responseTime)
    }
}

extension ByteBuffer {
    fileprivate mutating func writeLengthPrefixed(_ bytes: some Collection<UInt8>) {
        writeInteger(UInt32(clamping: bytes.count))
        writeBytes(bytes)
    }

    fileprivate mutating func read<Number: FixedWidthInteger>(_: Number.Type) throws -> Number {
        guard let number = readInteger(as: Number.self) else { throw MalformedEntry() }
        return number
    }

    fileprivate mutating func readLengthPrefixed() throws -> ByteBuffer {
        guard let slice = readSlice(length: Int(try read(UInt32.self))) else { throw MalformedEntry() }
        return slice
    }

    fileprivate mutating func readText() throws -> String {
        guard let text = String(validating: try readLengthPrefixed().readableBytesView, as: UTF8.self) else { throw MalformedEntry() }
        return text
    }
}
