// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard

@Suite struct ActiveLoadTests {
    private final class Owner {}
    private let owner = Owner()

    private func load(_ keys: Set<String>) -> ActiveLoad { ActiveLoad(keys: keys, owner: ObjectIdentifier(owner), outer: nil) }

    /// A task that ends when it is cancelled, and not before.
    private func waitingTask() -> Task<Void, Never> {
        let (values, continuation) = AsyncStream<Never>.makeStream()
        return Task {
            for await _ in values {}
            withExtendedLifetime(continuation) {}
        }
    }

    @Test func isCancelledWhenItsLastFlightIsAbandoned() async {
        let load = load(["a", "b"])
        let task = waitingTask()
        load.begin(in: task)
        load.abandonFlight()
        #expect(!task.isCancelled)
        load.abandonFlight()
        #expect(task.isCancelled)
        await task.value
    }

    @Test func isCancelledAtItsBeginningIfAllFlightsWereAbandonedBefore() async {
        let load = load(["a"])
        load.abandonFlight()
        let task = waitingTask()
        load.begin(in: task)
        #expect(task.isCancelled)
        await task.value
    }

    @Test func knowsItsKeysUntilItEnds() {
        let load = load(["a"])
        #expect(load.isInside("a", of: ObjectIdentifier(owner)))
        #expect(!load.isInside("b", of: ObjectIdentifier(owner)))
        load.end()
        #expect(!load.isInside("a", of: ObjectIdentifier(owner)))
    }
}
