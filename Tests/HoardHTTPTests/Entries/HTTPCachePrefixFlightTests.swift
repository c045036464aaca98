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

/// A response under way when a prefix is removed reaches the requests that wait for it, and no other requests.
@Suite(.timeLimit(.minutes(5))) struct HTTPCachePrefixFlightTests {
    private let prefix = PrefixHarness.host + "/in/"

    private static let paths = ["/in/a", "/in/vary", "/in/search?a=1&utm=2", "/in/long", "/in/etag", "/in/tag"]

    @Test(arguments: paths, [false, true])
    func responseThatArrivesLaterIsDeliveredAndNotStored(path: String, marksStale: Bool) async throws {
        let harness = PrefixHarness(.listing)
        let hold = harness.transport.hold()
        async let early = harness.get(path)
        async let other = harness.get("/out/a")
        await hold.arrivals(2)
        if marksStale { await harness.cache.markStale(prefix: prefix) } else { await harness.cache.remove(prefix: prefix) }
        hold.release()
        #expect(try await early.text.contains(path))
        _ = try await other
        await harness.cache.flush()
        #expect(try await !harness.isCached(path))
        #expect(try await harness.isCached("/out/a"))
        await harness.leaveToTheStores()
        #expect(try await !harness.isCached(path))
        #expect(harness.harness.openFenceCount == 0)
    }

    /// The part of the query that does not matter may be the one by which the URI began so.
    @Test func responseForSeveralURIsThatArrivesLaterIsNotStored() async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/in/search?a=1")
        await harness.cache.remove(prefix: prefix)
        let hold = harness.transport.hold()
        async let early = harness.get("/in/search?utm=3&a=1")
        await hold.arrivals(1)
        await harness.cache.remove(prefix: PrefixHarness.host + "/in/search?a")
        hold.release()
        _ = try await early
        await harness.cache.flush()
        #expect(try await !harness.isCached("/in/search?a=1"))
    }

    @Test func revalidationThatEndsLaterBringsNothingBack() async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/in/etag")
        harness.harness.time.advance(seconds: 601)
        let hold = harness.transport.hold()
        async let late = harness.get("/in/etag")
        await hold.arrivals(1)
        await harness.cache.remove(prefix: prefix)
        hold.release()
        _ = try await late
        await harness.leaveToTheStores()
        #expect(try await !harness.isCached("/in/etag"))
        #expect(harness.harness.openFenceCount == 0)
    }

    @Test func whoAsksAfterwardsDoesNotJoinWhatWasAskedForBefore() async throws {
        let harness = PrefixHarness()
        let hold = harness.transport.hold()
        async let early = harness.get("/in/a")
        async let other = harness.get("/out/a")
        await hold.arrivals(2)
        await harness.cache.remove(prefix: prefix)
        async let late = harness.get("/in/a")
        await hold.arrivals(3)
        hold.release()
        let (first, second, _) = try await (early, late, other)
        #expect(first.text != second.text)
        #expect(try await harness.get("/in/a").text == second.text, "the later one is stored")
    }

    /// The record is in no store yet when the stores are listed, and no longer in memory.
    @Test func recordThatIsStillBeingWrittenIsRemoved() async throws {
        let time = TestTime()
        let store = FaultyStore(MemoryStore(clock: time))
        let harness = CacheHarness(mode: .shared, stores: [store], time: time) { .text($0.head.path ?? "", fields: [.cacheControl: "max-age=60"]) }
        let gate = store.hold(.insert, .insertMany)
        try await harness.get("/in/a")
        await gate.arrivals(1)
        harness.cache.entries.evictEverything()
        async let removed = harness.cache.remove(prefix: prefix)
        gate.open()
        _ = await removed
        await harness.cache.flush()
        harness.cache.entries.evictEverything()
        #expect(try await !harness.get("/in/a", [.cacheControl: "only-if-cached"]).isFromCache)
    }

    @Test(arguments: [false, true])
    func storeThatCannotBeListedHasNothingAfterwardsThatShouldBeGone(marksStale: Bool) async throws {
        let time = TestTime()
        let base = MemoryStore(clock: time)
        let store = FaultyStore(base)
        let harness = CacheHarness(mode: .shared, stores: [store], time: time) { .text($0.head.path ?? "", fields: [.cacheControl: "max-age=600"]) }
        for path in ["/in/a", "/out/a"] { try await harness.get(path) }
        await harness.cache.flush()
        store.fail(.recordPage)
        if marksStale { await harness.cache.markStale(prefix: prefix) } else { await harness.cache.remove(prefix: prefix) }
        store.heal()
        harness.cache.entries.evictEverything()
        #expect(try await !harness.get("/in/a", [.cacheControl: "only-if-cached"]).isFromCache)
    }

    /// Requests, removals and changes at random: no request after a removal gets a response that was requested before it.
    @Test(arguments: 0..<12 as Range<UInt64>)
    func nothingOldIsSeenAfterARemoval(seed: UInt64) async throws {
        let harness = PrefixHarness(seed.isMultiple(of: 2) ? .listing : .twoListing)
        var random = RandomSource(seed: seed)
        for round in 0..<12 {
            // The origin's answers from here on have greater numbers.
            let before = harness.harness.requestCount
            let plans = (0..<10).map { _ in (Self.paths[Int(random.next() % UInt64(Self.paths.count))], random.next() % 3) }
            let evicts = random.next() % 2 == 0
            try await withThrowingTaskGroup { group in
                for (path, kind) in plans {
                    group.addTask {
                        if kind == 0 { await harness.cache.remove(prefix: prefix) } else { _ = try await harness.get(path) }
                    }
                }
                try await group.waitForAll()
            }
            await harness.cache.remove(prefix: prefix)
            let asked = harness.harness.requestCount
            if evicts { await harness.leaveToTheStores() }
            for path in Self.paths {
                let number = try await harness.get(path).text.split(separator: " ").first.flatMap { Int($0) }
                let given = try #require(number)
                #expect(
                    given > asked,
                    "\(path) of answer \(given), though \(asked) were given before the removal (\(before); seed \(seed), round \(round))"
                )
            }
        }
        await harness.cache.flush()
        #expect(harness.harness.openFenceCount == 0)
    }
}
