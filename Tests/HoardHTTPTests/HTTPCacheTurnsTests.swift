// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

/// Several caches share a store, and one of them asks the origin for a response that none has.
@Suite(.timeLimit(.minutes(2))) struct HTTPCacheTurnsTests {
    private let time = TestTime()
    private let server: SharedMemoryStore

    init() {
        server = SharedMemoryStore(clock: time, ticker: time)
    }

    private func harness(collapses: Bool = true, _ origin: @escaping FakeTransport.Handler) -> CacheHarness {
        CacheHarness(mode: .shared, stores: [server.connect()], time: time, configure: { $0.collapsesAcrossCaches = collapses }, origin: origin)
    }

    private static let storable: FakeTransport.Handler = { _ in .text("origin", fields: [.cacheControl: "public, max-age=600"]) }

    /// Has two caches ask for the same, the second while the first waits for its origin.
    ///
    /// - Returns: The replies, and how many requests came to the two origins.
    private func race(_ first: CacheHarness, _ second: CacheHarness, _ fields: HTTPFields = [:]) async throws -> (replies: [Reply], asked: [Int]) {
        let hold = first.transport.hold()
        let leader = Task { try await first.get("/cold", fields) }
        await hold.arrivals(1)
        let follower = Task { try await second.get("/cold", fields) }
        while server.waiterCount == 0, second.requestCount == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        hold.release()
        let replies = [try await leader.value, try await follower.value]
        return (replies, [first.requestCount, second.requestCount])
    }

    @Test(arguments: ["", "Accept-Language"])
    func theOtherGetsWhatTheFirstHasBrought(vary: String) async throws {
        let origin: FakeTransport.Handler = { _ in
            var fields: HTTPFields = [.cacheControl: "public, max-age=600"]
            if !vary.isEmpty { fields[.vary] = vary }
            return .text("origin", fields: fields)
        }
        let (replies, asked) = try await race(harness(origin), harness(origin), [.acceptLanguage: "de"])
        #expect(replies.map(\.text) == ["origin", "origin"])
        #expect(asked == [1, 0])
        #expect(replies[1].cacheStatus.contains("collapsed"))
    }

    @Test func withoutTheOptionEachAsksForItself() async throws {
        let (replies, asked) = try await race(harness(collapses: false, Self.storable), harness(collapses: false, Self.storable))
        #expect(replies.map(\.text) == ["origin", "origin"])
        #expect(asked == [1, 1])
        #expect(server.grantedLeaseCount == 0)
    }

    @Test(arguments: ["no-store", "private, max-age=600", "max-age=0"])
    func whatTheFirstMayNotShareIsAskedForAgain(directives: String) async throws {
        let origin: FakeTransport.Handler = { _ in .text("origin", fields: [.cacheControl: directives]) }
        let (replies, asked) = try await race(harness(origin), harness(origin))
        #expect(replies.map(\.text) == ["origin", "origin"])
        #expect(asked == [1, 1])
    }

    @Test func afterAFailureItIsTheOthersTurn() async throws {
        let broken = harness { _ in .failure(TransportError(.cannotConnect, "The origin is away.")) }
        let sound = harness(Self.storable)
        let hold = broken.transport.hold()
        let leader = Task { try await broken.get("/cold") }
        await hold.arrivals(1)
        let follower = Task { try await sound.get("/cold") }
        while server.waiterCount == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        hold.release()
        #expect(try await follower.value.text == "origin")
        #expect(sound.requestCount == 1)
        if case .success(let reply) = await leader.result { #expect(reply.code >= 500) }
    }

    @Test(arguments: [nil, "uri", "tag"])
    func responseThatIsRemovedBeforeTheTurnToConfirmItIsNotStoredAgain(removal: String?) async throws {
        let origin: FakeTransport.Handler = { _ in .text("old", fields: [.cacheControl: "public, max-age=1", .eTag: "\"1\"", .cacheTag: "t"]) }
        let other = harness(collapses: false, origin)
        try await other.get("/cold")
        await other.cache.flush()
        let cache = harness(origin).cache
        time.advance(seconds: 2)
        let call = try #require(cache.call(HTTPCache.Request(HTTPRequest.test(.get, "/cold"))))
        let flight = Flight(key: call.key, space: call.space, selectingFields: .known([:]), cache: cache)
        let found = await cache.lookUp(call.key, [:])
        flight.found = found
        var machine = cache.machine(for: call)
        _ = machine.start()
        _ = machine.lookedUp(found.response, isVaryMiss: false, now: time.now())
        switch removal {
        case "uri": await cache.remove("http://example.com/cold")
        case "tag": await cache.remove(taggedWith: "t")
        default: break
        }
        let exchange = Exchange(key: FlightKey(found), leaderFields: .known([:]), flight: flight)
        let turn = await cache.turnToAsk(exchange, found, machine, call)
        let permit = try #require(turn.permit)
        #expect(permit.flight.isIntact == (removal == nil))
        permit.lease.release()
    }

    @Test func whoIsAloneIsNotKeptWaiting() async throws {
        let alone = harness(Self.storable)
        #expect(try await alone.get("/cold").text == "origin")
        #expect(server.grantedLeaseCount == 1 && alone.requestCount == 1)
        #expect(try await alone.get("/cold").isFromCache)
        #expect(server.grantedLeaseCount == 1)
    }
}
