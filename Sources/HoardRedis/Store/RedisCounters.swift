// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// What a store has done since it was opened.
final class RedisCounters: Sendable {
    struct Values: Sendable {
        var hits = 0
        var misses = 0
        var insertions = 0
        var refusals = 0
        var corruptions = 0
        var removals = 0
        /// Whether a value that could not be read has been logged.
        var hasLoggedUnreadable = false
    }

    private let values = Mutex(Values())

    func withLock<Result: Sendable>(_ body: (inout Values) -> Result) -> Result { values.withLock { body(&$0) } }

    func countRead(isHit: Bool) {
        values.withLock { values in
            if isHit { values.hits += 1 } else { values.misses += 1 }
        }
    }

    var statistics: StoreStatistics {
        let values = values.withLock { $0 }
        var statistics = StoreStatistics()
        statistics.hits = values.hits
        statistics.misses = values.misses
        statistics.insertions = values.insertions
        statistics.refusals = values.refusals
        statistics.corruptions = values.corruptions
        statistics.removals = values.removals
        return statistics
    }
}
