// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Listing in the order in which the records were written.
extension DiskStore: ListingRecordStore {
    /// Returns a page of records without their payloads. Suspends. Counts neither as a use nor in the statistics.
    ///
    /// The first page waits for the writes that were accepted before. Reads beside other readers and the writer, without the payloads, so that their checksums are
    /// not verified. Damaged records are left out.
    ///
    /// To list in an order that means something: ``entryCursor(order:matching:)``.
    ///
    /// - Complexity: O(`limit` + log n). The last page also passes over the records that were written since the first.
    /// - Throws: ``StoreError/Code/closed``, ``StoreError/Code/invalidConfiguration`` for a cursor of another store, or why the database did not answer.
    public func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
        let core = core
        let position: ListingPosition
        if let cursor {
            guard let parsed = ListingPosition(cursor.text) else { throw .foreignCursor(core.configuration.name) }
            position = parsed
        } else {
            if !core.queue.isQuiet { try await core.commit(.perform { _ in }) }
            position = try await core.readElsewhere { session in
                try core.catchUp(session)
                return try ListingPosition(
                    place: .min,
                    lastSequence: session.readers.withReader { try $0.read { try StoredTotals($0)?.sequence ?? .max } }
                )
            }
        }
        let now = core.configuration.clock.now()
        return try await core.readElsewhere { session in
            var records: [RecordSummary] = []
            let next = try session.readRows(
                from: position.place,
                limit: max(1, limit),
                upTo: position.lastSequence,
                withPayloads: false
            ) { row in
                if case .sound(let header) = session.header(of: row), header.staleUntil.map({ now < $0 }) ?? true, core.mayBeRead(header) {
                    records.append(RecordSummary(header))
                }
                return true
            }
            return RecordPage(
                records: records,
                next: next.map { RecordCursor(text: ListingPosition(place: $0, lastSequence: position.lastSequence).text) }
            )
        }
    }
}

/// Where a listing goes on, and the last of the writes that it lists: a record that is written later moves to the end, and would be listed again.
private struct ListingPosition: Sendable {
    var place: Int64
    var lastSequence: Int64

    var text: String { "\(place)-\(lastSequence)" }

    init(place: Int64, lastSequence: Int64) {
        self.place = place
        self.lastSequence = lastSequence
    }

    init?(_ text: String) {
        // The place may be negative, the sequence is not.
        guard let border = text.lastIndex(of: "-"), let place = Int64(text[..<border]), let lastSequence = Int64(text[text.index(after: border)...])
        else {
            return nil
        }
        self.init(place: place, lastSequence: lastSequence)
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
