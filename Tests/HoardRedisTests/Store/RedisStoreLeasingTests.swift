// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct RedisStoreLeasingTests {
    @Test func oneAtATimeHasALease() async throws {
        let world = try RedisStoreWorld()
        let lease = try #require(try await world.here.lease(forKey: "key", for: .seconds(5)))
        #expect(try await world.there.lease(forKey: "key", for: .seconds(5)) == nil)
        #expect(try await world.here.lease(forKey: "key", for: .seconds(5)) == nil)
        #expect(try await world.there.lease(forKey: "other", for: .seconds(5)) != nil)
        try await world.here.release(lease)
        #expect(try await world.there.lease(forKey: "key", for: .seconds(5)) != nil)
    }

    @Test func aLeaseEndsByItselfAndIsHeldForLongerOnRequest() async throws {
        let world = try RedisStoreWorld()
        let lease = try #require(try await world.here.lease(forKey: "key", for: .seconds(5)))
        world.time.advance(by: .seconds(4))
        #expect(try await world.here.renew(lease, for: .seconds(5)))
        world.time.advance(by: .seconds(4))
        #expect(try await world.there.lease(forKey: "key", for: .seconds(5)) == nil)
        world.time.advance(by: .seconds(1))
        let next = try #require(try await world.there.lease(forKey: "key", for: .seconds(5)))
        #expect(try await !world.here.renew(lease, for: .seconds(5)))
        // A lease that is no longer held takes no other process's lease away.
        try await world.here.release(lease)
        #expect(try await world.there.renew(next, for: .seconds(5)))
    }

    @Test func aWaiterIsWokenByTheEndOfTheLeaseOrByTheRecord() async throws {
        for isWritten in [true, false] {
            let world = try RedisStoreWorld()
            let lease = try #require(try await world.there.lease(forKey: "key", for: .seconds(60)))
            let position = world.here.position
            #expect(try await world.here.lease(forKey: "key", for: .seconds(60)) == nil)
            async let waiting: Void = world.here.waitForChange(ofKey: "key", since: position, atMost: .seconds(60))
            await world.time.sleepers(1)
            if isWritten { try await world.there.insert(world.record("value"), forKey: "key") } else { try await world.there.release(lease) }
            await waiting
        }
    }

    @Test func whatHasChangedSinceThePositionIsNotWaitedFor() async throws {
        let world = try RedisStoreWorld()
        let lease = try #require(try await world.there.lease(forKey: "key", for: .seconds(60)))
        _ = try await world.here.record(forKey: "unrelated")
        let position = world.here.position
        try await world.there.release(lease)
        _ = try await world.here.record(forKey: "unrelated")
        await world.here.waitForChange(ofKey: "key", since: position, atMost: .seconds(60))
    }

    @Test func nobodyWaitsForLongerThanAskedOrWhenCancelled() async throws {
        let world = try RedisStoreWorld()
        let position = world.here.position
        async let waiting: Void = world.here.waitForChange(ofKey: "key", since: position, atMost: .seconds(3))
        await world.time.sleepers(1)
        world.time.advance(by: .seconds(3))
        await waiting
        let task = Task { await world.here.waitForChange(ofKey: "key", since: world.here.position, atMost: .seconds(3)) }
        await world.time.sleepers(1)
        task.cancel()
        await task.value
        await world.here.close()
        await world.here.waitForChange(ofKey: "key", since: position, atMost: .seconds(3))
    }
}
