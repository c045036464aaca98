// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process's knowledge of the database, held in memory: which records there are, when each was last used, and which tags were invalidated.
///
/// Once it is complete, a record that is not in it is not in the database, unless another process has just written it. A record that is in it may be gone.
///
/// *Stamps* order all uses: twice the microseconds since 2001-01-01 00:00 UTC, or two more than the last stamp where the clock stood still or went
/// back. Setting the clock therefore never turns the order around. An odd stamp is a reading, an even one a writing.
struct RecordIndex {
    /// The stamp of each record's row in the queue of eviction.
    private(set) var stamps = IdentifierMap()
    /// The uses that are not yet in the database.
    private(set) var uses = IdentifierMap()
    private(set) var latestStamp: Int64 = 0
    /// Whether every record of the database is known.
    var isComplete = false
    /// Since which sequence records with a tag may be valid, by the tag's hash.
    var invalidations: [Int64: Int64] = [:]
    /// The marks that have ended records' freshness: by record's identifier, by tag's number, and on everything.
    var staleMarks: [Int64: StaleMarks] = [:]
    private var isFlushRequested = false

    /// How many records' uses are collected before they are written without waiting for a write.
    let useCapacity: Int

    init(useCapacity: Int = 8192) {
        self.useCapacity = useCapacity
    }
}

extension RecordIndex {
    /// A stamp greater than all before it.
    mutating func nextStamp(at date: Date, isUse: Bool) -> Int64 {
        let microseconds = Int64(exactly: (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.down)) ?? 0
        let (doubled, overflowed) = microseconds.multipliedReportingOverflow(by: 2)
        let (successor, isAtEnd) = (latestStamp | 1).addingReportingOverflow(1)
        let even = max(overflowed ? 0 : doubled, isAtEnd ? .max - 1 : successor)
        latestStamp = isUse ? even | 1 : even
        return latestStamp
    }

    /// Makes every later stamp greater than one that was found in the database.
    mutating func advance(past stamp: Int64) {
        latestStamp = max(latestStamp, stamp)
    }

    /// The date of a use.
    static func date(of stamp: Int64) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(stamp >> 1) / 1_000_000)
    }

    /// When a record was last read; `nil` if it was not since it was written, as far as is known.
    func lastUse(of identifier: Int64) -> Date? {
        if let use = uses[identifier] { return Self.date(of: use) }
        guard let stamp = stamps[identifier], stamp & 1 == 1 else { return nil }
        return Self.date(of: stamp)
    }

    /// The result of noting a use.
    struct Noted {
        /// The use before this one.
        var previous: Date?
        /// Whether the caller must see to it that the uses are written soon. `true` once each time there are many.
        var mustFlush: Bool
    }

    /// Whether the database may have a record.
    func mayHold(_ identifier: Int64) -> Bool {
        !isComplete || stamps[identifier] != nil
    }

    /// Notes a use. O(1).
    ///
    /// Never holds more than twice the capacity; beyond, while the disk takes no writes, uses are forgotten.
    mutating func noteUse(of identifier: Int64, at now: Date) -> Noted {
        let previous = lastUse(of: identifier)
        let stamp = nextStamp(at: now, isUse: true)
        if uses.count < 2 * useCapacity || uses[identifier] != nil {
            uses.updateValue(stamp, forIdentifier: identifier)
        }
        let mustFlush = uses.count >= useCapacity && !isFlushRequested
        if mustFlush { isFlushRequested = true }
        return Noted(previous: previous, mustFlush: mustFlush)
    }

    /// The uses that are not yet in the database, oldest first.
    func pendingUses() -> [(identifier: Int64, stamp: Int64)] {
        if uses.isEmpty { return [] }
        var pending: [(identifier: Int64, stamp: Int64)] = []
        pending.reserveCapacity(uses.count)
        uses.forEach { pending.append(($0, $1)) }
        return pending.sorted { $0.stamp < $1.stamp }
    }

    /// Forgets a use that has been written, unless there has been another since.
    mutating func settleUse(of identifier: Int64, noted stamp: Int64) {
        if uses[identifier] == stamp { uses.removeValue(forIdentifier: identifier) }
        isFlushRequested = false
    }
}

extension RecordIndex {
    /// Enters the stamp of a record's row in the queue. An older stamp than the known one changes nothing.
    mutating func enter(_ identifier: Int64, stamp: Int64) {
        advance(past: stamp)
        if let known = stamps[identifier], known > stamp { return }
        stamps.updateValue(stamp, forIdentifier: identifier)
    }

    /// The record is gone, unless a later row than the one with this stamp is known.
    ///
    /// The latter happens if another process has written the record anew before a transaction of this one, which removed it, was settled.
    mutating func remove(_ identifier: Int64, upTo stamp: Int64 = .max) {
        if let known = stamps[identifier], known > stamp { return }
        uses.removeValue(forIdentifier: identifier)
        // While the index is being loaded, the loader might put the record back. It is then thought to be there, which costs a query, no more.
        stamps.removeValue(forIdentifier: identifier)
    }

    /// Forgets which records there are, but not their uses, until the index has been filled again.
    mutating func forgetRecords() {
        stamps.removeAll()
        isComplete = false
    }

    /// All records are gone, but those with a later stamp than this one.
    mutating func removeAll(upTo stamp: Int64 = .max) {
        var later: [(identifier: Int64, stamp: Int64)] = []
        stamps.forEach { if $1 > stamp { later.append(($0, $1)) } }
        stamps.removeAll()
        uses.removeAll()
        for record in later { stamps.updateValue(record.stamp, forIdentifier: record.identifier) }
    }

    /// Whether a record that was written at `sequence` has gone with its tags or partition.
    func isInvalidated(_ row: RecordRow) -> Bool {
        if invalidations.isEmpty { return false }
        if let partition = row.partition, let end = invalidations[partition], end >= row.sequence { return true }
        return stride(from: 0, to: row.tags.count / 8 * 8, by: 8).contains { offset in
            (invalidations[row.tags.integer(at: offset, as: Int64.self)] ?? .min) >= row.sequence
        }
    }
}
