// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The time of one cache: the system's clock, read coarsely where that is enough, or a ticker of the user's.
@usableFromInline struct CacheClock: Sendable {
    /// `nil` stands for the system's clock.
    private let ticker: (any Ticker)?

    @usableFromInline init(_ ticker: any Ticker) {
        self.ticker = ticker is MonotonicTicker ? nil : ticker
    }

    /// Nanoseconds, exact.
    @usableFromInline func now() -> Int64 {
        if let ticker { Self.time(of: ticker) } else { MonotonicTicker().nanoseconds() }
    }

    /// Nanoseconds, up to ``lag`` behind.
    @usableFromInline func coarse() -> Int64 {
        if let ticker { Self.time(of: ticker) } else { MonotonicTicker.coarseNanoseconds() }
    }

    /// Never `Int64.max`, which is the deadline of what never expires.
    private static func time(of ticker: any Ticker) -> Int64 { min(ticker.nanoseconds(), .max - 1) }

    /// How far ``coarse()`` may be behind ``now()``.
    @usableFromInline var lag: Int64 { ticker == nil ? MonotonicTicker.coarseLag : 0 }

    /// The moment a time from now; never overflows. `Int64.min`, a time long past, for a lifetime of zero or less.
    @usableFromInline static func deadline(_ lifetime: Int64, after now: Int64) -> Int64 {
        guard lifetime > 0 else { return .min }
        guard lifetime < .max else { return .max }
        let (deadline, overflowed) = now.addingReportingOverflow(lifetime)
        return overflowed ? .max : deadline
    }
}
