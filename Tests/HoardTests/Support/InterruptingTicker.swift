// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Synchronization

/// A clock that runs a function when it has been looked at so many times. A nanosecond passes with each look.
final class InterruptingTicker: Ticker {
    private let interruption = Mutex<(looks: Int, action: @Sendable () -> Void)?>(nil)
    private let time = Atomic<Int64>(0)

    func interrupt(after looks: Int, _ action: @escaping @Sendable () -> Void) { interruption.withLock { $0 = (looks, action) } }

    func nanoseconds() -> Int64 {
        let action = interruption.withLock { interruption -> (@Sendable () -> Void)? in
            guard let (looks, action) = interruption else { return nil }
            interruption = looks > 0 ? (looks - 1, action) : nil
            return looks > 0 ? nil : action
        }
        action?()
        return time.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
