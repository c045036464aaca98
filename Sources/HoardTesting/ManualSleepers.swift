// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The sleepers of a ``ManualTicker``, the next one first. Its owner guards it, and resumes outside of its lock.
struct ManualSleepers: Sendable {
    private struct Sleeper: Sendable {
        let deadline: Int64
        let id: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// In the order of their deadlines, and for the same deadline in the order in which they came.
    private var sleepers: [Sleeper] = []
    private var lastID: UInt64 = 0
    /// Sleepers that were cancelled before they were added.
    private var cancelled: Set<UInt64> = []
    /// The observers, which wait until so many sleep.
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    var count: Int { sleepers.count }

    var nextDeadline: Int64? { sleepers.first?.deadline }

    mutating func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Adds a sleeper. O(*n*). Returns the observers that have waited for it.
    mutating func add(_ continuation: CheckedContinuation<Void, any Error>, id: UInt64, deadline: Int64) -> [CheckedContinuation<Void, Never>] {
        let index = sleepers.lastIndex { $0.deadline <= deadline }.map { $0 + 1 } ?? 0
        sleepers.insert(Sleeper(deadline: deadline, id: id, continuation: continuation), at: index)
        let due = observers.filter { $0.count <= sleepers.count }
        observers.removeAll { $0.count <= sleepers.count }
        return due.map(\.continuation)
    }

    /// Removes a sleeper, unless it has been woken. If it has not been added yet, it must not be.
    mutating func cancel(_ id: UInt64) -> CheckedContinuation<Void, any Error>? {
        if let index = sleepers.firstIndex(where: { $0.id == id }) { return sleepers.remove(at: index).continuation }
        cancelled.insert(id)
        return nil
    }

    func isCancelled(_ id: UInt64) -> Bool { cancelled.contains(id) }

    /// The sleep is over, for one reason or another.
    mutating func forget(_ id: UInt64) {
        cancelled.remove(id)
    }

    /// Removes those whose deadline has come, the earliest first.
    mutating func takeDue(at now: Int64) -> [CheckedContinuation<Void, any Error>] {
        let due = sleepers.prefix { $0.deadline <= now }.map(\.continuation)
        sleepers.removeFirst(due.count)
        return due
    }
}
