// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A source of monotonic time.
///
/// The memory tier measures ages and time to live with a ticker, never with the wall clock, so that
/// setting the system's clock neither revives nor kills an entry. Tests inject
/// `ManualTicker` (module `HoardTesting`) and move it by hand.
public protocol Ticker: Sendable {
    /// Returns the nanoseconds since an arbitrary fixed point. Never goes back.
    func nanoseconds() -> Int64

    /// Suspends until the ticker reaches `deadline`. Does not suspend if it already has.
    ///
    /// By default the system's timer is waited for, and a wait that is cancelled leaves nothing behind. A ticker that does not follow real time has to bring its own.
    /// - Throws: `CancellationError` at once when the task is cancelled.
    func sleep(until deadline: Int64) async throws
}

extension Ticker {
    public func sleep(until deadline: Int64) async throws {
        while true {
            let now = nanoseconds()
            guard deadline > now else { return }
            try await SystemTimer.shared.sleep(for: deadline.subtractingSaturated(now))
        }
    }

    /// Suspends for a time, and leaves nothing behind when it is cancelled.
    package func sleep(for duration: Duration) async throws { try await sleep(until: nanoseconds().addingSaturated(duration.saturatingNanoseconds)) }
}

extension Duration {
    /// The components of a duration as long as they can express: ``components`` itself traps beyond ``Int64/max`` seconds.
    package var saturatingComponents: (seconds: Int64, attoseconds: Int64) {
        let part: Int64 = 999_999_999_999_999_999
        let shortest = Duration(secondsComponent: .min, attosecondsComponent: -part)
        return max(shortest, min(self, Duration(secondsComponent: .max, attosecondsComponent: part))).components
    }

    /// The duration in nanoseconds; durations beyond 292 years become `Int64.max` or `Int64.min`.
    @usableFromInline package var saturatingNanoseconds: Int64 {
        // First, because the components trap if the seconds are more than an Int64 can hold.
        if self >= .nanoseconds(Int64.max) { return .max }
        if self <= .nanoseconds(Int64.min) { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
