// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// The commands whose replies are awaited, oldest first. Replies come in the same order, so a place in it is all that ties the two together.
///
/// A place whose caller no longer waits stays until its reply has come: otherwise the next caller would get that reply.
/// All commands have the same time to wait, so the oldest has the first deadline.
struct CommandQueue<Waiter> {
    private struct Place {
        var waiter: Waiter?
        var deadline: Int64
        var byteCount: Int
    }

    let maximumCount: Int
    let maximumByteCount: Int
    private var places = CircularBuffer<Place>(initialCapacity: 64)
    /// The number of the oldest place.
    private var firstNumber: UInt64 = 1
    private(set) var byteCount = 0
    /// The places before this one have no waiter any more, because their deadlines have passed.
    private var firstWithTime: UInt64 = 1

    init(maximumCount: Int, maximumByteCount: Int) {
        self.maximumCount = maximumCount
        self.maximumByteCount = maximumByteCount
    }

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }

    /// Whether so many more commands may wait.
    func hasRoom(for count: Int) -> Bool {
        places.isEmpty ? count <= maximumCount : places.count + count <= maximumCount && byteCount < maximumByteCount
    }

    /// Adds a command as the last one. O(1).
    /// - Returns: The number of its place, which is never used again and never 0.
    mutating func append(_ waiter: Waiter, deadline: Int64, byteCount: Int) -> UInt64 {
        places.append(Place(waiter: waiter, deadline: deadline, byteCount: byteCount))
        self.byteCount += byteCount
        return firstNumber + UInt64(places.count - 1)
    }

    /// Takes the oldest place away, for its reply has come. O(1).
    /// - Returns: The waiter, if the caller still waits. `wasAwaited` is `false` if the queue is empty, so that no command asked for the reply.
    mutating func takeFirst() -> (wasAwaited: Bool, waiter: Waiter?) {
        guard let place = places.popFirst() else { return (false, nil) }
        firstNumber += 1
        byteCount -= place.byteCount
        return (true, place.waiter)
    }

    /// Takes away the caller that waits at a place; the place stays. O(1).
    mutating func takeWaiter(at number: UInt64) -> Waiter? {
        guard number >= firstNumber, number - firstNumber < UInt64(places.count) else { return nil }
        let index = places.index(places.startIndex, offsetBy: Int(number - firstNumber))
        defer { places[index].waiter = nil }
        return places[index].waiter
    }

    /// Takes away those whose deadline has passed; their places stay.
    mutating func takeOverdue(now: Int64) -> [Waiter] {
        var overdue: [Waiter] = []
        var offset = firstWithTime > firstNumber ? Int(firstWithTime - firstNumber) : 0
        while offset < places.count {
            let index = places.index(places.startIndex, offsetBy: offset)
            guard places[index].deadline <= now else { break }
            if let waiter = places[index].waiter { overdue.append(waiter) }
            places[index].waiter = nil
            offset += 1
        }
        firstWithTime = firstNumber + UInt64(offset)
        return overdue
    }

    /// Takes away the oldest places, as far as their deadlines have passed. Only for commands that have not been written: no replies come for them.
    /// - Returns: The waiters that were left, and the number of bytes that the commands have.
    mutating func removeOverdue(now: Int64) -> (waiters: [Waiter], byteCount: Int) {
        var waiters: [Waiter] = []
        let before = byteCount
        while let place = places.first, place.deadline <= now {
            if let waiter = takeFirst().waiter { waiters.append(waiter) }
        }
        return (waiters, before - byteCount)
    }

    /// The deadline of the oldest place that has not passed when ``takeOverdue(now:)`` was last called. `nil` if there is none.
    var nextDeadline: Int64? {
        let offset = firstWithTime > firstNumber ? Int(firstWithTime - firstNumber) : 0
        guard offset < places.count else { return nil }
        return places[places.index(places.startIndex, offsetBy: offset)].deadline
    }

    /// Empties the queue: no reply will come any more.
    mutating func takeAll() -> [Waiter] {
        let waiters = places.compactMap(\.waiter)
        firstNumber += UInt64(places.count)
        places.removeAll(keepingCapacity: places.count <= 1_024)
        byteCount = 0
        return waiters
    }
}
