// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lets one task after the other work, in the order in which they came.
final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
    }

    private let state = Mutex(State())

    /// Runs `body` when all that came before are done. Waiting does not react to cancellation: half a change is none.
    func take<Result: Sendable>(_ body: () async -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFirst { continuation.resume() }
        }
        let result = await body()
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.waiting.popFirst()
        }
        next?.resume()
        return result
    }
}
