// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A process's knowledge of the database, held in memory: which records there are, where each is, when it was last used, and which tags were invalidated.
///
/// Once it is complete, a record that is not in it is not in the database, unless another process has just written it. A record that is in it may be gone.
///
/// *Stamps* order all uses: twice the microseconds since 2001-01-01 00:00 UTC, or two more than the last stamp where the clock stood still or went
/// back. Setting the clock therefore never turns the order around. An odd stamp is a reading, an even one a writing. The stamp of its first writing is a
/// record's *place*: the number of its row, until it is removed. That one is odd, too, if the record had been evicted on trial lately (``EvictionProgress``).
struct RecordIndex {
    /// The place of each record.
    private(set) var places = IdentifierMap()
    /// The stamp of each record's row in the queue of eviction, if that is not its place.
    private var stamps = IdentifierMap()
    /// The number of records whose stamp is that of a reading.
    private var triedCount = 0
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

    /// Where a record may be.
    enum Whereabouts: Hashable {
        case at(_ place: Int64)
        case nowhere
        /// The index is not complete. The directory knows the places of the records that it lacks.
        case unknown
    }

    /// Where a record is. O(1).
    func whereabouts(of identifier: Int64) -> Whereabouts {
        if let place = places[identifier] { return .at(place) }
        return isComplete ? .nowhere : .unknown
    }

    /// Whether the database may have a record.
    func mayHold(_ identifier: Int64) -> Bool { whereabouts(of: identifier) != .nowhere }

    /// The stamp of a record's row in the queue of eviction; `nil` if the record is not known.
    func stamp(of identifier: Int64) -> Int64? { (stamps.isEmpty ? nil : stamps[identifier]) ?? places[identifier] }

    /// The number of records that are known.
    var count: Int { places.count }

    /// The number of those that are on trial: they have not been read since they came.
    var trialCount: Int { places.count - triedCount }

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
    /// Enters a record's row in the queue. An older stamp than the known one changes nothing.
    mutating func enter(_ identifier: Int64, stamp: Int64, place: Int64) {
        advance(past: stamp)
        let known = self.stamp(of: identifier)
        guard identifier != 0, known ?? .min <= stamp else { return }
        triedCount += Int(stamp & 1) - Int((known ?? 0) & 1)
        places.updateValue(place, forIdentifier: identifier)
        if stamp == place {
            if !stamps.isEmpty { stamps.removeValue(forIdentifier: identifier) }
        } else {
            stamps.updateValue(stamp, forIdentifier: identifier)
        }
    }

    /// The record is gone, unless a later row than the one with this stamp is known.
    ///
    /// The latter happens if another process has written the record anew before a transaction of this one, which removed it, was settled.
    mutating func remove(_ identifier: Int64, upTo stamp: Int64 = .max) {
        if let known = self.stamp(of: identifier) {
            if known > stamp { return }
            triedCount -= Int(known & 1)
        }
        uses.removeValue(forIdentifier: identifier)
        // While the index is being loaded, the loader might put the record back. It is then thought to be there, which costs a query, no more.
        places.removeValue(forIdentifier: identifier)
        stamps.removeValue(forIdentifier: identifier)
    }

    /// Makes room for so many records at once. Call while none is known.
    mutating func reserve(_ count: Int) { places = IdentifierMap(minimumCapacity: count) }

    /// Knows the records of another index, and no others.
    mutating func replaceRecords(with other: RecordIndex) { (places, stamps, triedCount) = (other.places, other.stamps, other.triedCount) }

    /// All records are gone, but those with a later stamp than this one.
    mutating func removeAll(upTo stamp: Int64 = .max) {
        var later = RecordIndex()
        places.forEach { identifier, place in
            let known = stamps[identifier] ?? place
            if known > stamp { later.enter(identifier, stamp: known, place: place) }
        }
        replaceRecords(with: later)
        uses.removeAll()
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
