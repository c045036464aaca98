// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Gathers what is written behind while the stores are busy, so that one call of a store writes all that has come meanwhile.
///
/// One writer takes up to ``batchCount`` elements at a time. Only if that many wait for it, since a store takes long, does another one begin beside it.
final class WriteBehindQueue<Element: Sendable>: Sendable {
    private struct State {
        /// The next ones to be taken, the first of them last.
        var next: [Element] = []
        /// Those that have come since, in order.
        var added: [Element] = []
        var writerCount = 0
        /// Those who have added more than there was room for.
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

    /// So many elements are written in one call at most.
    static var batchCount: Int { 64 }
    /// So many writers are at work at most.
    static var maximumWriterCount: Int { 8 }
    /// If more elements wait, those who add them wait too.
    static var maximumWaitingCount: Int { 256 }

    /// Adds elements behind those that wait. O(number of elements).
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

    /// Whether no more elements wait than may. O(1).
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

    /// Suspends until everything that has been added is written, and no writer is at work.
    func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.writerCount > 0 { state.idleWaiters.append(continuation) }
                return state.writerCount == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// The elements that have waited longest; none: the writer's work is done. O(number of elements taken), spread over those that were added.
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
