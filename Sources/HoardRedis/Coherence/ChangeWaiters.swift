// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tasks that wait until a key has changed.
final class ChangeWaiters: Sendable {
    private struct Waiter {
        let keys: [KeyHash]
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var numbers: [KeyHash: Set<Int>] = [:]
        var nextNumber = 0
        var isFinished = false

        mutating func take(_ number: Int) -> CheckedContinuation<Void, Never>? {
            guard let waiter = waiters.removeValue(forKey: number) else { return nil }
            for key in waiter.keys {
                numbers[key]?.remove(number)
                if numbers[key]?.isEmpty == true { numbers[key] = nil }
            }
            return waiter.continuation
        }
    }

    private let state = Mutex(State())

    /// How many tasks wait.
    var count: Int { state.withLock { $0.waiters.count } }

    /// Waits until one of the keys is said to have changed, the task is cancelled, or the number that `onWait` is given is woken.
    ///
    /// - Parameter onWait: Called when changes are noticed from now on.
    func wait(for keys: [KeyHash], onWait: (Int) -> Void) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    if state.isFinished { return false }
                    state.waiters[number] = Waiter(keys: keys, continuation: continuation)
                    for key in keys { state.numbers[key, default: []].insert(number) }
                    return true
                }
                guard mustWait else { return continuation.resume() }
                onWait(number)
                // A cancellation that came before the waiter was registered found no waiter to wake.
                if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    func wake(_ number: Int) {
        state.withLock { $0.take(number) }?.resume()
    }

    /// Wakes the callers that wait for one of the keys.
    func wake(_ keys: [KeyHash]) {
        let continuations = state.withLock { state in
            state.numbers.isEmpty ? [] : keys.flatMap { key in (state.numbers[key] ?? []).compactMap { state.take($0) } }
        }
        for continuation in continuations { continuation.resume() }
    }

    func wakeAll() {
        let continuations = state.withLock { state in
            let continuations = state.waiters.values.map(\.continuation)
            state.waiters = [:]
            state.numbers = [:]
            return continuations
        }
        for continuation in continuations { continuation.resume() }
    }

    /// Wakes all waiters, and lets no caller wait any more.
    func finish() {
        state.withLock { $0.isFinished = true }
        wakeAll()
    }
}
