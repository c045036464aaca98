// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Gathers the values to write behind while the stores are busy, so that one call of a store writes all that have come meanwhile.
///
/// A writer takes up to ``batchCount`` elements at a time. If more elements wait because a store is slow, another writer begins beside it.
///
/// A queue that *gathers* starts no writer for fewer elements until its owner says that enough time has passed: a store that commits many values at once
/// takes little longer than for one.
final class WriteBehindQueue<Element: Sendable>: Sendable {
    /// When the caller has to start a writer, which takes batches until there are none.
    enum Start {
        case now
        /// If ``endGathering()`` says so, after some time.
        case later
    }

    /// The next thing for a writer that has written its batch, or has just begun.
    enum Next {
        case batch(Batch)
        /// The writer ends. Another one may have to be started.
        case end(Start?)
    }

    /// Elements that a writer has taken, in order.
    struct Batch: Sendable {
        let elements: [Element]
        /// The number of elements that were taken before.
        fileprivate let start: Int
    }

    private struct State {
        /// The elements to take next, the first one at the end.
        var next: [Element] = []
        /// The elements that came later, in order.
        var added: [Element] = []
        var writerCount = 0
        /// The number of writers that have not taken their first batch yet.
        var startingCount = 0
        /// Whether no writer is at work, and ``endGathering()`` will be called.
        var isGathering = false
        /// The numbers of elements that were ever taken, and that were written.
        var takenCount = 0
        var writtenCount = 0
        /// The callers that wait for room.
        var callers: [CheckedContinuation<Void, Never>] = []
        /// The callers that wait for the first elements up to an end, each with the number of those that are not written yet.
        var waiters: [(end: Int, left: Int, continuation: CheckedContinuation<Void, Never>)] = []

        var count: Int { next.count + added.count }
        /// The number of elements that were ever added.
        var addedCount: Int { takenCount + count }
        var isFull: Bool { count > WriteBehindQueue.maximumWaitingCount }

        /// Has a writer started that does not wait until more elements have gathered.
        mutating func startWriter() -> Start {
            isGathering = false
            writerCount += 1
            startingCount += 1
            return .now
        }

        mutating func take(_ maximumCount: Int) -> [Element] {
            var taken: [Element] = []
            while taken.count < maximumCount {
                if next.isEmpty {
                    next = added.reversed()
                    added = []
                }
                guard let element = next.popLast() else { break }
                taken.append(element)
            }
            takenCount += taken.count
            return taken
        }

        /// Returns the callers that have waited for a batch.
        mutating func wrote(_ batch: Batch) -> [CheckedContinuation<Void, Never>] {
            writtenCount += batch.elements.count
            for index in waiters.indices {
                waiters[index].left -= max(0, min(batch.elements.count, waiters[index].end - batch.start))
            }
            let woken = waiters.filter { $0.left == 0 }.map(\.continuation)
            if !woken.isEmpty { waiters.removeAll { $0.left == 0 } }
            return woken
        }
    }

    private let gathers: Bool
    private let state = Mutex(State())

    init(gathers: Bool = false) { self.gathers = gathers }

    /// The most elements written in one call.
    static var batchCount: Int { 64 }
    /// The most writers at work at a time.
    static var maximumWriterCount: Int { 8 }
    /// The most elements that may wait. With more, the callers that add them wait too.
    static var maximumWaitingCount: Int { 256 }

    /// Adds elements to the end of the queue. O(number of elements).
    ///
    /// - Returns: `nil` if the caller has to start no writer.
    func add(_ elements: [Element]) -> Start? {
        state.withLock { state in
            state.added += elements
            guard state.writerCount == 0 else {
                // Elements that are to be written together wait for the writer that is about to begin.
                let left = gathers ? state.count - Self.batchCount * state.startingCount : state.count
                return state.writerCount < Self.maximumWriterCount && left > Self.batchCount ? state.startWriter() : nil
            }
            guard mayGather(state) else { return state.startWriter() }
            if state.isGathering { return nil }
            state.isGathering = true
            return .later
        }
    }

    /// Whether nobody waits for the elements, and few have come.
    private func mayGather(_ state: borrowing State) -> Bool { gathers && state.count < Self.batchCount && state.waiters.isEmpty }

    /// The time for gathering is over.
    func endGathering() -> Start? { state.withLock { $0.isGathering ? $0.startWriter() : nil } }

    /// Whether no more than ``maximumWaitingCount`` elements wait. O(1).
    var hasRoom: Bool { state.withLock { !$0.isFull } }

    /// Suspends while too many elements wait.
    func waitForRoom() async {
        if hasRoom { return }
        await withCheckedContinuation { continuation in
            let isFull = state.withLock { state in
                if state.isFull { state.callers.append(continuation) }
                return state.isFull
            }
            if !isFull { continuation.resume() }
        }
    }

    /// The number of callers that wait for elements to be written. For tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Suspends until the elements that have been added are written. Others that are added meanwhile, as fast as they are written, are not waited for.
    ///
    /// - Parameter start: Called if a writer has to be started for them.
    func waitUntilWritten(start: (Start) -> Void = { _ in }) async {
        await withCheckedContinuation { continuation in
            let (isWritten, needed) = state.withLock { state -> (Bool, Start?) in
                let end = state.addedCount
                let left = end - state.writtenCount
                guard left > 0 else { return (true, nil) }
                state.waiters.append((end, left, continuation))
                return (false, state.isGathering ? state.startWriter() : nil)
            }
            if isWritten { continuation.resume() }
            if let needed { start(needed) }
        }
    }

    /// Takes the elements that have waited longest. O(number of elements taken), amortised.
    ///
    /// - Parameter written: The writer's last batch, which it has written; `nil` if this is its first.
    func takeBatch(after written: Batch?) -> Next {
        let (next, woken) = state.withLock { state -> (Next, [CheckedContinuation<Void, Never>]) in
            var woken = written.map { state.wrote($0) } ?? []
            if written == nil { state.startingCount -= 1 }
            if written != nil, state.count > 0, mayGather(state) {
                state.writerCount -= 1
                // Another writer that is at work sees to them after its batch.
                if state.writerCount > 0 { return (.end(nil), woken) }
                state.isGathering = true
                return (.end(.later), woken)
            }
            let start = state.takenCount
            let elements = state.take(Self.batchCount)
            if elements.isEmpty {
                state.writerCount -= 1
                return (.end(nil), woken)
            }
            if !state.isFull {
                woken += state.callers
                state.callers = []
            }
            return (.batch(Batch(elements: elements, start: start)), woken)
        }
        for continuation in woken { continuation.resume() }
        return next
    }
}
