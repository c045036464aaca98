// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

/// A request that is made while something is being removed may still find it, and have the origin confirm it. That brings nothing back.
@Suite(.timeLimit(.minutes(5))) struct RemovalUnderWayTests {
    enum Removal: CaseIterable, Sendable {
        case uri, prefix, tag, partition, everything

        func perform(on cache: HTTPCache) async {
            switch self {
            case .uri: await cache.remove("http://example.com/a", partition: "ann")
            case .prefix: await cache.remove(prefix: "http://example.com/", partition: "ann")
            case .tag: await cache.remove(taggedWith: "t")
            case .partition: await cache.removePartition("ann")
            case .everything: await cache.removeAll()
            }
        }
    }

    private static let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"v\"", .cacheTag: "t"]

    private let store: FaultyStore
    private let harness: CacheHarness
    private var cache: HTTPCache { harness.cache }
    private var key: HTTPCacheKey { HTTPCacheKey(scope: cache.space(partition: "ann").baseScope, targetURI: "http://example.com/a") }

    init() {
        let time = TestTime()
        store = FaultyStore(MemoryStore(clock: time), ticker: time)
        harness = CacheHarness(mode: .shared, stores: [store], time: time) { _ in .text("old", fields: Self.fields) }
    }

    /// The result of a lookup before the removal, and a flight that begins while the store is still removing it.
    private func withFlightDuring(_ removal: Removal, _ body: (Flight, HTTPCache.Found, Gate) async throws -> Void) async throws {
        _ = try await Reply(await cache.respond(to: .test(.get, "/a"), partition: "ann", through: harness.transport))
        await cache.flush()
        let found = await cache.lookUp(key, [:])
        let gate = store.hold(.removeRecord, .removeMany, .removeTagged, .removePartition, .removeAll)
        async let isRemoved: Void = removal.perform(on: cache)
        await gate.arrivals(1)
        try await body(Flight(key: key, space: cache.space(partition: "ann"), selectingFields: .known([:]), cache: cache), found, gate)
        gate.open()
        await isRemoved
    }

    @Test(arguments: Removal.allCases) func whatRestsOnIsNotStoredWhileItIsBeingRemoved(removal: Removal) async throws {
        try await withFlightDuring(removal) { flight, found, _ in
            flight.found = found
            let response = try #require(found.response)
            #expect(await !flight.store(response))
        }
        await cache.flush()
        #expect(await cache.lookUp(key, [:]).response == nil)
        #expect(harness.openFenceCount == 0)
    }

    @Test(arguments: Removal.allCases) func norIsItWhenTheRemovalHasEnded(removal: Removal) async throws {
        var late: (flight: Flight, response: StoredResponse)?
        try await withFlightDuring(removal) { flight, found, _ in
            flight.found = found
            late = (flight, try #require(found.response))
        }
        let (flight, response) = try #require(late)
        #expect(await !flight.store(response))
        await cache.flush()
        #expect(await cache.lookUp(key, [:]).response == nil)
    }

    @Test(arguments: Removal.allCases) func whatTheOriginSendsAnewMeanwhileMayBeStored(removal: Removal) async throws {
        try await withFlightDuring(removal) { flight, found, _ in
            let response = try #require(found.response)
            #expect(await flight.store(response), "it rests on nothing that was found")
        }
        await cache.flush()
    }

    /// The two requests are one program of the seeded executor's, by hand: the second asks when the removal has returned.
    @Test func aRequestAfterARemovalGetsNothingThatWasConfirmedDuringIt() async throws {
        try await withFlightDuring(.partition) { flight, found, _ in
            flight.found = found
            _ = await flight.store(try #require(found.response))
        }
        let before = harness.requestCount
        _ = try await Reply(await cache.respond(to: .test(.get, "/a"), partition: "ann", through: harness.transport))
        #expect(harness.requestCount == before + 1)
        #expect(harness.transport.requests.last?.head.headerFields[.ifNoneMatch] == nil)
    }
}
