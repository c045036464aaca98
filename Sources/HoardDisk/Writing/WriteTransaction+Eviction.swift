// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

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

    /// Removes records until the totals are within the limits: expired ones first, then as described above.
    ///
    /// - Complexity: O(log n) for each record removed, O(1) if there is nothing to remove.
    func enforceLimits() throws {
        try makeRoom(for: RecordTotals(count: 0, bytes: 0), trialCount: 0)
        if let eviction { try deleteRecencyRows(eviction.takeDoomed()) }
    }

    /// Removes records until the limits allow another record, as ``enforceLimits()`` does.
    ///
    /// Before it is inserted, not after: so it gets the pages that the others leave. SQLite writes pages that have become free to its log, too.
    ///
    /// - Parameter isOnTrial: Whether the record that comes will be on trial.
    func makeRoom(forCharge charge: Int, isOnTrial: Bool) throws {
        guard limits.admit(charge: charge) else { return }
        try makeRoom(for: RecordTotals(count: 1, bytes: charge), trialCount: isOnTrial ? 1 : 0)
    }

    /// - Parameter trialCount: How many of those that are to be added are on trial.
    private func makeRoom(for added: RecordTotals, trialCount: Int) throws {
        if limits.allow(totals, and: added) { return }
        if mayHaveExpired { try removeExpired(toMakeRoomFor: added) }
        var (hasBegunAnew, hasRebuiltQueue) = (false, false)
        while !limits.allow(totals, and: added) {
            let eviction = try beginEviction()
            let count = totals.count + added.count
            let preferred = nextKind(of: count, onTrial: eviction.trialCount(of: totals.count) + trialCount)
            let takesTried = (preferred == .tried) == (eviction.passedCount < Self.maximumPassedCount)
            let kinds: [Eviction.Kind] = preferred == .any ? [.any] : takesTried ? [.tried, .onTrial] : [.onTrial, .tried]
            if try kinds.contains(where: { try evictNext($0, eviction) }) { continue }
            if !hasBegunAnew {
                hasBegunAnew = true
            } else if !hasRebuiltQueue {
                // Records are left that are not in the queue, or the totals were wrong.
                hasRebuiltQueue = true
                try recomputeTotals()
                try rebuildRecency()
            } else {
                try recomputeTotals()
                break
            }
            eviction.beginAnew()
        }
    }

    private func removeExpired(toMakeRoomFor added: RecordTotals) throws {
        while !limits.allow(totals, and: added) {
            let expired = try expiredPlaces(limit: Self.pageSize)
            if expired.isEmpty {
                mayHaveExpired = false
                break
            }
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

    private func nextKind(of count: Int, onTrial trialCount: Int) -> Eviction.Kind {
        if count < Self.leastCountForTrial { return .any }
        return trialCount > count / Self.trialShare ? .onTrial : .tried
    }

    private func beginEviction() throws -> Eviction {
        if let eviction { return eviction }
        // Until the index knows the latest row of each record in the queue, an older one would be taken for it.
        try session.loadIndex()
        let begun = session.memory.withLock { memory in
            Eviction(
                memory.evictionProgress,
                knownCount: hasRemovedAll ? 0 : memory.index.count,
                knownTrialCount: hasRemovedAll ? 0 : memory.index.trialCount
            )
        }
        for (identifier, entry) in entries { begun.note(storedStamp(of: identifier), entry?.stamp) }
        eviction = begun
        return begun
    }

    /// Takes the next row of the queue for a kind, and evicts its record if that is of the kind. Returns whether there was a row.
    private func evictNext(_ kind: Eviction.Kind, _ eviction: Eviction) throws -> Bool {
        var next = eviction.nextRow(kind)
        if next == nil {
            // Those that are about to be deleted are not to be read again.
            try deleteRecencyRows(eviction.takeDoomed())
            eviction.add(try RecencyRow.page(statements.oldestRecency, after: eviction.end(of: kind), limit: Self.pageSize), for: kind)
            next = eviction.nextRow(kind)
        }
        guard let row = next else { return false }
        let current = currentStamp(of: row.id)
        let isSuperseded = current.map { $0 != row.stamp } ?? false
        let isOnTrial = Eviction.isOnTrial(row.stamp)
        // One of the other kind keeps its place in the queue.
        if !isSuperseded, current != nil, kind != .any, isOnTrial != (kind == .onTrial) {
            try deleteRecencyRows(eviction.takeDoomed())
            eviction.passOver()
            return true
        }
        try deleteRecencyRows(eviction.doom(row, kind))
        if isSuperseded { return true }
        guard try removeRow(at: row.place) else {
            note(row.id, nil)
            return true
        }
        removals.evictions += 1
        if isOnTrial, kind == .onTrial { evictedOnTrial.append(row.id) }
        return true
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
