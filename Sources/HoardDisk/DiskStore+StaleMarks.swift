// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Ending the freshness of records without removing them.
///
/// A mark is a row of its own, and touches no record: a record is judged when it is read, by whether it was written before the mark. Marks last as
/// the records do, and hold in every process that has the store open. There is room for marks on some thousand records and tags. With more, the
/// records of the oldest marks are removed instead.
extension DiskStore {
    /// Ends the freshness of a record, if there is one, at `date`. Returns when the change is committed. Suspends. O(log n), however long the record
    /// is.
    ///
    /// No use of the record. It is kept for as long as it would have been.
    public func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        try core.checkLength(of: key)
        try await core.commit(.markStale(key, at: date))
    }

    /// Ends the freshness of all records that have at least one of the tags now, at `date`. Returns when the change is committed, in one transaction.
    /// Suspends.
    ///
    /// - Complexity: O(log n) for each tag, however many records have it.
    public func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try await core.commit(together: tags.map { .markTagStale($0, at: date) })
    }

    /// Ends the freshness of all present records, at `date`. Returns when the change is committed. Suspends. O(1).
    public func markAllRecordsStale(at date: Date) async throws(StoreError) {
        try await core.commit(.markAllStale(at: date))
    }
}
