// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardTesting
import Testing

@testable import HoardNIO

@Suite struct ExchangeCancellationTests {
    @Test func taskIsCancelledWhicheverComesFirst() {
        let early = Counter()
        let first = ExchangeCancellation()
        first.attach { early.add() }
        #expect(early.value == 0)
        first.cancel()
        first.cancel()
        #expect(early.value == 1)

        let late = Counter()
        let second = ExchangeCancellation()
        second.cancel()
        second.attach { late.add() }
        #expect(late.value == 1)
    }
}
