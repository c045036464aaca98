// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

@Suite(.timeLimit(.minutes(5))) struct RedisStoreLeasingTests {
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

    @Test(arguments: [RedisError.Code.timedOut, .connectionLost, .cancelled])
    func aLeaseWhoseReplyIsLostIsGivenBack(code: RedisError.Code) async throws {
        let world = try RedisStoreWorld()
        let store = try RedisStore(clock: world.time, ticker: world.time) { (prefix, onEvent) throws(RedisError) in
            LossyConnection(world.server.connect(prefix: prefix, onEvent: onEvent), code)
        }
        await #expect(throws: StoreError.self) { try await store.lease(forKey: "key", for: .seconds(5)) }
        // Time stands still: it does not run out.
        try await waitUntil {
            guard let lease = try await world.there.lease(forKey: "key", for: .seconds(5)) else { return false }
            try await world.there.release(lease)
            return true
        }
        #expect(try await store.lease(forKey: "key", for: .seconds(5)) != nil)
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

/// A connection that loses the reply of the first command that is sent alone.
private final class LossyConnection: RedisConnection {
    private let base: FakeRedisConnection
    private let code: RedisError.Code
    private let hasLost = Atomic(false)

    init(_ base: FakeRedisConnection, _ code: RedisError.Code) {
        (self.base, self.code) = (base, code)
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let reply = try await base.send(command)
        if hasLost.exchange(true, ordering: .acquiringAndReleasing) { return reply }
        throw RedisError(code, "The reply is lost.")
    }

    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] { try await base.send(commands) }

    func close() async { await base.close() }
}
