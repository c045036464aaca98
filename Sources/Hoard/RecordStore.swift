// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A tier below memory: something that keeps records by key, possibly beyond the life of the process.
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

    /// Writes a record, replacing any other of the same key. Returns when later reads see it. May suspend.
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError)

    /// Removes a record if there is one. May suspend.
    func removeRecord(forKey key: RecordKey) async throws(StoreError)

    /// Removes every record that has the tag. May suspend.
    func removeRecords(taggedWith tag: String) async throws(StoreError)

    /// Removes every record. May suspend.
    func removeAll() async throws(StoreError)

    /// What the store holds and has done since it was opened. May suspend.
    func statistics() async throws(StoreError) -> StoreStatistics

    /// Keys that something other than this instance has changed, for the tiers above to drop.
    ///
    /// `nil` (the default) if nothing else can change the store's records.
    func invalidations() -> AsyncStream<StoreInvalidation>?

    /// Finishes what is under way and gives back files and connections. Calling it again does nothing.
    func close() async
}

extension RecordStore {
    public func invalidations() -> AsyncStream<StoreInvalidation>? { nil }
}

/// A change that somebody else made to a store.
public struct StoreInvalidation: Sendable, Hashable {
    /// The key that changed, or `nil` if any record may have.
    public let key: RecordKey?

    public init(key: RecordKey?) { self.key = key }
}
