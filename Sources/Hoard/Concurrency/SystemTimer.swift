// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Sleeps that leave nothing behind when they are cancelled.
///
/// The runtime keeps a cancelled `Task.sleep` until its time would have come: 700 bytes for each request whose timeout did not pass. Here all sleeps
/// share a few alarms, which are sleeps of the runtime that are never cancelled. An alarm that has no sleeper to wake costs one wake-up.
///
/// A new alarm is set only for a deadline that comes before all alarms that are set, and rings after at most half the time until the first of these. So
/// there are never more than some thirty, whatever the deadlines are.
final class SystemTimer: Sendable {
    static let shared = SystemTimer()

    private struct State {
        var sleepers = DeadlineHeap<UnsafeContinuation<Void, any Error>>()
        /// When the alarms ring, the first one last.
        var alarms: [Int64] = []
    }

    private let state = Mutex(State())

    /// A year, in nanoseconds. A later deadline needs another alarm then.
    private static let longestAlarm: Int64 = 365 * 86_400 * 1_000_000_000

    /// How many sleep, and how many alarms are set. For tests.
    var counts: (sleepers: Int, alarms: Int) { state.withLock { ($0.sleepers.count, $0.alarms.count) } }

    /// Suspends for a time. Takes a lock and O(log *n*), *n* the number of sleepers.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled.
    func sleep(for nanoseconds: Int64) async throws {
        let deadline = MonotonicTicker().nanoseconds().addingSaturated(nanoseconds)
        let id = state.withLock { $0.sleepers.newID() }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                state.withLock { state in
                    state.sleepers.add(continuation, id: id, deadline: deadline)
                    setAlarm(&state)
                }
                // A cancellation that came before the sleeper was known found no sleeper to wake.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        state.withLock { $0.sleepers.remove(id) }?.resume(throwing: CancellationError())
    }

    /// Sees to it that an alarm rings when the first sleeper is to be woken, or earlier.
    private func setAlarm(_ state: inout State) {
        guard let deadline = state.sleepers.firstDeadline else { return }
        let now = MonotonicTicker().nanoseconds()
        var time = min(deadline, now.addingSaturated(Self.longestAlarm))
        if let first = state.alarms.last {
            if first <= deadline { return }
            let half = first.subtractingSaturated(now) / 2
            // Those that ring so soon are gone so soon.
            if half > 1_000_000 { time = min(time, now + half) }
        }
        state.alarms.append(time)
        let rest = max(0, time.subtractingSaturated(now))
        // The alarm is for all sleepers, not only for the task that came first, so it is detached from that task.
        Task.detached { [self] in
            try? await Task.sleep(for: .nanoseconds(rest))
            ring(time)
        }
    }

    private func ring(_ time: Int64) {
        let due = state.withLock { state in
            let now = MonotonicTicker().nanoseconds()
            // This one is over, also if the runtime's clock is ahead of ours.
            while let first = state.alarms.last, first <= max(now, time) { state.alarms.removeLast() }
            let due = state.sleepers.takeDue(at: now)
            setAlarm(&state)
            return due
        }
        for sleeper in due { sleeper.resume() }
    }
}
