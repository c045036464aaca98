// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// The counts of a store's work since it was opened.
final class DiskCounters: Sendable {
    struct Values {
        var refusals = 0
        var removals = RecordRemovals()
        /// Whether the last write failed for want of space.
        var isDiskFull = false
    }

    /// Counted by every reading, so without a lock.
    let hits = Atomic<Int>(0)
    let misses = Atomic<Int>(0)
    let insertions = Atomic<Int>(0)
    private let values = Mutex(Values())

    func withLock<Result>(_ body: (inout Values) -> Result) -> Result {
        values.withLock { ConnectionBound(value: body(&$0)) }.value
    }
}

extension DiskCore {
    /// Counts removals, and reports the damaged records among them.
    func count(_ removals: RecordRemovals) {
        if removals == RecordRemovals() { return }
        counters.withLock { $0.removals = $0.removals + removals }
        if removals.corruptions > 0 { configuration.onEvent?(.recordDamaged) }
    }

    /// Reports that the disk has become full, or has room again.
    func noteWrite(wasRefusedForSpace isFull: Bool) {
        let changed = counters.withLock { counters in
            defer { counters.isDiskFull = isFull }
            return counters.isDiskFull != isFull
        }
        if changed { configuration.onEvent?(isFull ? .diskFull : .diskRecovered) }
    }
}
