// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
import Synchronization

extension DiskStore {
    /// Returns the database's totals, whichever process wrote its records, and the counts of this instance since it was opened. O(1).
    ///
    /// Writes that are not yet committed do not count among the records held. A record that is removed because it expired counts as an expiration,
    /// whether a reading or the limits removed it. Replacements count as nothing.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        let totals = try core.read { session in
            try session.readers.withReader { reader in
                try reader.read { db in try (StoredTotals(db) ?? StoredTotals(recounting: db)).totals }
            }
        }
        let limits = core.limits
        var statistics = core.counters.withLock { counters in
            var statistics = StoreStatistics()
            statistics.evictions = counters.removals.evictions
            statistics.expirations = counters.removals.expirations
            statistics.removals = counters.removals.requests
            statistics.refusals = counters.refusals
            statistics.corruptions = counters.removals.corruptions
            return statistics
        }
        statistics.count = totals.count
        statistics.bytes = totals.bytes
        statistics.maximumCount = limits.maximumCount
        statistics.maximumBytes = limits.maximumBytes
        statistics.hits = core.counters.hits.load(ordering: .relaxed)
        statistics.misses = core.counters.misses.load(ordering: .relaxed)
        statistics.insertions = core.counters.insertions.load(ordering: .relaxed)
        return statistics
    }
}
