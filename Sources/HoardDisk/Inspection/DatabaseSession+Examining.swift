// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of a close look at a row.
enum RowExamination: Sendable {
    case sound(RecordHeader)
    /// The record has gone with a tag or its partition, and is not yet deleted.
    case gone
    case faulty(DiskStore.VerificationProblem)
}

extension DatabaseSession {

    /// Decodes a row's header and compares it with the row. Looks neither at the payload nor at the checksum.
    func header(of row: RecordRow) -> RowExamination {
        if !row.tags.isEmpty || row.partition != nil, memory.withLock({ $0.index.isInvalidated(row) }) { return .gone }
        guard ring != nil else { return compare(RecordHeader(encoded: row.header), with: row) }
        guard let cipher = try? cipher(forPartition: row.partition, creating: false),
            let opened = cipher.open(row.header, binding: Self.headerPurpose)
        else { return row.partition == nil ? .faulty(.damagedRecord) : .gone }
        return compare(opened.withUnsafeBytes { RecordHeader(encoded: $0) }, with: row)
    }

    private func compare(_ header: RecordHeader?, with row: RecordRow) -> RowExamination {
        guard var header else { return .faulty(.damagedRecord) }
        guard identify.identifier(of: header.key) == row.id else { return .faulty(.misplacedRecord) }
        if let end = freshnessEnd(of: row) { header.endFreshness(at: end) }
        return .sound(header)
    }

    /// Verifies all of a row but its file, if it has one.
    func examine(_ row: RecordRow) -> RowExamination {
        guard row.isIntact else { return .faulty(.damagedRecord) }
        let examination = header(of: row)
        guard case .sound(let header) = examination else { return examination }
        let fits =
            row.expires == header.staleUntil.map(StoredRecord.microseconds)
            && row.partition == header.partition.map(identify.number(ofPartition:))
            && row.tags.tagNumbers.elementsEqual(header.tags) { identify.numbers(ofTag: $1).contains($0) }
        return fits && hasSoundPayload(row, header) ? examination : .faulty(.damagedRecord)
    }

    private func hasSoundPayload(_ row: RecordRow, _ header: RecordHeader) -> Bool {
        if row.file != nil { return row.payload.isEmpty || ring != nil }
        guard ring != nil else { return Self.isSound(row.payload, header) }
        guard let cipher = try? cipher(forPartition: row.partition, creating: false),
            let payload = cipher.open(row.payload, binding: Data(row.header.suffix(16)))
        else { return false }
        return payload.withUnsafeBytes { Self.isSound($0, header) }
    }

    private static func isSound(_ payload: UnsafeRawBufferPointer, _ header: RecordHeader) -> Bool {
        guard header.isCompressed else { return payload.count == header.payloadByteCount }
        return header.payloadByteCount <= DiskStore.largestPayloadInMemory
            && PayloadCompressor.decompress(payload, byteCount: header.payloadByteCount) != nil
    }

    /// Returns the summary of a row for a listing; `nil` if the row is damaged or gone.
    func summary(of row: RecordRow) -> DiskStore.EntrySummary? {
        guard row.isIntact, case .sound(let header) = header(of: row) else { return nil }
        return DiskStore.EntrySummary(row, header, storedByteCount: row.file == nil ? row.payload.count : header.payloadByteCount)
    }
}
