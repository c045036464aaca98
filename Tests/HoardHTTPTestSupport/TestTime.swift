// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Hoard
package import HoardTesting

/// Time that stands still until a test moves it, for the cache's wall clock and its ticker together.
package final class TestTime: WallClock, Ticker {
    /// 2026-01-01 00:00:00 GMT.
    package static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// The clock that a seeded executor moves on.
    package let ticker = ManualTicker(date: start)

    package init() {}

    package func advance(seconds: Int64) { ticker.advance(by: .seconds(seconds)) }
    package func now() -> Date { ticker.now() }
    package func nanoseconds() -> Int64 { ticker.nanoseconds() }
    package func sleep(until deadline: Int64) async throws { try await ticker.sleep(until: deadline) }

    /// Waits until so many tasks wait for time to pass.
    package func sleepers(_ count: Int) async { await ticker.sleepers(count) }
}

extension Date {
    /// So many seconds after the start of a test's time.
    package static func test(_ seconds: Double) -> Date { TestTime.start.addingTimeInterval(seconds) }
}
