// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

extension DiskStore {
    /// Removes every expired record, and returns their number. Suspends. O(log n) for each.
    ///
    /// Nothing needs this: expired records are misses, and go when they are asked for or when the limits need their room. Works in batches, so that others can write in between.
    /// The records count as expirations in ``statistics()``.
    public func removeExpiredRecords() async throws(StoreError) -> Int {
        let core = core
        var total = 0
        while true {
            try core.checkCancellation()
            let removed = RemovedCount()
            try await core.commit(.perform { transaction in removed.value.store(try transaction.removeExpired(), ordering: .releasing) })
            let batchCount = removed.value.load(ordering: .acquiring)
            total += batchCount
            if batchCount == 0 { return total }
        }
    }

    private final class RemovedCount: Sendable {
        let value = Atomic<Int>(0)
    }
}

extension WriteTransaction {
    private static let maximumExpiredCount = 256

    /// Removes some records that have expired. Returns how many.
    fileprivate func removeExpired() throws -> Int {
        var count = 0
        for place in try expiredPlaces(limit: Self.maximumExpiredCount) {
            if try removeRow(at: place) { count += 1 }
        }
        removals.expirations += count
        return count
    }
}
