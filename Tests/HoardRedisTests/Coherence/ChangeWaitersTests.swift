// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct ChangeWaitersTests {
    @Test func aWaiterIsWokenByAnyOfItsKeysAndByNoOther() async {
        let (waiters, gate) = (ChangeWaiters(), Gate(isOpen: true))
        async let waiting: Void = waiters.wait(for: [.of("a"), .of("b")]) { _ in Task { await gate.pass() } }
        await gate.arrivals(1)
        waiters.wake([.of("c")])
        #expect(waiters.count == 1)
        waiters.wake([.of("b")])
        await waiting
        #expect(waiters.count == 0)
    }

    @Test func aWaiterCanBeWokenByItsNumberAsSoonAsItWaits() async {
        let waiters = ChangeWaiters()
        await waiters.wait(for: [.of("a")]) { waiters.wake($0) }
        #expect(waiters.count == 0)
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let (waiters, gate) = (ChangeWaiters(), Gate())
        let task = Task { await waiters.wait(for: [.of("a")]) { _ in Task { await gate.pass() } } }
        await gate.arrivals(1)
        task.cancel()
        await task.value
        gate.open()
        #expect(waiters.count == 0)
    }

    @Test func nobodyWaitsAfterTheEnd() async {
        let (waiters, gate) = (ChangeWaiters(), Gate(isOpen: true))
        async let waiting: Void = waiters.wait(for: [.of("a")]) { _ in Task { await gate.pass() } }
        await gate.arrivals(1)
        waiters.finish()
        await waiting
        await waiters.wait(for: [.of("a")]) { _ in Issue.record("Nobody should wait any more.") }
    }
}
