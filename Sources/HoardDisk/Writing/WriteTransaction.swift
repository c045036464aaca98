// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How much the database holds.
struct RecordTotals: Sendable, Hashable {
    var count: Int
    var bytes: Int
}

/// The numbers of removed records, by cause.
struct RecordRemovals: Sendable, Hashable {
    var expirations = 0
    var evictions = 0
    var corruptions = 0
    /// Removals that a caller asked for.
    var requests = 0

    static func + (left: Self, right: Self) -> Self {
        Self(
            expirations: left.expirations + right.expirations,
            evictions: left.evictions + right.evictions,
            corruptions: left.corruptions + right.corruptions,
            requests: left.requests + right.requests
        )
    }
}

/// A transaction under way. It notes its work, which the index, the files and the other processes are told once it is
/// committed.
///
/// SQLite's lock keeps all other writers out, in this process and in others.
final class WriteTransaction {
    let db: Database
    let session: DatabaseSession
    let statements: WriteStatements
    let now: Date
    let limits: RecordLimits

    var totals = RecordTotals(count: 0, bytes: 0)
    /// Orders all writes to the database. The last one used.
    var sequence: Int64 = 0
    var removals = RecordRemovals()
    var changes = ChangeList()
    /// Where a record is now, and its stamp in the queue of eviction.
    struct Entry {
        var place: Int64
        var stamp: Int64
    }

    /// The records written or used here, and `nil` for those removed.
    var entries: [Int64: Entry?] = [:]
    /// Records that have got a place here, or were found in one that the directory may lack.
    var placed: [Int64] = []
    /// Records that were evicted here while they were on trial.
    var evictedOnTrial: [Int64] = []
    /// Records that came here and had been evicted on trial lately.
    var returned: [Int64] = []
    /// `nil` if nothing has had to be evicted here, or nothing since all records were removed.
    var eviction: Eviction?
    /// Whether there may be records whose time is up.
    var mayHaveExpired = true
    /// Records entered in the directory here; `nil` if nothing was to be done.
    var directoryBatch: ArraySlice<Int64>?
    /// The bytes charged for the rows removed here.
    var removedByteCount = 0
    /// The number of rows that the queue of eviction has gained.
    var recencyRowDifference = 0
    /// Uses written here, with the stamps under which they had been noted.
    var settledUses: [(identifier: Int64, stamp: Int64)] = []
    /// Files whose rows are gone, to be deleted after the commit.
    var abandonedFiles: [PayloadFileName] = []
    /// Files put in place here, which are orphans if the transaction fails.
    var placedFiles: [StagedFile] = []
    /// Whether all records have been removed here, before the stamps above.
    var hasRemovedAll = false
    /// Tags to be swept after the commit.
    var sweptTags: [Int64] = []
    /// Tags of which no invalid record is left.
    var settledTags: [Int64] = []
    /// Stale marks added here.
    var addedMarks: [ScopedStaleMark] = []
    /// Scopes of stale marks that have been deleted here, before those above were added.
    var settledScopes: [Int64] = []
    private var latestStoredStamp: Int64 = 0
    /// The greatest stamp whose row was deleted here.
    private var greatestDeletedStamp = Int64.min

    init(_ db: Database, session: DatabaseSession, statements: WriteStatements, now: Date, limits: RecordLimits) {
        self.db = db
        self.session = session
        self.statements = statements
        self.now = now
        self.limits = limits
    }

    /// Reads the totals. Call first, after catching up.
    func begin() throws {
        let stored = try StoredTotals(db) ?? StoredTotals(recounting: db)
        totals = stored.totals
        sequence = stored.sequence
        latestStoredStamp = session.memory.withLock { $0.latestStoredStamp }
    }

    /// Writes the rows that all transactions write at their end.
    func finish() throws {
        if totals.count < 0 || totals.bytes < 0 { try recomputeTotals() }
        try enforceLimits()
        try cleanRecency()
        try updateDirectory()
        try giveSpaceBackAtTimes()
        try keepLatestStamp()
        if !changes.isEmpty {
            sequence += 1
            let (previous, count) = session.memory.withLock { memory in
                memory.changeListCount += 1
                return (memory.latestChange, memory.changeListCount)
            }
            try session.sealed(changes).withUnsafeBytes { body in
                statements.insertChange.bind(sequence, at: 1)
                statements.insertChange.bind(previous, at: 2)
                statements.insertChange.bind(session.origin, at: 3)
                statements.insertChange.bind(body, at: 4)
                try statements.insertChange.run()
            }
            if count % 64 == 0 { try statements.trimChanges.run() }
        }
        statements.writeTotals.bind(Int64(totals.count), at: 1)
        statements.writeTotals.bind(Int64(totals.bytes), at: 2)
        statements.writeTotals.bind(sequence, at: 3)
        statements.writeTotals.bind(StoredTotals(totals: totals, sequence: sequence).checksum, at: 4)
        try statements.writeTotals.run()
    }

    /// Tells the index of the committed changes.
    ///
    /// The database has been free for others since the commit. What this process may have learned of their changes meanwhile is later, and stays.
    func settle() {
        session.memory.withLock { memory in
            if hasRemovedAll {
                memory.index.removeAll(upTo: latestStoredStamp)
                memory.index.dropStaleMarks(upTo: sequence)
            }
            for (identifier, entry) in entries {
                if let entry {
                    memory.index.enter(identifier, stamp: entry.stamp, place: entry.place)
                } else {
                    memory.index.remove(identifier, upTo: latestStoredStamp)
                    memory.directory.noteRemoved(identifier)
                }
            }
            // Neither a use nor a replacement moves a record. One that came here may have been replaced here as well.
            for identifier in placed { memory.directory.note(identifier) }
            memory.directory.noteRows(entries.values.count { $0 != nil })
            if let directoryBatch { memory.directory.settle(directoryBatch) }
            for identifier in returned { _ = memory.ghosts.remove(identifier) }
            if !evictedOnTrial.isEmpty { memory.ghosts.reserve(totals.count / 2) }
            // Not one that has come again since.
            for identifier in evictedOnTrial where !isHeld(identifier) { memory.ghosts.insert(identifier) }
            if let eviction { memory.evictionProgress = eviction.progress }
            for use in settledUses { memory.index.settleUse(of: use.identifier, noted: use.stamp) }
            memory.latestStoredStamp = max(memory.latestStoredStamp, latestStoredStamp)
            memory.recencyRowCount += recencyRowDifference
            if !changes.isEmpty { memory.latestChange = max(memory.latestChange, sequence) }
            memory.adoptInvalidations(changes.invalidations)
            for tag in settledTags where memory.index.invalidations[tag] ?? .min <= sequence { memory.index.invalidations[tag] = nil }
            for scope in settledScopes { memory.index.dropStaleMarks(on: scope, upTo: sequence) }
            session.adopt(addedMarks, in: &memory)
        }
        session.renewDirectoryUpdate()
    }

    /// Whether a record was written or used here, and has not been removed since.
    private func isHeld(_ identifier: Int64) -> Bool { entries[identifier].flatMap { $0 } != nil }

    /// Counts the records anew. O(n); for when the running totals may be wrong.
    func recomputeTotals() throws {
        totals = try StoredTotals(recounting: db).totals
    }
}

/// Recency.
extension WriteTransaction {
    /// Returns the stamp of the next row in the queue of eviction, greater than all before it.
    func nextStamp(isUse: Bool = false) -> Int64 {
        latestStoredStamp = session.memory.withLock { memory in
            memory.index.advance(past: latestStoredStamp)
            return memory.index.nextStamp(at: now, isUse: isUse)
        }
        return latestStoredStamp
    }

    /// Puts a record at the end of the queue of eviction, with a stamp that is the greatest now.
    func appendToRecency(_ identifier: Int64, at place: Int64, stamp: Int64) throws {
        statements.insertRecency.bind(stamp, at: 1)
        statements.insertRecency.bind(identifier, at: 2)
        statements.insertRecency.bind(place == stamp ? RecencyRow.placeAtStamp : place, at: 3)
        try statements.insertRecency.run()
        note(identifier, Entry(place: place, stamp: stamp))
        recencyRowDifference += 1
    }

    /// Writes the uses that were noted in memory. O(k) for k uses.
    func flushUses() throws {
        let pending = session.memory.withLock { $0.index.pendingUses() }
        for use in pending {
            settledUses.append(use)
            guard let place = try place(of: use.identifier) else { continue }
            // A noted stamp that is not the greatest would be missed by processes that look for greater ones than they know.
            if use.stamp > latestStoredStamp { latestStoredStamp = use.stamp } else { _ = nextStamp(isUse: true) }
            try appendToRecency(use.identifier, at: place, stamp: latestStoredStamp)
        }
    }

    /// The stamp of the row in the queue that counts for a record; `nil` if the record is not known.
    func currentStamp(of identifier: Int64) -> Int64? {
        if let entry = entries[identifier] { entry?.stamp } else { storedStamp(of: identifier) }
    }

    /// The same before this transaction.
    func storedStamp(of identifier: Int64) -> Int64? {
        hasRemovedAll ? nil : session.memory.withLock { $0.index.stamp(of: identifier) }
    }

    /// Notes where a record is now; `nil`: it is gone.
    func note(_ identifier: Int64, _ entry: Entry?) {
        eviction?.note(currentStamp(of: identifier), entry?.stamp)
        entries[identifier] = .some(entry)
    }

    /// Deletes the rows of the queue between two stamps; `nil`: none.
    func deleteRecencyRows(_ stamps: ClosedRange<Int64>?) throws {
        guard let stamps else { return }
        statements.deleteRecency.bind(stamps.lowerBound, at: 1)
        statements.deleteRecency.bind(stamps.upperBound, at: 2)
        try statements.deleteRecency.run()
        recencyRowDifference -= db.changesCount
        greatestDeletedStamp = max(greatestDeletedStamp, stamps.upperBound)
    }

    /// All rows of the queue have been deleted.
    func noteEmptyRecency() { greatestDeletedStamp = latestStoredStamp }

    /// Leaves a row of no record with the greatest stamp there ever was, if its own row has gone.
    ///
    /// The next process that opens the database goes on from that stamp. Without it, if the clock is behind, the other processes would miss
    /// records written with stamps that they have passed.
    private func keepLatestStamp() throws {
        guard greatestDeletedStamp >= latestStoredStamp, latestStoredStamp > 0 else { return }
        statements.insertRecency.bind(latestStoredStamp, at: 1)
        statements.insertRecency.bind(0, at: 2)
        statements.insertRecency.bind(0, at: 3)
        try statements.insertRecency.run()
        recencyRowDifference += 1
    }

    /// Removes some rows of the queue that mean nothing any more, if there are many. The work is in proportion to the
    /// rows that this transaction has added.
    private func cleanRecency() throws {
        let (rowCount, knownCount, cursor, isComplete) = session.memory.withLock { memory in
            (memory.recencyRowCount + recencyRowDifference, memory.index.count, memory.cleaningStamp, memory.index.isComplete)
        }
        guard isComplete, recencyRowDifference > 0, rowCount > 1024, rowCount > min(knownCount, totals.count) * 2 else { return }
        let rows = try RecencyRow.page(statements.oldestRecency, after: cursor, limit: recencyRowDifference * 4 + 64)
        // The index was filled from the queue, and so knows records that had gone before.
        let knowsOthers = knownCount - entries.values.count { $0 == nil } > totals.count
        for row in rows {
            if currentStamp(of: row.id) == row.stamp {
                guard knowsOthers, try isGone(row.place) else { continue }
                note(row.id, nil)
            }
            try deleteRecencyRows(row.stamp...row.stamp)
        }
        session.memory.withLock { memory in
            memory.cleaningStamp = rows.last?.stamp ?? .min
            // At the end of the queue: begin again, with the right number of rows.
            if rows.isEmpty { memory.recencyRowCount = min(memory.recencyRowCount, min(memory.index.count, totals.count) * 3 / 2) }
        }
    }

    private func isGone(_ place: Int64) throws -> Bool {
        statements.rowSummary.bind(place, at: 1)
        defer { statements.rowSummary.reset() }
        return try !statements.rowSummary.step()
    }
}
