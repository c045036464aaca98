// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store that can list its records, page by page.
///
/// For tools that show the cached records, and for removals of records whose keys the caller cannot name, such as all
/// below a path. ``MemoryStore`` and `DiskStore` are such stores. `RecordStoreConformance.listingChecks` (module
/// `HoardTesting`) tries them.
public protocol ListingRecordStore: RecordStore {
    /// Returns a page of records without their payloads, in the store's own order. Counts neither as a use nor in the statistics. May suspend.
    ///
    /// A record that is there from the first page to the last, and is not written meanwhile, is on exactly one of them. Others may be left out. On no page are
    /// records that a read would not find at that moment.
    ///
    /// - Parameters:
    ///   - cursor: Where the page before has ended; `nil` for the first page of a listing, which has the records that
    ///     were written before.
    ///   - limit: How many records the store looks at, at most; less than 1 counts as 1. A page may have fewer, even none, though others follow.
    /// - Throws: ``StoreError/Code/invalidConfiguration`` for a cursor that is none of this store's.
    /// - Complexity: O(`limit`) in Hoard's stores, however many records there are.
    func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage

    /// Reads a record without counting as a use of it, and leaves the statistics alone. May suspend.
    ///
    /// - Returns: The record, or `nil` if a read would find none.
    func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record?
}

/// The position at which a page of a listing has ended. Valid only for the store that made it, as long as the store is open.
public struct RecordCursor: Sendable, Hashable {
    /// Letters, digits and hyphens.
    public let text: String

    /// Creates a cursor, for stores of your own.
    public init(text: String) {
        self.text = text
    }
}

/// A page of a store's records.
public struct RecordPage: Sendable {
    /// The records of the page.
    public var records: [RecordSummary]
    /// The position at which the next page begins; `nil` if there is none.
    public var next: RecordCursor?

    /// Creates a page.
    public init(records: [RecordSummary], next: RecordCursor?) {
        self.records = records
        self.next = next
    }
}

/// The summary of a record in a listing.
public struct RecordSummary: Sendable, Hashable {
    /// The key of the record.
    public let key: RecordKey
    /// The length of the payload as it was written.
    public let payloadByteCount: Int
    /// See ``Record/created``.
    public let created: Date
    /// See ``Record/freshUntil``. Stale marks have been taken into account.
    public let freshUntil: Date?
    /// See ``Record/staleUntil``.
    public let staleUntil: Date?
    /// See ``Record/tags``.
    public let tags: Set<String>
    /// See ``Record/partition``.
    public let partition: String?

    /// Creates a summary, for stores of your own.
    public init(
        key: RecordKey,
        payloadByteCount: Int,
        created: Date,
        freshUntil: Date?,
        staleUntil: Date?,
        tags: Set<String>,
        partition: String?
    ) {
        self.key = key
        self.payloadByteCount = payloadByteCount
        self.created = created
        self.freshUntil = freshUntil
        self.staleUntil = staleUntil
        self.tags = tags
        self.partition = partition
    }

    /// Creates the summary of `record`.
    public init(_ record: Record, key: RecordKey) {
        self.init(
            key: key,
            payloadByteCount: record.payload.count,
            created: record.created,
            freshUntil: record.freshUntil,
            staleUntil: record.staleUntil,
            tags: record.tags,
            partition: record.partition
        )
    }
}

extension StoreError {
    /// Creates the error that stores throw for a cursor that they have not made.
    public static func foreignCursor(_ storeName: String) -> StoreError {
        StoreError(.invalidConfiguration, "The cursor is none of the \(storeName) store's; list its records from the beginning.")
    }
}
