// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard

/// Other limits while the store is in use.
extension DiskStore: ResizableRecordStore {
    /// Changes ``Configuration/maximumBytes`` for as long as the store is open. Suspends until the limit holds.
    ///
    /// More room loses nothing. With a lower limit, expired records leave first and then others, in the order of eviction. They leave in transactions of
    /// at most 16 MiB or 2,048 records, between which others read and write. The files on disk shrink when the store is next compacted.
    ///
    /// Of several calls at a time the last one decides; the others end.
    ///
    /// - Parameter maximumBytes: The new limit; `nil` for none. Negative values count as 0.
    /// - Throws: ``StoreError`` if records cannot be removed. Then the limit is one between the old and the new one.
    /// - Complexity: O(*k* log *n*) for *k* records that leave.
    public func setMaximumBytes(_ maximumBytes: Int?) async throws(StoreError) {
        let core = core
        let wanted = core.wantMaximumBytes(maximumBytes.map { max(0, $0) })
        while true {
            let held = try await statistics()
            var step = wanted
            // The mean size says about how many records that is.
            let stepBytes = min(16 << 20, max(1, held.bytes / max(1, held.count)).multipliedReportingOverflow(by: 2_048).partialValue)
            step.maximumBytes = wanted.maximumBytes.map { max($0, held.bytes - max(1, stepBytes)) }
            guard core.approachLimits(wanted, by: step) else { return }
            try await core.commit(.perform { _ in })
            if step == wanted { return }
        }
    }
}
