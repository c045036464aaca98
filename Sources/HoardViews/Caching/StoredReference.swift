// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A reference as the record of a store.
///
/// | offset in the payload | |
/// | --: | --- |
/// | 0 | flags: 1 if there is a max age, 2 if the reference must be revalidated |
/// | 1 | max age in seconds, 8 bytes; 0 where absent |
/// | 9 | time of creation, and until when the record is fresh: the bits of `Double` seconds since 2001-01-01 00:00 UTC, 8 bytes each |
/// | 25 | length of the hash in UTF-8, 4 bytes |
/// | 29 | the hash, then the data as the server sent it |
///
/// Numbers are little-endian. The identifier is in the key, and the partition in the record. The record's own fields
/// say the same to a person who looks into the store; a reference is read back from the payload, to the bit. If the
/// record's freshness has been ended by others meanwhile, the reference's max age says so.
enum StoredReference {
    /// Identifies this layout among all that a store holds.
    static let schemaFingerprint: UInt64 = 0x484F_5244_5246_0001
    static let contentType = "application/vnd.hoard.view-reference"
    private static let fixedByteCount = 29
    private static let hasMaxAge: UInt8 = 1
    private static let mustRevalidate: UInt8 = 2

    /// - Parameters:
    ///   - defaultMaxAge: For how many seconds the reference is fresh if it does not say.
    ///   - partition: The name of its partition in the store.
    static func record(for reference: CacheReference, defaultMaxAge: Int, tags: Set<String>, partition: String?, now: Date) -> Record {
        let freshUntil = freshnessEnd(of: reference, defaultMaxAge: defaultMaxAge)
        let hash = Array(reference.hash.utf8)
        var payload = Data(capacity: fixedByteCount + hash.count + reference.data.count)
        payload.append((reference.maxAge == nil ? 0 : hasMaxAge) | (reference.mustRevalidate ? mustRevalidate : 0))
        payload.append(littleEndian: UInt64(bitPattern: Int64(reference.maxAge ?? 0)))
        payload.append(littleEndian: reference.timeOfCreation.timeIntervalSinceReferenceDate.bitPattern)
        payload.append(littleEndian: freshUntil.timeIntervalSinceReferenceDate.bitPattern)
        payload.append(littleEndian: UInt32(truncatingIfNeeded: hash.count))
        payload.append(contentsOf: hash)
        payload.append(reference.data)
        return Record(
            payload: payload,
            created: reference.timeOfCreation,
            freshUntil: freshUntil,
            // An expired screen can still be shown, or renewed by its hash.
            staleUntil: .forever,
            lastAccess: now,
            tags: tags,
            partition: partition,
            validator: reference.hash,
            contentType: contentType,
            schemaFingerprint: schemaFingerprint
        )
    }

    /// The reference of a record; `nil` if it is none of this layout.
    static func reference(of record: Record, identifier: String, partition: String?) -> CacheReference? {
        guard record.schemaFingerprint == schemaFingerprint else { return nil }
        var reader = LittleEndianReader(record.payload)
        guard let flags = reader.byte(), flags & ~(hasMaxAge | mustRevalidate) == 0, let maxAge = reader.integer(UInt64.self),
            let created = reader.integer(UInt64.self),
            let freshUntil = reader.integer(UInt64.self), let hashByteCount = reader.integer(UInt32.self),
            let hashBytes = reader.bytes(Int(hashByteCount)), let hash = String(validating: hashBytes, as: UTF8.self)
        else { return nil }
        let timeOfCreation = Date(timeIntervalSinceReferenceDate: Double(bitPattern: created))
        var seconds = flags & hasMaxAge == 0 ? nil : Int(Int64(bitPattern: maxAge))
        if let end = record.freshUntil, end < Date(timeIntervalSinceReferenceDate: Double(bitPattern: freshUntil)) {
            // Rounded down: the caller that has ended the validity wants the screen to be asked for again.
            let ended = end.timeIntervalSince(timeOfCreation).rounded(.down)
            seconds = min(seconds ?? .max, Int(exactly: max(0, min(ended, 1e15))) ?? 0)
        }
        return CacheReference(
            identifier: identifier,
            data: reader.rest,
            hash: hash,
            maxAge: seconds,
            timeOfCreation: timeOfCreation,
            partition: partition,
            mustRevalidate: flags & mustRevalidate != 0
        )
    }

    /// The time until which a reference is fresh. Dates beyond all calendars are the first or last of them.
    private static func freshnessEnd(of reference: CacheReference, defaultMaxAge: Int) -> Date {
        let end = reference.timeOfCreation.addingTimeInterval(Double(reference.maxAge ?? defaultMaxAge))
        return min(max(end, .distantPast), .distantFuture)
    }
}

extension Data {
    fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

/// Reads from the front of bytes that may be anything.
private struct LittleEndianReader {
    private(set) var rest: Data

    init(_ data: Data) { rest = data }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func bytes(_ count: Int) -> Data? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        guard let bytes = bytes(MemoryLayout<Integer>.size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Integer($1) }
    }
}
