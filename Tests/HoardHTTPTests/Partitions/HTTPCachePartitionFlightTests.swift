// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// A response under way for a partition when it is removed reaches the requests that wait for
/// it, and no other requests.
@Suite(.timeLimit(.minutes(5))) struct HTTPCachePartitionFlightTests {
    private let harness = PartitionHarness()

    /// Expects that no tier has a response of the owner, but for those that came after the removal.
    private func expectNothing(of owner: String, at path: String, _ fields: HTTPFields = [:], sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        await harness.cache.flush()
        var fields = fields
        fields[.cacheControl] = "only-if-cached"
        #expect(try await !harness.get(path, for: owner, fields).isFromCache, sourceLocation: sourceLocation)
        harness.evict()
        #expect(try await !harness.get(path, for: owner, fields).isFromCache, sourceLocation: sourceLocation)
        #expect(harness.harness.openFenceCount == 0, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["/a", "/vary", "/search?x=1", "/long", "/etag"])
    func responseThatArrivesAfterTheRemovalIsDeliveredAndNotStored(path: String) async throws {
        let hold = harness.transport.hold()
        async let early = harness.get(path, for: "ann")
        async let other = harness.get(path, for: "bob")
        await hold.arrivals(2)
        await harness.cache.removePartition("ann")
        hold.release()
        #expect(try await early.text.hasPrefix("ann \(path)"))
        _ = try await other
        try await expectNothing(of: "ann", at: path)
        #expect(try await harness.get(path, for: "bob").isFromCache)
        #expect(try await harness.base.statistics().count > 0)
    }

    @Test func whoAsksAfterTheRemovalDoesNotJoinWhatWasAskedForBefore() async throws {
        let hold = harness.transport.hold()
        async let early = harness.get("/a", for: "ann")
        await hold.arrivals(1)
        await harness.cache.removePartition("ann")
        async let late = harness.get("/a", for: "ann")
        await hold.arrivals(2)
        hold.release()
        let (first, second) = try await (early, late)
        #expect(first.text != second.text)
        await harness.cache.flush()
        #expect(try await harness.get("/a", for: "ann").text == second.text, "the later one is stored")
    }

    @Test func exchangesOfOthersCanStillBeJoined() async throws {
        let hold = harness.transport.hold()
        async let first = harness.get("/a", for: "bob")
        await hold.arrivals(1)
        await harness.cache.removePartition("ann")
        async let second = harness.get("/a", for: "bob")
        let key = HTTPCacheKey(scope: harness.cache.space(partition: "bob").baseScope, targetURI: "http://example.com/a")
        try await #require(harness.cache.flights.exchange(FlightKey(key: key, variant: nil))).followers(1)
        hold.release()
        let (one, other) = try await (first, second)
        #expect(one.text == other.text)
        #expect(harness.harness.requestCount == 1)
    }

    @Test func confirmationThatArrivesAfterTheRemovalBringsNothingBack() async throws {
        try await harness.get("/etag", for: "ann")
        await harness.cache.flush()
        harness.time.advance(seconds: 100)
        let hold = harness.transport.hold()
        async let confirmed = harness.get("/etag", for: "ann")
        await hold.arrivals(1)
        await harness.cache.removePartition("ann")
        hold.release()
        #expect(try await confirmed.text.hasPrefix("ann /etag"))
        try await expectNothing(of: "ann", at: "/etag")
    }

    /// The body is kept in segments while it arrives. Segments that were written before the
    /// removal go, and no new ones come.
    @Test func longBodyThatIsOnItsWayLeavesNoSegmentBehind() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let (body, feed) = BodyFeed.makeBody()
        let harness = CacheHarness(stores: [store], time: time) { _ in .response(.test(200, [.cacheControl: "max-age=60"]), body: body) }
        let part = String(repeating: "x", count: 300_000)
        let response = try await harness.cache.respond(to: .test(.get, "/a"), partition: "ann", through: harness.transport)
        var parts = response.body.makeAsyncIterator()
        func read(_ count: Int) async throws {
            var length = 0
            while length < count { length += try #require(try await parts.next()).readableBytes }
        }
        for _ in 0..<3 { feed.send(part) }
        try await read(900_000)
        #expect(!store.insertedKeys.isEmpty)
        await harness.cache.removePartition("ann")
        for _ in 0..<3 { feed.send(part) }
        feed.finish()
        try await read(900_000)
        #expect(try await parts.next() == nil, "the reader gets it all")
        await harness.transfersEnd()
        await harness.cache.flush()
        for key in store.insertedKeys { #expect(try await store.record(forKey: key) == nil, "\(key)") }
        #expect(
            harness.cache.entries.memoryLookup(
                forKey: HTTPCacheKey(scope: harness.cache.space(partition: "ann").baseScope, targetURI: "http://example.com/a")
            ) == nil
        )
        #expect(harness.openFenceCount == 0)
        #expect(harness.cache.budget.take(harness.cache.configuration.maximumBytesInFlight), "nothing is held any more")
    }

    /// The same body of another partition, and of none, is stored although a partition is removed meanwhile.
    @Test(arguments: ["bob", nil]) func longBodiesOfOthersAreStored(owner: String?) async throws {
        let hold = harness.transport.hold()
        async let reply = harness.get("/long", for: owner)
        await hold.arrivals(1)
        await harness.cache.removePartition("ann")
        hold.release()
        #expect(try await reply.text.utf8.count == PartitionHarness.longLength)
        await harness.cache.flush()
        harness.evict()
        #expect(try await harness.get("/long", for: owner).isFromCache)
    }

    @Test func refreshInTheBackgroundThatEndsAfterTheRemovalIsNotStored() async throws {
        let transport = FakeTransport { request in .text("x", fields: [.cacheControl: "max-age=10, stale-while-revalidate=100"]) }
        let harness = CacheHarness(transport: transport)
        func get() async throws -> Reply {
            try await Reply(harness.cache.respond(to: .test(.get, "/a"), partition: "ann", through: transport))
        }
        _ = try await get()
        harness.time.advance(seconds: 20)
        let hold = transport.hold()
        #expect(try await get().isFromCache)
        await hold.arrivals(1)
        await harness.cache.removePartition("ann")
        hold.release()
        await harness.cache.flush()
        #expect(try await !get().isFromCache)
    }

    /// The removal comes between the end of the exchange and the store's answer to the write behind it.
    @Test func writeBehindDoesNotOutliveTheRemoval() async throws {
        let gate = harness.store.hold(.insert)
        try await harness.get("/a", for: "ann")
        await gate.arrivals(1)
        harness.store.heal()
        await harness.cache.removePartition("ann")
        gate.open()
        try await expectNothing(of: "ann", at: "/a")
    }

    /// The request finds a response that the store still has, and the origin confirms it; by then
    /// the partition has been removed.
    @Test func confirmationOfWhatWasFoundDuringTheRemovalIsNotStored() async throws {
        try await harness.get("/etag", for: "ann")
        await harness.cache.flush()
        harness.time.advance(seconds: 100)
        harness.evict()
        let turn = harness.store.hold(.removePartition)
        let removal = Task { await harness.cache.removePartition("ann") }
        await turn.arrivals(1)
        let hold = harness.transport.hold()
        async let confirmed = harness.get("/etag", for: "ann")
        await hold.arrivals(1)
        #expect(harness.transport.requests.last?.head.headerFields.contains(.ifNoneMatch) == true)
        turn.open()
        await removal.value
        hold.release()
        #expect(try await confirmed.text.hasPrefix("ann /etag"))
        try await expectNothing(of: "ann", at: "/etag")
    }

    /// A flight may take the place of another one only if that one is intact, and it is made before that is
    /// asked: whenever the partition is removed, one of the two knows of it.
    @Test func flightOrTheOneThatTakesItsPlaceKnowsOfItsPartitionsRemoval() async throws {
        let cache = harness.cache
        let space = cache.space(partition: "ann")
        let key = HTTPCacheKey(scope: space.baseScope, targetURI: "http://example.com/a")
        for (isRemovedBefore, isRemovedAfter) in [(false, false), (true, false), (false, true)] {
            let old = Flight(key: key, space: space, selectingFields: .known([:]), cache: cache)
            if isRemovedBefore { await cache.removePartition("ann") }
            let new = Flight(key: key, space: space, selectingFields: .known([:]), cache: cache, after: old)
            #expect(old.isIntact != isRemovedBefore)
            #expect(old.hasLostPartition == isRemovedBefore)
            if isRemovedAfter { await cache.removePartition("ann") }
            #expect(new.isIntact != isRemovedAfter)
            withExtendedLifetime((old, new)) {}
        }
        #expect(harness.harness.openFenceCount == 0)
    }
}
