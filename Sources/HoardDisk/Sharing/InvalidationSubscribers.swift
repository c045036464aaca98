// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Hoard
import Synchronization

/// The subscribers to changes of other processes.
final class InvalidationSubscribers: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<StoreInvalidation>.Continuation] = [:]
        var nextNumber = 0
        var isFinished = false
        /// Whether a caller of ``beginWatching()`` looks for changes.
        var isWatching = false
    }

    /// A subscriber that is further behind is told that everything may have changed.
    static let bufferedCount = 1024

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    /// Whether the caller is to look for changes from now on: there are subscribers, and no other caller looks yet.
    func beginWatching() -> Bool {
        state.withLock { state in
            if state.isWatching || state.continuations.isEmpty { return false }
            state.isWatching = true
            return true
        }
    }

    /// Whether the caller that looks for changes is to go on.
    func continueWatching() -> Bool {
        state.withLock { state in
            state.isWatching = !state.continuations.isEmpty
            return state.isWatching
        }
    }

    /// A new subscriber's stream. Ends when the store is closed.
    func makeStream() -> AsyncStream<StoreInvalidation> {
        let (stream, continuation) = AsyncStream.makeStream(of: StoreInvalidation.self, bufferingPolicy: .bufferingNewest(Self.bufferedCount))
        let number: Int? = state.withLock { state in
            if state.isFinished { return nil }
            state.nextNumber += 1
            state.continuations[state.nextNumber] = continuation
            return state.nextNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.continuations[number] = nil }
        }
        return stream
    }

    /// Tells the subscribers of changes.
    func announce(_ changes: ChangeList) {
        if changes.isEmpty { return }
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations {
            if changes.isEverything || changes.concernsAny {
                continuation.yield(StoreInvalidation(key: nil))
                continue
            }
            var invalidations = changes.keys.map { StoreInvalidation(key: $0) }
            if !changes.tags.isEmpty { invalidations.append(StoreInvalidation(tags: changes.tags)) }
            for invalidation in invalidations {
                if case .dropped = continuation.yield(invalidation) {
                    // This invalidation covers the dropped one, and takes the place of the next oldest.
                    continuation.yield(StoreInvalidation(key: nil))
                }
            }
        }
    }

    func finish() {
        let continuations = state.withLock { state in
            state.isFinished = true
            return exchange(&state.continuations, with: [:]).values
        }
        for continuation in continuations { continuation.finish() }
    }
}
