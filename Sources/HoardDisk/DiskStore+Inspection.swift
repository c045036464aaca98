// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
public import Hoard

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DiskStore {
    /// What a store knows of a record besides its payload.
    public struct EntrySummary: Sendable, Hashable {
        public let key: RecordKey
        /// The length of the payload.
        public let payloadByteCount: Int
        /// What the record is charged against ``Configuration/maximumBytes``.
        public let chargedByteCount: Int
        public let created: Date
        /// See ``Record/freshUntil``.
        public let freshUntil: Date?
        /// See ``Record/staleUntil``. The record is listed until it is removed, even if this date has passed.
        public let staleUntil: Date?
        public let lastAccess: Date
        public let tags: Set<String>
        public let validator: String?
        public let contentType: String?
    }

    /// In which order entries are listed.
    public struct EntryOrder: Sendable, Hashable {
        let sql: String

        /// The last used first: the order in which eviction reaches them, backwards. Costs O(offset + limit).
        public static var mostRecentlyUsed: Self { Self(sql: "recency DESC") }
        /// The next to be evicted first. Costs O(offset + limit).
        public static var leastRecentlyUsed: Self { Self(sql: "recency") }
        /// The largest payload first. Costs O(n log n), as do the orders below.
        public static var largest: Self { Self(sql: "payload_bytes DESC, recency DESC") }
        /// The last made first.
        public static var newest: Self { Self(sql: "created DESC, recency DESC") }
        /// The next to expire first; records without an end come last.
        public static var expiringSoonest: Self { Self(sql: "stale_until IS NULL, stale_until, recency DESC") }
        /// The bytes of the keys, ascending.
        public static var key: Self { Self(sql: "key") }
    }

    /// Lists records, without their payloads. Suspends. Leaves recency and statistics alone.
    ///
    /// Checksums are not verified. The list is what the store held at one moment; a later call, for the next page, sees a later moment.
    ///
    /// - Parameters:
    ///   - limit: How many entries to return at most.
    ///   - offset: How many entries to leave out at the beginning.
    /// - Throws: ``StoreError/Code/closed``, or why the database did not answer.
    public func entries(
        limit: Int = 100,
        offset: Int = 0,
        order: EntryOrder = .mostRecentlyUsed
    ) async throws(StoreError) -> [EntrySummary] {
        if !accesses.isEmpty {
            // The write carries the pending uses along. If the disk is full, the list shows the uses before.
            try? await write { _ in }
        }
        return try await readElsewhere { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT key, payload_bytes, charged_bytes, created, fresh_until, stale_until, last_access, details
                    FROM records ORDER BY \(order.sql) LIMIT ? OFFSET ?
                    """
            )
            let rows = try Row.fetchCursor(statement, arguments: [max(limit, 0), max(offset, 0)])
            var entries: [EntrySummary] = []
            while let row = try rows.next() {
                // A row that does not decode is damaged; a read of its key will remove it.
                if let entry = try? EntrySummary(row: row) { entries.append(entry) }
            }
            return entries
        }
    }
}

extension DiskStore.EntrySummary {
    fileprivate init(row: Row) throws {
        func date(_ index: Int) throws -> Date? {
            try row.decode(Double?.self, atIndex: index).map(Date.init(timeIntervalSinceReferenceDate:))
        }
        let details = RecordDetails(encoded: try row.decode(Data.self, atIndex: 7)) ?? RecordDetails()
        key = RecordKey(bytes: try row.decode(Data.self, atIndex: 0))
        payloadByteCount = try row.decode(atIndex: 1)
        chargedByteCount = try row.decode(atIndex: 2)
        created = Date(timeIntervalSinceReferenceDate: try row.decode(atIndex: 3))
        freshUntil = try date(4)
        staleUntil = try date(5)
        lastAccess = Date(timeIntervalSinceReferenceDate: try row.decode(atIndex: 6))
        tags = details.tags
        validator = details.validator
        contentType = details.contentType
    }
}
