// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Gathers the values to write behind while the stores are busy, so that one call of a store writes all that have come meanwhile.
///
/// A writer takes up to ``batchCount`` elements at a time. If more elements wait because a store is slow, another writer begins beside it.
final class WriteBehindQueue<Element: Sendable>: Sendable {
    private struct State {
        /// The elements to take next, the first one at the end.
        var next: [Element] = []
        /// The elements that came later, in order.
        var added: [Element] = []
        var writerCount = 0
        /// The callers that wait for room.
        var callers: [CheckedContinuation<Void, Never>] = []
        var idleWaiters: [CheckedContinuation<Void, Never>] = []

        var count: Int { next.count + added.count }
        var isFull: Bool { count > WriteBehindQueue.maximumWaitingCount }

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
            return taken
        }
    }

    private let state = Mutex(State())

    /// The most elements written in one call.
    static var batchCount: Int { 64 }
    /// The most writers at work at a time.
    static var maximumWriterCount: Int { 8 }
    /// The most elements that may wait. With more, the callers that add them wait too.
    static var maximumWaitingCount: Int { 256 }

    /// Adds elements to the end of the queue. O(number of elements).
    ///
    /// - Returns: Whether the caller has to start a writer, which takes batches until there are none.
    func add(_ elements: [Element]) -> Bool {
        state.withLock { state in
            state.added += elements
            let needsWriter = state.writerCount == 0 || (state.writerCount < Self.maximumWriterCount && state.count > Self.batchCount)
            if needsWriter { state.writerCount += 1 }
            return needsWriter
        }
    }

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

    /// Suspends until all added elements are written and no writer is at work.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.writerCount > 0 { state.idleWaiters.append(continuation) }
                return state.writerCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Takes the elements that have waited longest; none if the writer's work is done. O(number of elements taken), amortised.
    func takeBatch() -> [Element] {
        let (batch, woken) = state.withLock { state -> ([Element], [CheckedContinuation<Void, Never>]) in
            let batch = state.take(Self.batchCount)
            if batch.isEmpty {
                state.writerCount -= 1
                guard state.writerCount == 0 else { return ([], []) }
                defer { state.idleWaiters = [] }
                return ([], state.idleWaiters)
            }
            if state.isFull { return (batch, []) }
            defer { state.callers = [] }
            return (batch, state.callers)
        }
        for continuation in woken { continuation.resume() }
        return batch
    }
}
