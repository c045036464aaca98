// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Keeps the requests that are sent again a small share of all, so that they never become a storm on servers that are ill already.
///
/// Every request pays in a fifth of the cost of a repetition, and a second that passes pays for one. Payments beyond a
/// limit are lost.
struct RetryBudget: Sendable {
    static let cost = 5
    static let maximum = 100 * cost
    /// The most that time alone pays in.
    static let maximumByTime = 10 * cost

    private(set) var balance = maximumByTime
    private var lastTick: Int64

    init(at now: Int64) {
        lastTick = now
    }

    /// A request is about to be sent for the first time.
    mutating func requestStarted() {
        balance = min(balance + 1, Self.maximum)
    }

    /// Whether a request may be sent again. If so, that is paid for.
    mutating func take(at now: Int64) -> Bool {
        let (elapsed, overflowed) = now.subtractingReportingOverflow(lastTick)
        let seconds = overflowed || elapsed < 0 ? 0 : elapsed / 1_000_000_000
        if seconds > 0 {
            lastTick += seconds * 1_000_000_000
            if balance < Self.maximumByTime {
                balance = min(balance + Int(min(seconds, Int64(Self.maximumByTime))) * Self.cost, Self.maximumByTime)
            }
        }
        guard balance >= Self.cost else { return false }
        balance -= Self.cost
        return true
    }
}
