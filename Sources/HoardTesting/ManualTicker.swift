// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Time that stands still until a test moves it: a `Ticker` and a `WallClock` in one.
///
/// ```swift
/// let time = ManualTicker()
/// let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: time)
/// cache.insert(1, forKey: "a")
/// time.advance(by: .seconds(60))
/// #expect(cache.value(forKey: "a") == nil)
///
/// let sleeper = Task { try await time.sleep(until: time.nanoseconds() + 1_000) }
/// await time.sleepers(1)
/// time.advance(by: .nanoseconds(1_000))
/// try await sleeper.value
/// ```
///
/// The wall clock is computed from the date it was set to last and the time that has passed since then, so that many
/// small steps end at the same date as one large step.
public final class ManualTicker: Ticker, WallClock {
    private struct State {
        var nanoseconds: Int64
        var dateAtLastSetting: Date
        var elapsedSinceLastSetting = Duration.zero
        var sleepers = ManualSleepers()
    }

    private let state: Mutex<State>

    /// Creates time that stands still.
    ///
    /// - Parameters:
    ///   - nanoseconds: The first time of the ticker.
    ///   - date: The first date of the wall clock. By default 2023-11-14 22:13:20 UTC.
    public init(nanoseconds: Int64 = 0, date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        state = Mutex(State(nanoseconds: nanoseconds, dateAtLastSetting: date))
    }

    /// Moves the ticker and the wall clock forward, and wakes the sleepers whose time has come, in the order of their
    /// deadlines. The ticker stops at `Int64.max`.
    ///
    /// - Precondition: `duration` is not negative: monotonic time never goes back.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A ticker never goes back; use setWallClock(to:) to move the wall clock.")
        let woken = state.withLock { state in
            let (sum, overflowed) = state.nanoseconds.addingReportingOverflow(duration.saturatingNanoseconds)
            state.nanoseconds = overflowed ? .max : sum
            // Beyond this a duration cannot be read as seconds any more.
            let longest = Duration.seconds(Int64.max)
            state.elapsedSinceLastSetting = min(state.elapsedSinceLastSetting + min(duration, longest), longest)
            return state.sleepers.takeDue(at: state.nanoseconds)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Makes the wall clock jump, forward or back, as when a user sets the system's clock. The ticker stays where it is.
    public func setWallClock(to date: Date) {
        state.withLock { state in
            state.dateAtLastSetting = date
            state.elapsedSinceLastSetting = .zero
        }
    }

    /// The ticker's time: nanoseconds since an arbitrary fixed point.
    public func nanoseconds() -> Int64 {
        state.withLock { $0.nanoseconds }
    }

    /// The wall clock's time.
    public func now() -> Date {
        state.withLock { state in
            let (seconds, attoseconds) = state.elapsedSinceLastSetting.components
            return state.dateAtLastSetting.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
        }
    }

    // MARK: Sleeping

    /// Suspends until ``advance(by:)`` has brought the ticker to `deadline`; not at all if it is there already.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled.
    public func sleep(until deadline: Int64) async throws {
        let id = state.withLock { $0.sleepers.newID() }
        defer { state.withLock { $0.sleepers.forget(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (end, observers) = state.withLock { state -> (SleepEnd?, [CheckedContinuation<Void, Never>]) in
                    guard deadline > state.nanoseconds else { return (.isOver, []) }
                    // A cancellation that came first found no sleeper to wake. Nobody may count this one, not even for a moment.
                    if state.sleepers.isCancelled(id) { return (.cancelled, []) }
                    return (nil, state.sleepers.add(continuation, id: id, deadline: deadline))
                }
                for observer in observers { observer.resume() }
                switch end {
                case .isOver: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                case nil: break
                }
            }
        } onCancel: {
            cancelSleeper(id)
        }
    }

    /// The end of a sleep that does not even begin.
    private enum SleepEnd: Sendable {
        case isOver
        case cancelled
    }

    private func cancelSleeper(_ id: UInt64) {
        state.withLock { $0.sleepers.cancel(id) }?.resume(throwing: CancellationError())
    }

    /// The number of tasks that sleep now. O(1).
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends until at least `count` tasks sleep at the same time. Does not react to cancellation.
    public func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let areThere = state.withLock { state in
                guard state.sleepers.count < count else { return true }
                state.sleepers.observers.append((count, continuation))
                return false
            }
            if areThere { continuation.resume() }
        }
    }

    /// The ticker's time at which the next sleeper wakes. `nil` if no task sleeps.
    public var nextDeadline: Int64? { state.withLock { $0.sleepers.nextDeadline } }

    /// Moves time to the next sleeper's deadline. Returns `false` if no task sleeps.
    func advanceToNextDeadline() -> Bool {
        guard let (deadline, now) = state.withLock({ state in state.sleepers.nextDeadline.map { ($0, state.nanoseconds) } }) else { return false }
        // Another thread may have moved time meanwhile. Then time has passed the deadline or is moved a little too far, as any clock may be.
        advance(by: max(.zero, .nanoseconds(deadline) - .nanoseconds(now)))
        return true
    }
}
