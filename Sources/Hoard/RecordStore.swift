// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A tier below memory, which keeps records by key, possibly beyond the life of the process.
///
/// Hoard ships ``MemoryStore``, `DiskStore` and, with its own issue of trade-offs, stores on other machines.
/// Write your own by implementing this protocol and running `RecordStoreConformance` (module `HoardTesting`)
/// on it in your tests.
///
/// The rules every store keeps:
///
/// - A miss is `nil`, never an error. An error says that the store could not do its work.
/// - A read returns exactly the bytes that were written, or nothing. A record that fails its checksum,
///   has expired (see ``Record/isExpired(at:)``) or belongs to another key is a miss.
/// - A write replaces the record whole. When a write throws, the store holds the old record or none;
///   never a mixture.
/// - Limits hold while running. A record that can never fit is refused with ``StoreError/Code/recordTooLarge``,
///   removes any older record of its key, and evicts nothing else.
/// - After ``close()`` every operation throws ``StoreError/Code/closed``.
public protocol RecordStore: Sendable {
    /// A short name for logs and metrics, such as `disk`. Constant; holds nothing of the user's data.
    var name: String { get }

    /// Reads a record and counts as a use of it. May suspend.
    ///
    /// - Returns: The record, or `nil` if the store has none that is valid now.
    func record(forKey key: RecordKey) async throws(StoreError) -> Record?

    /// Writes a record, and replaces any other record of the same key. Returns when later reads see it. May suspend.
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError)

    /// Removes a record if there is one. May suspend.
    func removeRecord(forKey key: RecordKey) async throws(StoreError)

    /// Reads several records, and counts as a use of each. One round trip where there is a network. May suspend.
    ///
    /// By default the records are read one by one.
    /// - Returns: The records that the store has, by their keys. Either all keys were looked at or the call throws.
    func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record]

    /// Writes several records, and replaces others of the same keys. One round trip where there is a network. May suspend.
    ///
    /// By default the records are written one by one. A record that can never fit removes any older record of its key, and keeps
    /// no other from being written. When the call throws, some of the records may have been written.
    func insert(_ records: [RecordKey: Record]) async throws(StoreError)

    /// Removes several records. One round trip where there is a network. May suspend. By default they are removed one by one.
    func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError)

    /// Removes every record that has at least one of the tags. May suspend. O(number of tags) in Hoard's stores, however many records have them.
    ///
    /// Tags are compared as Swift compares strings, whatever their bytes.
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError)

    /// Removes every record of a partition (``Record/partition``). Names are compared byte for byte. O(1) in Hoard's stores, however many records it has. May suspend.
    ///
    /// By default everything is removed: nothing that should be gone is found.
    func removePartition(_ partition: String) async throws(StoreError)

    /// Ends the freshness of a record, if there is one, at `date`. It is kept for as long as before. May suspend.
    ///
    /// A record that was fresh for less is left as it is. By default the record is read and written again.
    func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError)

    /// Ends the freshness of all records that have at least one of the tags now, at `date`. O(number of tags) in Hoard's stores. May suspend.
    ///
    /// By default the records are removed: nothing that should be stale is found to be fresh.
    func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError)

    /// Ends the freshness of all records, at `date`. O(1) in Hoard's stores. May suspend. By default the records are removed.
    func markAllRecordsStale(at date: Date) async throws(StoreError)

    /// Removes every record. May suspend.
    func removeAll() async throws(StoreError)

    /// Returns the statistics of the store: its contents, and its work since it was opened. May suspend.
    func statistics() async throws(StoreError) -> StoreStatistics

    /// Returns the keys, tags and partitions of records that others than this instance have changed, for the tiers above to drop.
    ///
    /// The same change may be told more than once.
    /// `nil` (the default) if nothing else can change the store's records.
    func invalidations() -> AsyncStream<StoreInvalidation>?

    /// Finishes the operations under way, and gives back files and connections. Calling it again does nothing.
    func close() async
}

extension RecordStore {
    public func invalidations() -> AsyncStream<StoreInvalidation>? { nil }

    /// Removes every record that has the tag. May suspend.
    public func removeRecords(taggedWith tag: String) async throws(StoreError) {
        try await removeRecords(taggedWith: [tag])
    }

    public func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        var records: [RecordKey: Record] = [:]
        for key in keys where records[key] == nil {
            if let record = try await record(forKey: key) { records[key] = record }
        }
        return records
    }

    public func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        for (key, record) in records {
            do {
                try await insert(record, forKey: key)
            } catch  where error.code == .recordTooLarge {
                continue
            }
        }
    }

    public func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        for key in keys { try await removeRecord(forKey: key) }
    }

    public func removePartition(_ partition: String) async throws(StoreError) {
        try await removeAll()
    }

    public func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        guard var record = try await record(forKey: key), record.endFreshness(at: date) else { return }
        try await insert(record, forKey: key)
    }

    public func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try await removeRecords(taggedWith: tags)
    }

    public func markAllRecordsStale(at date: Date) async throws(StoreError) {
        try await removeAll()
    }
}

/// A change that another instance or process made to a store.
///
/// It concerns one key, the records that have one of some tags, those of a partition, or, without any of these, every record.
public struct StoreInvalidation: Sendable, Hashable {
    /// The key that changed; `nil` if the change is one of tags, of a partition or of everything.
    public let key: RecordKey?

    /// The tags by which records were removed or marked stale. A tier above may drop everything instead.
    public let tags: Set<String>

    /// The partition that was removed (``Record/partition``). Its name is compared byte for byte.
    public let partition: String?

    /// Creates an invalidation of one key, or of any record with `nil`.
    public init(key: RecordKey?) {
        self.key = key
        tags = []
        partition = nil
    }

    /// Creates an invalidation of the records that have at least one of the tags, or of any record without tags.
    public init(tags: Set<String>) {
        key = nil
        self.tags = tags
        partition = nil
    }

    /// Creates an invalidation of the records of a partition.
    public init(partition: String) {
        key = nil
        tags = []
        self.partition = partition
    }

    /// Any record may have changed.
    public static var everything: Self { Self(key: nil) }

    /// Whether any record may have changed.
    public var isOfEverything: Bool { key == nil && tags.isEmpty && partition == nil }
}
