// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

/// How far eviction has come along the queue of eviction: no row up to these stamps is of the kind.
struct EvictionProgress: Sendable, Hashable {
    /// Rows of records that have not been read since they came.
    var onTrial = Int64.min
    /// Rows of records that have.
    var tried = Int64.min
}

/// Eviction.
///
/// Records that have not been read since they came are *on trial*: the stamps of their rows in the queue of eviction are even. As long as they are more than a fifth
/// of all records, the oldest of them leaves; otherwise, of the others the least recently used. A record that comes again soon after it was evicted on trial is not on
/// trial a second time. So records that are read once and never again do not drive out those that are read often. This is 2Q (Johnson and Shasha, VLDB 1994) with
/// LRU in place of its first queue's rule; decision 124 has the figures. With few records, the least recently used of all leaves.
extension WriteTransaction {
    /// The number of records from which on they are on trial at first.
    private static let leastCountForTrial = 256
    /// The share of the records that may be on trial when others are evicted: one in so many.
    private static let trialShare = 5
    private static let pageSize = 64
    /// The number of rows that a transaction passes over, after which it takes the next to be evicted of the other kind. The next one goes on from there.
    private static let maximumPassedCount = 4_096

    private enum Kind { case any, onTrial, tried }

    /// Removes records until the totals are within the limits: expired ones first, then as described above.
    ///
    /// - Complexity: O(log n) for each record removed, O(1) if there is nothing to remove.
    func enforceLimits() throws {
        try removeExpiredForRoom()
        if limits.allow(totals) { return }
        // Until the index knows the latest row of each record in the queue, an older one would be taken for it.
        try session.loadIndex()
        var progress = session.memory.withLock { $0.evictionProgress }
        var trialCount = trialCount()
        var passedCount = 0
        var (hasBegunAnew, hasRebuiltQueue) = (false, false)
        while !limits.allow(totals) {
            let preferred = nextKind(trialCount: trialCount)
            let takesTried = (preferred == .tried) == (passedCount < Self.maximumPassedCount)
            let kinds: [Kind] = preferred == .any ? [.any] : takesTried ? [.tried, .onTrial] : [.onTrial, .tried]
            var hasFound = false
            for kind in kinds where !hasFound { hasFound = try evictPage(kind, &progress, &trialCount, &passedCount) }
            if hasFound { continue }
            if !hasBegunAnew {
                hasBegunAnew = true
                progress = EvictionProgress()
            } else if !hasRebuiltQueue {
                // Records are left that are not in the queue, or the totals were wrong.
                hasRebuiltQueue = true
                try recomputeTotals()
                try rebuildRecency()
                progress = EvictionProgress()
            } else {
                try recomputeTotals()
                break
            }
        }
        evictionProgress = progress
    }

    private func removeExpiredForRoom() throws {
        while !limits.allow(totals) {
            let expired = try expiredPlaces(limit: Self.pageSize)
            if expired.isEmpty { break }
            var hasRemoved = false
            for place in expired where try removeRow(at: place) {
                removals.expirations += 1
                hasRemoved = true
            }
            // The table's index has entries without rows, which would be found again and again.
            guard hasRemoved else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "The index of expiry has entries without records.") }
        }
    }

    /// The places of records that have expired, those of the earliest first.
    func expiredPlaces(limit: Int) throws -> [Int64] {
        statements.expired.bind(StoredRecord.microseconds(now), at: 1)
        statements.expired.bind(Int64(limit), at: 2)
        defer { statements.expired.reset() }
        var places: [Int64] = []
        while try statements.expired.step() { places.append(statements.expired.integer(0)) }
        return places
    }

    private func nextKind(trialCount: Int) -> Kind {
        if totals.count < Self.leastCountForTrial { return .any }
        return trialCount > totals.count / Self.trialShare ? .onTrial : .tried
    }

    /// The number of records on trial, with what has been done here.
    ///
    /// The index goes on knowing records that other processes have evicted. Most of those were on trial, and all are taken for such: if they counted, nothing that
    /// this process writes would outlive its trial.
    private func trialCount() -> Int {
        if hasRemovedAll { return entries.values.count { $0.map { $0.stamp & 1 == 0 } ?? false } }
        let (trialCount, knownCount) = session.memory.withLock { memory in
            var (trialCount, knownCount) = (memory.index.trialCount, memory.index.count)
            for (identifier, entry) in entries {
                if let stamp = memory.index.stamp(of: identifier) {
                    knownCount -= 1
                    if stamp & 1 == 0 { trialCount -= 1 }
                }
                if let entry {
                    knownCount += 1
                    if entry.stamp & 1 == 0 { trialCount += 1 }
                }
            }
            return (trialCount, knownCount)
        }
        return max(0, trialCount - max(0, knownCount - totals.count))
    }

    /// Evicts records along a page of the queue, as long as their kind is the one to be evicted. Returns whether there was a row.
    private func evictPage(
        _ kind: Kind,
        _ progress: inout EvictionProgress,
        _ trialCount: inout Int,
        _ passedCount: inout Int
    ) throws -> Bool {
        let start = kind == .any ? .min : kind == .onTrial ? progress.onTrial : progress.tried
        let rows = try RecencyRow.page(statements.oldestRecency, after: start, limit: Self.pageSize)
        let preferred = nextKind(trialCount: trialCount)
        for row in rows {
            if limits.allow(totals) || nextKind(trialCount: trialCount) != preferred { break }
            switch kind {
            case .any: break
            case .onTrial: progress.onTrial = row.stamp
            case .tried: progress.tried = row.stamp
            }
            let current = currentStamp(of: row.id)
            let isSuperseded = current.map { $0 != row.stamp } ?? false
            let isOnTrial = row.stamp & 1 == 0
            // One of the other kind keeps its place in the queue.
            if !isSuperseded, current != nil, kind != .any, isOnTrial != (kind == .onTrial) {
                passedCount += 1
                continue
            }
            try deleteRecencyRow(row.stamp)
            if isSuperseded { continue }
            guard try removeRow(at: row.place) else {
                entries[row.id] = .some(nil)
                continue
            }
            removals.evictions += 1
            guard isOnTrial else { continue }
            trialCount -= 1
            if kind == .onTrial { evictedOnTrial.append(row.id) }
        }
        return !rows.isEmpty
    }

    /// Puts a record into the queue of eviction that is not in it.
    func requeue(_ identifier: Int64, at place: Int64) throws {
        placed.append(identifier)
        try appendToRecency(identifier, at: place, stamp: nextStamp())
    }

    /// Puts records into the queue that are not in it. O(n); for when the queue is damaged.
    private func rebuildRecency() throws {
        let missing = try Row.fetchAll(
            db,
            sql: "SELECT IFNULL(id, place) AS number, place FROM records WHERE number NOT IN (SELECT id FROM recency) ORDER BY sequence"
        )
        for row in missing { try requeue(row.decode(atIndex: 0), at: row.decode(atIndex: 1)) }
    }
}
