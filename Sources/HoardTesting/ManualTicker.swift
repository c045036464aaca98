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
/// ```
///
/// The wall clock is computed from the date it was set to last and the time that has passed since then, so that many
/// small steps end at the same date as one large step.
public final class ManualTicker: Ticker, WallClock {
    private struct State {
        var nanoseconds: Int64
        var dateAtLastSetting: Date
        var elapsedSinceLastSetting = Duration.zero
    }

    private let state: Mutex<State>

    /// Creates time that stands still.
    ///
    /// - Parameters:
    ///   - nanoseconds: What the ticker says at first.
    ///   - date: What the wall clock says at first. By default 2023-11-14 22:13:20 UTC.
    public init(nanoseconds: Int64 = 0, date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        state = Mutex(State(nanoseconds: nanoseconds, dateAtLastSetting: date))
    }

    /// Moves the ticker and the wall clock forward. The ticker stops at `Int64.max`.
    ///
    /// - Precondition: `duration` is not negative: monotonic time never goes back.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A ticker never goes back; use setWallClock(to:) to move the wall clock.")
        state.withLock { state in
            let (sum, overflowed) = state.nanoseconds.addingReportingOverflow(duration.saturatingNanoseconds)
            state.nanoseconds = overflowed ? .max : sum
            state.elapsedSinceLastSetting += duration
        }
    }

    /// Makes the wall clock jump, forward or back, as when somebody sets the system's clock. The ticker stays where it is.
    public func setWallClock(to date: Date) {
        state.withLock { state in
            state.dateAtLastSetting = date
            state.elapsedSinceLastSetting = .zero
        }
    }

    /// What the ticker says: nanoseconds since an arbitrary fixed point.
    public func nanoseconds() -> Int64 {
        state.withLock { $0.nanoseconds }
    }

    /// What the wall clock says.
    public func now() -> Date {
        state.withLock { state in
            let (seconds, attoseconds) = state.elapsedSinceLastSetting.components
            return state.dateAtLastSetting.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
        }
    }
}
