// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension DiskStore {
    /// What the instance has done since it was opened.
    struct Counters {
        var hits = 0
        var misses = 0
        var insertions = 0
        var refusals = 0
        var removals = RecordRemovals()
        /// Whether the last write failed for want of space.
        var isDiskFull = false
    }

    /// Counts removals, and reports the damaged records among them.
    func count(_ removals: RecordRemovals) {
        if removals == RecordRemovals() { return }
        counters.withLock { counters in
            counters.removals.expirations += removals.expirations
            counters.removals.evictions += removals.evictions
            counters.removals.corruptions += removals.corruptions
        }
        if removals.corruptions > 0 {
            configuration.onEvent?(.recordDamaged)
        }
    }

    /// Reports that the disk has become full, or has room again.
    func noteWrite(wasRefusedForSpace isFull: Bool) {
        let changed = counters.withLock { counters in
            defer { counters.isDiskFull = isFull }
            return counters.isDiskFull != isFull
        }
        if changed {
            configuration.onEvent?(isFull ? .diskFull : .diskRecovered)
        }
    }
}
