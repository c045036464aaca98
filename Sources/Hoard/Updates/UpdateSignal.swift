// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells one observer which of its keys to look at again. Changes of a key that come before the look are merged.
///
/// Any thread may note changes; one task waits for them.
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

    /// Notes a change, and wakes the observer.
    ///
    /// - Parameter number: The observer's number of the key.
    func note(_ number: Int, _ change: (inout KeyChanges) -> Void) {
        let waiter = state.withLock { state in
            change(&state.changes[number, default: KeyChanges()])
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Whether a key has changes that were not taken.
    func hasChanges(of number: Int) -> Bool { state.withLock { $0.changes[number] != nil } }

    /// Ends the signal: there will be no further changes.
    func end() {
        let waiter = state.withLock { state in
            state.isEnded = true
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Takes the changes since the last call, by the numbers of their keys; `nil` after the end.
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
