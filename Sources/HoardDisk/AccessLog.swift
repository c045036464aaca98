// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The uses of records that are not yet in the database.
///
/// A read notes its use here and commits nothing. The next write transaction, whatever it is for, carries all of them into the
/// database, before it evicts anything.
///
/// Uses are ordered by *recency*, a number that grows with every use: microseconds of the wall clock, or one more than
/// the last number where the clock stood still or went back. Setting the clock therefore never turns the order around.
final class AccessLog: Sendable {
    struct Use: Sendable, Hashable {
        var recency: Int64
        var lastAccess: Date
    }

    /// What the caller of ``noteUse(of:at:)`` needs to know.
    struct Noted {
        /// The use before this one, if it is still pending.
        var previous: Use?
        /// Whether the caller must see to it that the log is written soon. `true` once for each time the log fills.
        var mustFlush: Bool
    }

    private struct State {
        var pending: [Int64: Use] = [:]
        var latestRecency: Int64 = 0
        var isFlushRequested = false

        mutating func nextRecency(at date: Date) -> Int64 {
            let microseconds = Int64(exactly: (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.down)) ?? 0
            let (successor, overflowed) = latestRecency.addingReportingOverflow(1)
            latestRecency = max(microseconds, overflowed ? .max : successor)
            return latestRecency
        }
    }

    /// How many records' uses are collected before they are written without waiting for a write.
    let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = 1024) {
        self.capacity = capacity
    }

    /// Notes that the record with `id` is used now. O(1).
    ///
    /// The log never holds more than twice its capacity; beyond, while the disk does not take writes, uses are forgotten.
    func noteUse(of id: Int64, at date: Date) -> Noted {
        state.withLock { state in
            let use = Use(recency: state.nextRecency(at: date), lastAccess: date)
            let previous = state.pending[id]
            if previous != nil || state.pending.count < 2 * capacity {
                state.pending[id] = use
            }
            let mustFlush = state.pending.count >= capacity && !state.isFlushRequested
            if mustFlush { state.isFlushRequested = true }
            return Noted(previous: previous, mustFlush: mustFlush)
        }
    }

    /// A recency greater than all before it.
    func nextRecency(at date: Date) -> Int64 {
        state.withLock { $0.nextRecency(at: date) }
    }

    /// Makes every later recency greater than `recency`, which was found in the database.
    func advance(past recency: Int64) {
        state.withLock { $0.latestRecency = max($0.latestRecency, recency) }
    }

    /// Whether there is nothing to write.
    var isEmpty: Bool {
        state.withLock { $0.pending.isEmpty }
    }

    /// The use of `id` that is not yet in the database.
    func pendingUse(of id: Int64) -> Use? {
        state.withLock { $0.pending[id] }
    }

    /// Empties the log.
    func takeAll() -> [Int64: Use] {
        state.withLock { state in
            state.isFlushRequested = false
            return exchange(&state.pending, with: [:])
        }
    }

    /// Takes uses back that could not be written. Later uses of the same records win.
    func putBack(_ uses: [Int64: Use]) {
        state.withLock { state in
            for (id, use) in uses where state.pending[id] == nil && state.pending.count < capacity {
                state.pending[id] = use
            }
        }
    }
}
