// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A record and its key, in the form in which the database keeps them. It is prepared outside the transaction.
struct StoredRecord: Sendable {
    /// The record as it was given, with which readings are answered until it is committed; without its payload if that was streamed.
    let record: Record
    let key: RecordKey
    /// The session for which the rest was prepared.
    let session: Int
    /// The cipher that encrypted the record; `nil`: it is not encrypted.
    let cipher: RecordCipher?
    /// The row's primary key: ``RecordIdentifier``.
    let id: Int64
    let header: Data
    /// The payload as it is stored: compressed or sealed, if the store does so; empty if it is in a file.
    let payload: Data
    let file: StagedFile?
    /// The length of the file, if there is one, and its root.
    let fileByteCount: Int?
    let root: UInt64
    /// The length of the payload as the user gave it.
    let payloadByteCount: Int
    let digest: UInt64
    let charge: Int
    let expires: Int64?
    /// The numbers of the tags, 8 bytes each; empty if there are none.
    let tags: [UInt8]
    let partition: Int64?

    /// Whether the payload is nowhere but in its file.
    var isStreamed: Bool { record.payload.count != payloadByteCount }

    /// The bytes of memory that the record takes while it waits.
    var stagedByteCount: Int { payload.count + header.count + record.payload.count }
}

extension StoredRecord {
    /// Returns a record's charge: its bytes as stored, in whole blocks of 4 KiB if they are in a file, and a fixed share of tables and indices.
    static func charge(headerByteCount: Int, payloadByteCount: Int, tagCount: Int, fileByteCount: Int?) -> Int {
        let blocks = fileByteCount.map { ($0 + 4095) / 4096 * 4096 } ?? 0
        return headerByteCount + payloadByteCount + blocks + tagCount * 32 + DiskStore.bytesChargedPerRecord
    }

    /// A date in whole microseconds, rounded up.
    static func microseconds(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.up)
        return Int64(exactly: value) ?? (value < 0 ? .min : .max)
    }
}
