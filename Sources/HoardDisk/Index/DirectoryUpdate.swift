// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Hoard
import Synchronization

/// The part of the table `directory` that is yet to be written.
///
/// The directory leads from a record's identifier to its place, and is read while the index in memory is not complete. Identifiers are hashes, so to enter each record at
/// once would write a page for each. So records are collected until there is one for each 16 in the store. Then they are entered in the order of their identifiers,
/// some with each transaction, and a page gets several. Rows of records that are gone do no harm, and leave on the same occasion, or when they are a
/// quarter as many as the records.
///
/// An opening reads the places that the directory may lack from the end of the queue of eviction: those behind ``through``. There are rows of uses, too, so
/// ``through`` also goes on when the queue has got many rows, and few records have come.
struct DirectoryUpdate: Sendable {
    static let query = "SELECT place FROM directory WHERE id = ?"
    static let queryOfThrough = "SELECT place FROM directory WHERE id = \(rowOfThrough)"
    /// The row that has ``through`` for a place. No record has this identifier.
    static let rowOfThrough: Int64 = 0
    /// The number of records up to which the directory is not needed: so many are read at once.
    static let leastCount = 16_384
    private static let recordsForEach = 16
    /// Rows of gone records leave without waiting for new records once there is one for so many records in the store.
    private static let removalsForEach = 4
    /// The number of records that a transaction enters for each that it changes.
    private static let pace = 4

    /// The records whose places up to this one are in the directory.
    private(set) var through: Int64 = .min
    /// Records that have got a place since those of `sorted`.
    private var placed: [Int64] = []
    /// Records that have lost theirs since.
    private var removed: [Int64] = []
    /// The number of rows that the queue of eviction has got since those of `sorted` were taken.
    private var rowCount = 0
    /// Records to be entered, in the order of their identifiers; `nil` while none are. When they all are, the directory is complete up to `next`.
    private var sorted: [Int64]?
    private var enteredCount = 0
    private var next: Int64 = .min

    init(through: Int64 = .min) { self.through = through }

    /// Notes that the queue of eviction has got rows.
    mutating func noteRows(_ count: Int) { rowCount += count }

    /// Notes that a record has got a place.
    mutating func note(_ identifier: Int64) {
        if identifier != Self.rowOfThrough { placed.append(identifier) }
    }

    /// Notes that a record has lost its place.
    mutating func noteRemoved(_ identifier: Int64) {
        if identifier != Self.rowOfThrough { removed.append(identifier) }
    }

    /// Takes in how far the directory is complete by the work of other processes, and forgets what they have entered.
    ///
    /// - Parameter places: Where each record is.
    mutating func adopt(through other: Int64, _ places: IdentifierMap) {
        guard other > through else { return }
        (through, rowCount) = (other, 0)
        guard placed.count >= Self.leastCount else { return }
        placed.removeAll { identifier in places[identifier].map { $0 <= other } ?? false }
    }

    /// The records that a transaction is to enter that has changed `count` records; `nil` if nothing is to be done.
    func batch(forChanges count: Int) -> ArraySlice<Int64>? {
        sorted.map { $0[enteredCount...].prefix(count * Self.pace) }
    }

    /// The last place up to which the directory is complete once a batch has been entered; `nil` if the batch is not the last one.
    func through(after batch: ArraySlice<Int64>) -> Int64? {
        // No smaller one than is known: an opening would read more.
        batch.endIndex == sorted?.endIndex ? max(through, next) : nil
    }

    /// A batch has been entered and committed.
    mutating func settle(_ batch: ArraySlice<Int64>) {
        enteredCount = batch.endIndex
        guard enteredCount == sorted?.count else { return }
        through = max(through, next)
        (sorted, enteredCount) = (nil, 0)
    }

    /// Takes what waits if nothing is being entered and there is enough of it. The caller sorts it and gives it to ``begin(_:next:)``.
    mutating func takeWaiting(recordCount: Int) -> [Int64]? {
        let leastCount = max(Self.leastCount, recordCount / Self.recordsForEach)
        // In a small store, meaningless rows are removed before they are so many.
        let isDue = placed.count >= leastCount || removed.count >= max(Self.leastCount, recordCount / Self.removalsForEach)
        guard sorted == nil, isDue || (recordCount > Self.leastCount && rowCount >= 2 * leastCount) else { return nil }
        defer { (placed, removed, rowCount) = ([], [], 0) }
        return placed + removed
    }

    /// Begins to enter records.
    ///
    /// - Parameter next: The latest place when they were taken.
    mutating func begin(_ sorted: [Int64], next: Int64) {
        (self.sorted, enteredCount, self.next) = (sorted, 0, next)
    }
}

extension WriteTransaction {
    /// Enters some records in the directory, in proportion to the work of the transaction. Call when that is done.
    func updateDirectory() throws {
        guard !entries.isEmpty, !hasRemovedAll else { return }
        let work = session.memory.withLock { memory -> (batch: ArraySlice<Int64>, through: Int64?)? in
            guard memory.index.isComplete, let batch = memory.directory.batch(forChanges: entries.count) else { return nil }
            return (batch, memory.directory.through(after: batch))
        }
        guard let (batch, through) = work else { return }
        for identifier in batch {
            if let place = try place(of: identifier) {
                try enter(identifier, place)
            } else {
                statements.leave.bind(identifier, at: 1)
                try statements.leave.run()
            }
        }
        if let through { try enter(DirectoryUpdate.rowOfThrough, through) }
        directoryBatch = batch
    }

    private func enter(_ identifier: Int64, _ place: Int64) throws {
        statements.enter.bind(identifier, at: 1)
        statements.enter.bind(place, at: 2)
        try statements.enter.run()
    }
}

extension DatabaseSession {
    /// Begins to enter what waits, if there is enough of it. Call on the writing thread, as the records are sorted here.
    func renewDirectoryUpdate() {
        let taken = memory.withLock { memory in
            memory.directory.takeWaiting(recordCount: memory.index.count).map { (identifiers: $0, latest: memory.latestStoredStamp) }
        }
        guard let taken else { return }
        var sorted = taken.identifiers.sorted()
        sorted.removeDuplicates()
        memory.withLock { [sorted] in $0.directory.begin(sorted, next: taken.latest) }
    }
}

extension RawStatement {
    /// Where the directory says that a record is. ``DirectoryUpdate/query`` is the statement.
    ///
    /// Records of which it says nothing are in the places that format 3 gave them, if they are there at all: those of their identifiers.
    func place(of identifier: Int64) throws -> Int64 {
        bind(identifier, at: 1)
        defer { reset() }
        return try step() ? integer(0) : identifier
    }
}

extension [Int64] {
    /// Removes elements that are equal to the one before.
    fileprivate mutating func removeDuplicates() {
        var last: Int64?
        removeAll { element in
            defer { last = element }
            return element == last
        }
    }
}
