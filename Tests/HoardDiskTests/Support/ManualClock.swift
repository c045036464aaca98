// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Synchronization

/// A wall clock that stands still until it is moved. It starts at 2026-11-21 03:04:05 UTC.
final class ManualClock: WallClock {
    static let start = Date(timeIntervalSince1970: 1_795_230_245)

    private let date = Mutex(ManualClock.start)

    func now() -> Date { date.withLock { $0 } }

    /// Moves the clock, back if `seconds` is negative.
    func advance(by seconds: TimeInterval) {
        date.withLock { $0 += seconds }
    }
}

/// A wall clock that calls a function whenever it is asked.
final class CallingClock: WallClock {
    private struct State {
        var function: @Sendable () -> Void = {}
        var callCount = 0
    }

    private let state = Mutex(State())

    /// The number of calls of the current function.
    var callCount: Int { state.withLock { $0.callCount } }

    func call(_ function: @escaping @Sendable () -> Void) {
        state.withLock { $0 = State(function: function) }
    }

    func now() -> Date {
        let function = state.withLock { state in
            state.callCount += 1
            return state.function
        }
        function()
        return ManualClock.start
    }
}
