// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A number that several tasks change, and that one can wait for.
package final class Counter: Sendable {
    private struct State {
        var value = 0
        var waiters: [(value: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var value: Int { state.withLock { $0.value } }

    /// Returns the sum.
    @discardableResult
    package func add(_ amount: Int = 1) -> Int {
        let (sum, reached) = state.withLock { state in
            state.value += amount
            let reached = state.waiters.filter { $0.value <= state.value }
            state.waiters.removeAll { $0.value <= state.value }
            return (state.value, reached)
        }
        for waiter in reached { waiter.continuation.resume() }
        return sum
    }

    /// Adds 1 and returns the sum.
    @discardableResult
    package func increment() -> Int { add() }

    /// Suspends until the number has been `value` or more.
    package func wait(for value: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.value < value { state.waiters.append((value, continuation)) }
                return state.value >= value
            }
            if isReached { continuation.resume() }
        }
    }
}
