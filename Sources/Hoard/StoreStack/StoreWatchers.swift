// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The watchers of a store, which hear of changes that others make: functions that are called at once, and streams that their readers read in
/// their own time.
package final class StoreWatchers: Sendable {
    private struct State: Sendable {
        var functions: [UInt64: @Sendable (StoreInvalidation) -> Void] = [:]
        /// The same functions in the order in which they were added, made when they have changed.
        var inOrder: [@Sendable (StoreInvalidation) -> Void] = []
        var streams: [UInt64: AsyncStream<StoreInvalidation>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isFinished = false

        mutating func nextID() -> UInt64 {
            lastID += 1
            return lastID
        }

        mutating func setFunction(_ function: (@Sendable (StoreInvalidation) -> Void)?, id: UInt64) {
            functions[id] = function
            inOrder = functions.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private let state = Mutex(State())
    private let maximumBufferedCount: Int

    /// - Parameter maximumBufferedCount: The most changes that a stream keeps for a slow reader. Beyond that it tells of everything.
    package init(maximumBufferedCount: Int = 1_024) {
        self.maximumBufferedCount = max(1, maximumBufferedCount)
    }

    /// Whether there are no watchers.
    package var isEmpty: Bool { state.withLock { $0.functions.isEmpty && $0.streams.isEmpty } }

    /// Adds a function, until the watch ends.
    package func add(_ onChange: @escaping @Sendable (StoreInvalidation) -> Void) -> StoreWatch {
        let id = state.withLock { state in
            let id = state.nextID()
            if !state.isFinished { state.setFunction(onChange, id: id) }
            return id
        }
        return StoreWatch { [weak self] in
            // The function is released outside the lock.
            let old = self?.state.withLock { state in
                let old = state.functions[id]
                state.setFunction(nil, id: id)
                return old
            }
            withExtendedLifetime(old) {}
        }
    }

    /// A stream of the changes from now on. It ends with ``finish()``.
    package func makeStream() -> AsyncStream<StoreInvalidation> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreInvalidation.self, bufferingPolicy: .bufferingNewest(maximumBufferedCount))
        let id = state.withLock { state -> UInt64? in
            guard !state.isFinished else { return nil }
            let id = state.nextID()
            state.streams[id] = continuation
            return id
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.streams.removeValue(forKey: id) } }
        return stream
    }

    /// Tells all watchers, on this thread. Must not be called inside a lock.
    package func tell(_ invalidation: StoreInvalidation) {
        let (functions, streams) = state.withLock { ($0.inOrder, $0.streams) }
        for function in functions { function(invalidation) }
        for continuation in streams.values {
            // The stream has dropped a change. An invalidation of everything, the last that it keeps, makes up for that.
            if case .dropped = continuation.yield(invalidation) { continuation.yield(.everything) }
        }
    }

    /// Ends the streams and lets go of the functions. No watcher is told of anything any more.
    package func finish() {
        let (functions, streams) = state.withLock { state in
            defer {
                state.isFinished = true
                state.functions = [:]
                state.inOrder = []
                state.streams = [:]
            }
            return (state.inOrder, state.streams)
        }
        withExtendedLifetime(functions) {}
        for continuation in streams.values { continuation.finish() }
    }
}
