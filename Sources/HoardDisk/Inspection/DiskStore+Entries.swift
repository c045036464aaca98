// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DiskStore {
    /// A summary of a record: everything that the store knows of it except its payload.
    public struct EntrySummary: Sendable, Hashable {
        /// The key of the record.
        public let key: RecordKey
        /// The length of the payload before compression and encryption.
        public let payloadByteCount: Int
        /// The length of the payload as it is stored, after compression and encryption, without the checksums of a payload's file.
        public let storedByteCount: Int
        /// The bytes that the record is charged against ``Configuration/maximumBytes``.
        public let chargedByteCount: Int
        /// Whether the payload is stored compressed.
        public let isCompressed: Bool
        /// Whether the payload has a file of its own.
        public let isInFile: Bool
        /// See ``Record/created``.
        public let created: Date
        /// See ``Record/freshUntil``. Stale marks have been taken into account.
        public let freshUntil: Date?
        /// See ``Record/staleUntil``. The record is listed until it is removed, even if this date has passed.
        public let staleUntil: Date?
        /// See ``Record/lastAccess``.
        public let lastAccess: Date
        /// See ``Record/tags``.
        public let tags: Set<String>
        /// See ``Record/validator``.
        public let validator: String?
        /// See ``Record/contentType``.
        public let contentType: String?
        /// See ``Record/partition``.
        public let partition: String?
        /// See ``Record/staleWhileRevalidate``.
        public let staleWhileRevalidate: Duration
        /// See ``Record/staleIfError``.
        public let staleIfError: Duration
        /// See ``Record/loadDuration``.
        public let loadDuration: Duration?
        /// See ``Record/isNegative``.
        public let isNegative: Bool
    }

    /// The order of a listing. Entries that are equal in it come most recently used first.
    public struct EntryOrder: Sendable, Hashable {
        enum Property: Hashable, Sendable { case use, size, age, expiry, key }

        let property: Property
        let isReversed: Bool

        /// The most recently used first.
        public static var mostRecentlyUsed: Self { Self(property: .use, isReversed: false) }
        /// The least recently used first.
        public static var leastRecentlyUsed: Self { Self(property: .use, isReversed: true) }
        /// The largest payload first.
        public static var largest: Self { Self(property: .size, isReversed: false) }
        /// The newest first.
        public static var newest: Self { Self(property: .age, isReversed: false) }
        /// The oldest first.
        public static var oldest: Self { Self(property: .age, isReversed: true) }
        /// The next to expire first; records without an end come last.
        public static var expiringSoonest: Self { Self(property: .expiry, isReversed: false) }
        /// The bytes of the keys, ascending.
        public static var key: Self { Self(property: .key, isReversed: false) }

        /// The same order, backwards.
        public var reversed: Self { Self(property: property, isReversed: !isReversed) }
    }
}

extension DiskStore {
    /// Lists records, without their payloads. Suspends. Leaves recency and statistics alone.
    ///
    /// Walks over the whole store for each call, O(n log n). To list more than one page, keep a cursor: ``entryCursor(order:matching:)``.
    ///
    /// - Parameters:
    ///   - limit: How many entries to return at most.
    ///   - offset: How many entries to leave out at the beginning.
    /// - Throws: ``StoreError/Code/closed``, or why the database did not answer.
    public func entries(
        limit: Int = 100,
        offset: Int = 0,
        order: EntryOrder = .mostRecentlyUsed,
        matching filter: EntryFilter = .all
    ) async throws(StoreError) -> [EntrySummary] {
        guard limit > 0 else { return [] }
        let cursor = try await entryCursor(order: order, matching: filter)
        cursor.skip(max(offset, 0))
        return try await cursor.next(limit)
    }

    /// Returns the summary of one record; `nil` if there is none, or if it is damaged.
    ///
    /// Does not count as a use of the record. Suspends until the writes that wait are done. O(log n).
    public func entry(forKey key: RecordKey) async throws(StoreError) -> EntrySummary? {
        let core = core
        try core.checkLength(of: key)
        await core.queue.waitUntilIdle()
        return try await core.readElsewhere { session in
            try core.catchUp(session)
            let id = session.identify.identifier(of: key)
            let found = try session.readers.withReader { reader in
                try session.withRow(of: id, on: reader) { row in row.flatMap { session.summary(of: $0) } }
            }
            guard let found, found.key == key, !core.lostWrites.contains(key) else { return nil }
            return found.used(at: session.memory.withLock { $0.index.lastUse(of: id) })
        }
    }
}

extension DiskStore.EntrySummary {
    /// - Parameter header: The row's header, decoded.
    init(_ row: RecordRow, _ header: RecordHeader, storedByteCount: Int) {
        key = header.key
        payloadByteCount = header.payloadByteCount
        self.storedByteCount = storedByteCount
        chargedByteCount = Int(row.charge)
        isCompressed = header.isCompressed
        isInFile = row.file != nil
        created = header.created
        freshUntil = header.freshUntil
        staleUntil = header.staleUntil
        lastAccess = header.lastAccess
        tags = Set(header.tags)
        validator = header.validator
        contentType = header.contentType
        partition = header.partition
        staleWhileRevalidate = header.staleWhileRevalidate
        staleIfError = header.staleIfError
        loadDuration = header.loadDuration
        isNegative = header.isNegative
    }

    /// The same record, last used at `date` if that is later than the known date.
    func used(at date: Date?) -> Self {
        guard let date, date > lastAccess else { return self }
        return Self(self, lastAccess: date)
    }

    private init(_ other: Self, lastAccess: Date) {
        key = other.key
        payloadByteCount = other.payloadByteCount
        storedByteCount = other.storedByteCount
        chargedByteCount = other.chargedByteCount
        isCompressed = other.isCompressed
        isInFile = other.isInFile
        created = other.created
        freshUntil = other.freshUntil
        staleUntil = other.staleUntil
        self.lastAccess = lastAccess
        tags = other.tags
        validator = other.validator
        contentType = other.contentType
        partition = other.partition
        staleWhileRevalidate = other.staleWhileRevalidate
        staleIfError = other.staleIfError
        loadDuration = other.loadDuration
        isNegative = other.isNegative
    }
}
