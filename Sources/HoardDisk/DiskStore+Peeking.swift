// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

extension DiskStore {
    /// Reads a record without counting as a use: recency and statistics stay as they are, and nothing is removed.
    ///
    /// Works on the calling thread, as ``record(forKey:)`` does. A record that has expired or is damaged is `nil`.
    ///
    /// - Complexity: O(log n) for n records held, O(m) for m bytes of record.
    /// - Throws: ``StoreError/Code/keyTooLong``, ``StoreError/Code/closed``, or why the database did not answer.
    public func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        let id = try checkedIdentifier(of: key)
        let now = configuration.clock.now()
        guard case .found(var record) = try read({ db in try RecordTable(db: db).lookUp(id: id, key: key, at: now) }) else { return nil }
        if let pending = accesses.pendingUse(of: id) { record.lastAccess = pending.lastAccess }
        return record
    }
}
