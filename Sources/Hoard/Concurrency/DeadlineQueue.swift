// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Calls functions at given times, all from one sleeping task, which exists only while something is waited for.
///
/// Made for deadlines that are nearly always cancelled before they come: scheduling and cancelling take a lock and O(log *n*).
package final class DeadlineQueue: Sendable {
    /// Stands for a scheduled call.
    package struct Token: Sendable {
        fileprivate let id: UInt64
    }

    private struct State: Sendable {
        var calls = DeadlineHeap<@Sendable () -> Void>()
        /// The deadline that the sleeping task waits for.
        var sleepsUntil: Int64?
        var sleeper: Task<Void, Never>?
        var sleeperNumber: UInt64 = 0
    }

    private let ticker: any Ticker
    private let state = Mutex(State())

    package init(ticker: any Ticker) {
        self.ticker = ticker
    }

    deinit {
        state.withLock { $0.sleeper }?.cancel()
    }

    /// Calls `action` soon after the ticker has reached `deadline`, once, outside all locks, unless it is cancelled before.
    package func schedule(at deadline: Int64, _ action: @escaping @Sendable () -> Void) -> Token {
        let (token, replaced) = state.withLock { state -> (Token, Task<Void, Never>?) in
            let id = state.calls.newID()
            state.calls.add(action, id: id, deadline: deadline)
            guard state.sleepsUntil.map({ deadline < $0 }) ?? true else { return (Token(id: id), nil) }
            return (Token(id: id), startSleeper(until: deadline, &state))
        }
        replaced?.cancel()
        return token
    }

    /// Cancels a call, and releases its function. Does nothing if it has been made or is being made.
    package func cancel(_ token: Token) {
        // The action is released outside the lock.
        let (_, needless) = state.withLock { state -> ((@Sendable () -> Void)?, Task<Void, Never>?) in
            let action = state.calls.remove(token.id)
            return (action, action == nil ? nil : takeNeedlessSleeper(&state))
        }
        needless?.cancel()
    }

    /// The task that sleeps although nothing is waited for any more, if it would do so for long. A short sleep is left to end by itself,
    /// because the next call to wait for is likely to come before that, and a new task costs more than an early end
    /// would save.
    private func takeNeedlessSleeper(_ state: inout State) -> Task<Void, Never>? {
        guard state.calls.isEmpty, let end = state.sleepsUntil, end.subtractingSaturated(ticker.nanoseconds()) > Self.shortSleep else { return nil }
        state.sleepsUntil = nil
        state.sleeperNumber += 1
        defer { state.sleeper = nil }
        return state.sleeper
    }

    /// For so long, in nanoseconds, the queue may go on sleeping though nothing is waited for.
    static let shortSleep: Int64 = 2_000_000_000

    /// Whether a task is sleeping. For tests.
    var isSleeping: Bool { state.withLock { $0.sleeper != nil } }

    /// When the first call is due. For tests.
    var nextDeadline: Int64? { state.withLock { $0.calls.firstDeadline } }

    /// The number of calls waited for. For tests.
    var count: Int { state.withLock { $0.calls.count } }

    /// Starts the task that sleeps until `deadline`. Returns the one it replaces.
    private func startSleeper(until deadline: Int64, _ state: inout State) -> Task<Void, Never>? {
        defer { state.sleepsUntil = deadline }
        let replaced = state.sleeper
        state.sleeperNumber += 1
        let number = state.sleeperNumber
        let ticker = ticker
        // It serves the callers that come later, too, and so has neither the priority nor the task-local values of this one.
        state.sleeper = startDetachedTask(priority: .high) { [weak self] in
            do { try await ticker.sleep(until: deadline) } catch { return }
            self?.wakeUp(number)
        }
        return replaced
    }

    private func wakeUp(_ number: UInt64) {
        let due = state.withLock { state -> [@Sendable () -> Void] in
            guard state.sleeperNumber == number else { return [] }
            let due = state.calls.takeDue(at: ticker.nanoseconds())
            state.sleeper = nil
            state.sleepsUntil = nil
            if let next = state.calls.firstDeadline { _ = startSleeper(until: next, &state) }
            return due
        }
        for action in due { action() }
    }
}
