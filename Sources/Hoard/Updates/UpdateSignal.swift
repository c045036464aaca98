// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells one observer which of its keys to look at again. Changes that come before it looks become one.
///
/// Every thread may note changes; one task waits for them.
final class UpdateSignal: Sendable {
    private struct State: Sendable {
        var changes: [Int: KeyChanges] = [:]
        var waiter: CheckedContinuation<Void, Never>?
        var isEnded = false

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Mutex(State())

    /// - Parameter number: The observer's number of the key.
    func note(_ number: Int, _ change: (inout KeyChanges) -> Void) {
        let waiter = state.withLock { state in
            change(&state.changes[number, default: KeyChanges()])
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Whether something has been noted of a key that was not taken.
    func hasChanges(of number: Int) -> Bool { state.withLock { $0.changes[number] != nil } }

    /// There will be no further changes.
    func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// The changes since the last call, by the numbers of their keys; `nil` after the end.
    func take() -> [Int: KeyChanges]? {
        state.withLock { state in
            if state.isEnded { return nil }
            defer { state.changes = [:] }
            return state.changes
        }
    }

    /// Waits for a change, the end, or the cancellation of the task.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.changes.isEmpty || state.isEnded || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeWaiter() }?.resume()
        }
    }
}
