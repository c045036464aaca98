// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Synchronization

/// Time that stands still until a test moves it, for the cache's wall clock and its ticker together.
final class TestTime: WallClock, Ticker {
    /// 2026-01-01 00:00:00 GMT.
    static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private let elapsedSeconds = Mutex<Int64>(0)

    func advance(seconds: Int64) {
        elapsedSeconds.withLock { $0 += seconds }
    }

    func now() -> Date {
        Self.start.addingTimeInterval(Double(elapsedSeconds.withLock { $0 }))
    }

    func nanoseconds() -> Int64 {
        elapsedSeconds.withLock { $0 } * 1_000_000_000
    }
}

extension Date {
    /// So many seconds after the start of a test's time.
    static func test(_ seconds: Double) -> Date { TestTime.start.addingTimeInterval(seconds) }
}
