// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskStore {
    /// A list of records whose order was determined once, read page by page.
    ///
    /// It keeps the store alive, and nothing open: records that are removed before their page is read are left out, and those that are written later do not come.
    public final class EntryCursor: Sendable {
        private let store: DiskStore
        private let list: EntryList
        private let position = Mutex(0)

        init(store: DiskStore, list: EntryList) {
            self.store = store
            self.list = list
        }

        /// The number of records that matched when the cursor was made.
        public var count: Int { list.entries.count }
    }

    /// Lists records in an order. Suspends. Counts neither as a use nor in the statistics.
    ///
    /// Waits for the writes that were accepted before. Then walks once over all records, without their payloads, while reads and writes go on. It
    /// keeps 24 bytes for each record that matches, and its key in the order by key. While it walks, it also keeps 19 to 25 bytes for each record in the
    /// queue of eviction. O(n log n).
    ///
    /// The list includes expired records, until they are removed, and leaves out damaged ones.
    ///
    /// - Throws: ``StoreError/Code/closed``, ``StoreError/Code/unavailable`` if the task was cancelled, or why the database did not answer.
    public func entryCursor(
        order: EntryOrder = .mostRecentlyUsed,
        matching filter: EntryFilter = .all
    ) async throws(StoreError) -> EntryCursor {
        let core = core
        await core.queue.waitUntilIdle()
        try await core.readElsewhere { session in try core.catchUp(session) }
        let stamps = try await core.recencyStamps()
        let builder = EntryList.Builder(order: order)
        let now = core.configuration.clock.now()
        try await core.walkHeaders { _, row, header in
            guard filter.includes(header, at: now), !core.lostWrites.contains(header.key) else { return }
            builder.append(row.id, header, stamp: stamps[row.id])
        }
        let list = await core.elsewhere { builder.finish() }
        return EntryCursor(store: self, list: list)
    }
}

extension DiskStore.EntryCursor {
    /// The number of rows that are read at once, so that other readers have their turn.
    private static let batchSize = 64

    /// Returns the next entries, fewer than asked for only at the end. Suspends. O(log n) for each, and verifies each checksum.
    ///
    /// - Throws: ``StoreError/Code/closed``, or why the database did not answer.
    public func next(_ maximumCount: Int) async throws(StoreError) -> [DiskStore.EntrySummary] {
        var summaries: [DiskStore.EntrySummary] = []
        while summaries.count < maximumCount {
            let range = take(min(maximumCount - summaries.count, Self.batchSize))
            if range.isEmpty { break }
            let (core, entries) = (store.core, list.entries[range])
            summaries += try await core.readElsewhere { session in
                try core.catchUp(session)
                let found = try session.readers.withReader { reader in
                    try entries.map { entry in try session.withRow(of: entry.id, on: reader) { row in row.flatMap { session.summary(of: $0) } } }
                }
                let uses = session.memory.withLock { memory in entries.map { memory.index.lastUse(of: $0.id) } }
                return zip(zip(entries, uses), found).compactMap { entry, summary in summary?.used(at: entry.0.lastUse).used(at: entry.1) }
            }
        }
        return summaries
    }

    /// Skips the next entries. O(1).
    public func skip(_ count: Int) {
        _ = take(max(count, 0))
    }

    private func take(_ count: Int) -> Range<Int> {
        position.withLock { position in
            let end = count < list.entries.count - position ? position + count : list.entries.count
            defer { position = end }
            return position..<end
        }
    }
}
