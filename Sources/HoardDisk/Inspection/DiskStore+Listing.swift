// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Listing in the order of the identifiers, which are keyed hashes of the keys: no record ever changes its place.
extension DiskStore: ListingRecordStore {
    /// Returns a page of records without their payloads. Suspends. Counts neither as a use nor in the statistics.
    ///
    /// The first page waits for the writes that were accepted before. Reads beside other readers and the writer, without the payloads, so that their checksums are
    /// not verified. Damaged records are left out.
    ///
    /// To list in an order that means something: ``entryCursor(order:matching:)``.
    ///
    /// - Complexity: O(`limit` + log n).
    /// - Throws: ``StoreError/Code/closed``, ``StoreError/Code/invalidConfiguration`` for a cursor of another store, or why the database did not answer.
    public func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
        let core = core
        let start: Int64
        if let cursor {
            guard let identifier = Int64(cursor.text) else { throw .foreignCursor(core.configuration.name) }
            start = identifier
        } else {
            start = .min
            if !core.queue.isQuiet { try await core.commit(.perform { _ in }) }
            try await core.readElsewhere { session in try core.catchUp(session) }
        }
        let now = core.configuration.clock.now()
        return try await core.readElsewhere { session in
            var records: [RecordSummary] = []
            let next = try session.readRows(from: start, limit: max(1, limit), withPayloads: false) { row in
                if case .sound(let header) = session.header(of: row), header.staleUntil.map({ now < $0 }) ?? true, core.mayBeRead(header) {
                    records.append(RecordSummary(header))
                }
                return true
            }
            return RecordPage(records: records, next: next.map { RecordCursor(text: String($0)) })
        }
    }
}

extension DiskCore {
    /// Whether no removal of a record waits to be written, and no later write of its key has been lost.
    fileprivate func mayBeRead(_ header: RecordHeader) -> Bool {
        if lostWrites.contains(header.key) { return false }
        if queue.isQuiet { return true }
        if case .removed? = queue.stagedState(of: header.key) { return false }
        return !queue.stagedRemovalIncludes(header.record(payload: Data()))
    }
}

extension RecordSummary {
    fileprivate init(_ header: RecordHeader) {
        self.init(
            key: header.key,
            payloadByteCount: header.payloadByteCount,
            created: header.created,
            freshUntil: header.freshUntil,
            staleUntil: header.staleUntil,
            tags: Set(header.tags),
            partition: header.partition
        )
    }
}
