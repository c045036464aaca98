// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// Remembers, for the URIs asked for most recently, why the last answer was stored or not. Bounded.
final class DecisionJournal: Sendable {
    static let maximumCount = 1_024

    private struct State {
        var decisions: [HTTPCacheKey: HTTPDecision] = [:]
        /// In the order in which they were first noted.
        var keys = CircularBuffer<HTTPCacheKey>()
    }

    private let state = Mutex(State())

    func note(_ decision: HTTPDecision, for key: HTTPCacheKey) {
        state.withLock { state in
            guard state.decisions.updateValue(decision, forKey: key) == nil else { return }
            state.keys.append(key)
            if state.keys.count > Self.maximumCount { state.decisions[state.keys.removeFirst()] = nil }
        }
    }

    /// Forgets the decisions about some keys.
    func removeAll(where isRemoved: (HTTPCacheKey) -> Bool) {
        state.withLock { state in
            state.decisions = state.decisions.filter { !isRemoved($0.key) }
            state.keys = CircularBuffer(state.keys.filter { !isRemoved($0) })
        }
    }

    func decision(for key: HTTPCacheKey) -> HTTPDecision? {
        state.withLock { $0.decisions[key] }
    }
}
