// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The time of one cache: the system's clock, read coarsely where that is enough, or a ticker of the user's.
@usableFromInline struct CacheClock: Sendable {
    /// A ticker of the user's. In one piece, so that whether there is one is quick to see.
    @usableFromInline final class UserTicker: Sendable {
        let ticker: any Ticker

        init(_ ticker: any Ticker) {
            self.ticker = ticker
        }
    }

    /// `nil` stands for the system's clock.
    @usableFromInline let user: UserTicker?

    @usableFromInline init(_ ticker: any Ticker) {
        user = ticker is MonotonicTicker ? nil : UserTicker(ticker)
    }

    /// Nanoseconds, exact.
    @inlinable func now() -> Int64 {
        if let user { Self.time(of: user) } else { MonotonicTicker().nanoseconds() }
    }

    /// Nanoseconds, up to ``lag`` behind.
    @inlinable @inline(__always)
    func coarse() -> Int64 {
        if let user { Self.time(of: user) } else { MonotonicTicker.coarseNanoseconds() }
    }

    /// Never `Int64.max`, which is the deadline of entries that never expire.
    @usableFromInline static func time(of user: UserTicker) -> Int64 { min(user.ticker.nanoseconds(), .max - 1) }

    /// How far ``coarse()`` may be behind ``now()``.
    @usableFromInline var lag: Int64 { user == nil ? MonotonicTicker.coarseLag : 0 }

    /// The moment a time from now; never overflows. `Int64.min`, a time long past, for a lifetime of zero or less.
    @usableFromInline static func deadline(_ lifetime: Int64, after now: Int64) -> Int64 {
        guard lifetime > 0 else { return .min }
        guard lifetime < .max else { return .max }
        let (deadline, overflowed) = now.addingReportingOverflow(lifetime)
        return overflowed ? .max : deadline
    }
}
