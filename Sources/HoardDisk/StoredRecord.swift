// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A record and its key, in the form in which the database keeps them.
struct StoredRecord: Sendable {
    /// The row's primary key: a hash of ``key``. Two keys may share it, so a reader compares the key too.
    let id: Int64
    let key: RecordKey
    let payload: Data
    let created: Date
    let freshUntil: Date?
    let staleUntil: Date?
    let lastAccess: Date
    let schemaFingerprint: UInt64
    /// ``RecordDetails/encoded``.
    let details: Data
    let tags: Set<String>
    /// What the record counts for against ``DiskStore/Configuration/maximumBytes``.
    let chargedByteCount: Int
    /// ``RecordChecksum``.
    let checksum: UInt64

    /// - Parameter now: Stands in for a date that is not a number, which SQLite cannot store.
    init(_ record: Record, key: RecordKey, id: Int64, now: Date) {
        self.id = id
        self.key = key
        payload = record.payload
        created = record.created.storable(or: now)
        freshUntil = record.freshUntil?.storable(or: now)
        staleUntil = record.staleUntil?.storable(or: now)
        lastAccess = record.lastAccess.storable(or: now)
        schemaFingerprint = record.schemaFingerprint
        tags = record.tags
        details = RecordDetails(tags: record.tags, validator: record.validator, contentType: record.contentType).encoded
        chargedByteCount = key.bytes.count + payload.count + details.count + DiskStore.bytesChargedPerRecord
        checksum = record.payload.withUnsafeBytes { [created, freshUntil, staleUntil, schemaFingerprint, details, chargedByteCount] payload in
            RecordChecksum.checksum(
                key: key,
                created: created,
                freshUntil: freshUntil,
                staleUntil: staleUntil,
                schemaFingerprint: schemaFingerprint,
                details: details,
                chargedByteCount: chargedByteCount,
                payload: payload
            )
        }
    }
}

/// The checksum of everything in a row that must not change: all but the two columns of recency.
enum RecordChecksum {
    static func checksum(
        key: RecordKey,
        created: Date,
        freshUntil: Date?,
        staleUntil: Date?,
        schemaFingerprint: UInt64,
        details: Data,
        chargedByteCount: Int,
        payload: UnsafeRawBufferPointer
    ) -> UInt64 {
        var header: [UInt8] = []
        header.reserveCapacity(64 + key.bytes.count + details.count)
        append(UInt64(key.bytes.count), to: &header)
        header.append(contentsOf: key.bytes)
        for date in [created, freshUntil, staleUntil] {
            header.append(date == nil ? 0 : 1)
            append((date?.timeIntervalSinceReferenceDate ?? 0).bitPattern, to: &header)
        }
        append(schemaFingerprint, to: &header)
        append(UInt64(bitPattern: Int64(chargedByteCount)), to: &header)
        details.withUnsafeBytes { header.append(contentsOf: $0) }
        // The hash of the header seeds the hash of the payload, so the payload is read in place.
        return XXH64.hash(payload, seed: header.withUnsafeBytes { XXH64.hash($0) })
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Date {
    /// The date with the bits that SQLite gives back: it stores -0 as 0, and cannot store what is not a number.
    fileprivate func storable(or substitute: Date) -> Date {
        let interval = timeIntervalSinceReferenceDate
        if interval.isNaN { return substitute }
        return interval == 0 ? Date(timeIntervalSinceReferenceDate: 0) : self
    }
}
