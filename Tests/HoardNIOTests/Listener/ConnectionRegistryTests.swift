// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardTesting
import Testing

@testable import HoardNIO

@Suite(.timeLimit(.minutes(5)))
struct ConnectionRegistryTests {
    private final class Thing {}

    @Test func noMoreAreAcceptedThanAllowedUntilOneIsReleased() {
        let registry = ConnectionRegistry(maximumCount: 2)
        #expect(registry.mayAccept())
        registry.accepted()
        #expect(!registry.released())
        registry.accepted()
        registry.accepted()
        #expect(registry.count == 2)
        #expect(!registry.mayAccept())
        #expect(registry.released())
        #expect(registry.mayAccept())
        #expect(!registry.released())
    }

    @Test func everyConnectionIsAskedAndNewOnesAreRefused() {
        let registry = ConnectionRegistry(maximumCount: 10)
        let quiesced = Counter()
        let closed = Counter()
        let things = [Thing(), Thing(), Thing()]
        let entry = ConnectionRegistry.Entry(quiesce: { quiesced.add() }, close: { closed.add() })
        for thing in things { #expect(registry.add(ObjectIdentifier(thing), entry)) }
        registry.remove(ObjectIdentifier(things[0]))
        registry.quiesce()
        #expect(quiesced.value == 2)
        registry.closeAll()
        #expect(closed.value == 2)
        #expect(!registry.add(ObjectIdentifier(things[0]), entry))
    }

    @Test func everyoneWhoWaitsIsToldWhenTheLastConnectionHasClosed() async {
        let registry = ConnectionRegistry(maximumCount: 10)
        await registry.waitUntilEmpty()
        registry.accepted()
        registry.accepted()
        let told = Counter()
        async let first: Void = {
            await registry.waitUntilEmpty(); told.add()
        }()
        async let second: Void = {
            await registry.waitUntilEmpty(); told.add()
        }()
        _ = registry.released()
        #expect(told.value == 0)
        _ = registry.released()
        _ = await (first, second)
        #expect(told.value == 2)
    }
}
