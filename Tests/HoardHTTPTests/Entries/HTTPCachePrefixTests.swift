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

/// Removes or marks as stale all responses whose URI begins with the same text.
@Suite(.timeLimit(.minutes(5))) struct HTTPCachePrefixTests {
    private let host = PrefixHarness.host

    private static let inside = ["/in/a", "/in/a?x=1", "/in/b/c", "/in/etag", "/in/tag"]
    private static let outside = ["/", "/i", "/out/in/", "/IN/a"]

    @Test(arguments: PrefixHarness.Stores.allCases, [false, true])
    func whatBeginsSoGoesAndNothingElse(_ stores: PrefixHarness.Stores, isOnDiskOnly: Bool) async throws {
        let harness = PrefixHarness(stores)
        for path in Self.inside + Self.outside { try await harness.get(path) }
        if isOnDiskOnly, stores != .none { await harness.leaveToTheStores() }
        let count = await harness.cache.remove(prefix: host + "/in/")
        if stores != .notListing || !isOnDiskOnly { #expect(count == Self.inside.count) }
        for path in Self.inside { #expect(try await !harness.isCached(path), "\(path)") }
        // A store that cannot list is emptied; the responses in memory stay.
        if stores != .notListing || !isOnDiskOnly {
            for path in Self.outside { #expect(try await harness.isCached(path), "\(path)") }
        }
        await harness.leaveToTheStores()
        for path in Self.inside { #expect(try await !harness.isCached(path), "\(path) in the stores") }
        if [.listing, .twoListing].contains(stores) {
            for path in Self.outside { #expect(try await harness.isCached(path), "\(path) in the stores") }
        }
        #expect(harness.harness.openFenceCount == 0)
    }

    @Test(arguments: PrefixHarness.Stores.allCases, [false, true])
    func markedResponsesAreConfirmedBeforeTheyAreUsed(_ stores: PrefixHarness.Stores, isOnDiskOnly: Bool) async throws {
        let harness = PrefixHarness(stores)
        for path in Self.inside + Self.outside { try await harness.get(path) }
        if isOnDiskOnly, stores != .none { await harness.leaveToTheStores() }
        let count = await harness.cache.markStale(prefix: host + "/in/")
        if stores != .notListing || !isOnDiskOnly { #expect(count == Self.inside.count) }
        #expect(await harness.cache.markStale(prefix: host + "/in/") == 0, "what is stale already does not count")
        let requests = harness.harness.requestCount
        #expect(try await harness.get("/in/etag").text.hasSuffix("/in/etag "), "confirmed by its validator")
        #expect(try await !harness.get("/in/a").isFromCache)
        #expect(harness.harness.requestCount == requests + 2)
        if stores != .notListing || !isOnDiskOnly {
            for path in Self.outside { #expect(try await harness.isCached(path), "\(path)") }
        }
        await harness.cache.flush()
        #expect(harness.harness.openFenceCount == 0)
    }

    @Test func markedResponsesStandInForAnOriginThatFails() async throws {
        let isDown = Mutex(false)
        let harness = CacheHarness(mode: .shared) { _ in
            isDown.withLock { $0 }
                ? .failure(TransportError(.cannotConnect, "Down.")) : .text("here", fields: [.cacheControl: "max-age=60, stale-if-error=600"])
        }
        try await harness.get("/in/a")
        await harness.cache.markStale(prefix: host + "/in/")
        isDown.withLock { $0 = true }
        #expect(try await harness.get("/in/a").text == "here")
        await harness.cache.remove(prefix: host + "/in/")
        await #expect(throws: HTTPCacheError.self) { try await harness.get("/in/a") }
    }

    // MARK: What is under a URI

    @Test(arguments: PrefixHarness.Stores.allCases, [false, true])
    func allVariantsGo(_ stores: PrefixHarness.Stores, isOnDiskOnly: Bool) async throws {
        let harness = PrefixHarness(stores)
        for language in ["fi", "sv", "de"] { try await harness.get("/in/vary", [.acceptLanguage: language]) }
        try await harness.get("/out/vary", [.acceptLanguage: "fi"])
        if isOnDiskOnly, stores != .none { await harness.leaveToTheStores() }
        let count = await harness.cache.remove(prefix: host + "/in")
        if stores != .notListing || !isOnDiskOnly { #expect(count == 3) }
        for language in ["fi", "sv", "de"] { #expect(try await !harness.isCached("/in/vary", [.acceptLanguage: language])) }
        if stores != .notListing || !isOnDiskOnly { #expect(try await harness.isCached("/out/vary", [.acceptLanguage: "fi"])) }
        await harness.cache.flush()
        #expect(try await harness.storedKeys().allSatisfy { !"\($0)".contains("/in/vary") })
    }

    @Test(arguments: [false, true])
    func markingLeavesTheIndexOfVariantsAlone(isOnDiskOnly: Bool) async throws {
        let harness = PrefixHarness(.listing)
        for language in ["fi", "sv"] { try await harness.get("/in/vary", [.acceptLanguage: language]) }
        if isOnDiskOnly { await harness.leaveToTheStores() }
        #expect(await harness.cache.markStale(prefix: host + "/in") == 2)
        let requests = harness.harness.requestCount
        for language in ["fi", "sv"] {
            #expect(try await !harness.get("/in/vary", [.acceptLanguage: language]).isFromCache)
            #expect(try await harness.get("/in/vary", [.acceptLanguage: language]).isFromCache)
        }
        #expect(harness.harness.requestCount == requests + 2)
    }

    @Test(arguments: ["/in/", "/in/search", "/in/search?", "/in/search?a=1", "/in/search?utm=2"])
    func whatStandsForSeveralURIsGoesWithEachOfThem(prefix: String) async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/in/search?a=1&utm=2")
        #expect(try await harness.isCached("/in/search?utm=5&a=1"))
        await harness.leaveToTheStores()
        await harness.cache.remove(prefix: host + prefix)
        #expect(try await !harness.isCached("/in/search?a=1&utm=2"))
        #expect(try await !harness.isCached("/in/search?a=1"))
    }

    @Test(arguments: [false, true])
    func longBodiesGiveTheirRoomBack(isOnDiskOnly: Bool) async throws {
        let harness = PrefixHarness(.listing)
        try await harness.get("/in/long")
        await harness.cache.flush()
        #expect(try await harness.storedKeys().count == 5, "four segments and the response")
        if isOnDiskOnly { await harness.leaveToTheStores() }
        #expect(await harness.cache.remove(prefix: host + "/in/") == 1)
        await harness.cache.flush()
        #expect(try await harness.storedKeys().isEmpty)
    }

    @Test func bodyThatIsBeingReadIsReadToItsEnd() async throws {
        let harness = PrefixHarness(.listing)
        let text = try await harness.get("/in/long").text
        await harness.leaveToTheStores()
        let response = try await harness.harness.open("/in/long")
        await harness.cache.remove(prefix: host + "/in/")
        #expect(String(buffer: try await response.body.collect(upTo: .max)) == text)
    }

    @Test(arguments: [false, true])
    func responsesToRequestsWithCredentialsGoToo(isOnDiskOnly: Bool) async throws {
        let harness = PrefixHarness(.listing, mode: .private)
        for user in ["ann", "bob"] { try await harness.get("/in/a", [.authorization: user]) }
        try await harness.get("/out", [.authorization: "ann"])
        if isOnDiskOnly { await harness.leaveToTheStores() }
        #expect(await harness.cache.remove(prefix: host + "/in/") == 2)
        for user in ["ann", "bob"] { #expect(try await !harness.isCached("/in/a", [.authorization: user])) }
        #expect(try await harness.isCached("/out", [.authorization: "ann"]))
    }

    @Test func otherPartitionsStay() async throws {
        let harness = PrefixHarness(.listing)
        for partition in ["", "ann"] {
            let response = try await harness.cache.respond(to: .test(.get, "/in/a"), partition: partition, through: harness.transport)
            _ = try await response.body.collect(upTo: 1_000)
        }
        await harness.leaveToTheStores()
        #expect(await harness.cache.remove(prefix: host + "/in/", partition: "ann") == 1)
        #expect(try await harness.isCached("/in/a"))
        #expect(await harness.cache.entries(partition: "ann").entries.isEmpty)
    }

    // MARK: Prefixes

    @Test(arguments: [
        ("HTTP://Example.COM:80/in/", "/in/a"), ("http://example.com", "/in/a"), ("http://example.com/%69n", "/in/a"),
        ("http://example.com/in/a?x", "/in/a?x=1"), ("http://example.com/out/../in/", "/in/a"),
    ])
    func prefixIsPutIntoTheFormOfKeys(prefix: String, path: String) async throws {
        let harness = PrefixHarness()
        try await harness.get(path)
        #expect(await harness.cache.remove(prefix: prefix) == 1)
        #expect(try await !harness.isCached(path))
    }

    @Test(arguments: ["http://example.co", "http://example.com.evil.example/", "https://example.com/", "http://example.com:8080/"])
    func otherHostsAreLeftAlone(prefix: String) async throws {
        let harness = PrefixHarness()
        try await harness.get("/in/a")
        #expect(await harness.cache.remove(prefix: prefix) == 0)
        #expect(try await harness.isCached("/in/a"))
    }

    @Test(arguments: ["", "/in/", "example.com/in/", "ftp://example.com/", "http://", "http://user@example.com/"])
    func whatIsNoBeginningOfAnHTTPURIRemovesNothing(prefix: String) async throws {
        let harness = PrefixHarness()
        try await harness.get("/in/a")
        #expect(await harness.cache.remove(prefix: prefix) == nil)
        #expect(await harness.cache.markStale(prefix: prefix) == nil)
        #expect(try await harness.isCached("/in/a"))
    }

    // MARK: Everything

    @Test(arguments: PrefixHarness.Stores.allCases)
    func everythingCanBeMarked(_ stores: PrefixHarness.Stores) async throws {
        let harness = PrefixHarness(stores)
        for path in ["/in/a", "/in/vary", "/out"] { try await harness.get(path) }
        await harness.cache.flush()
        await harness.cache.markAllStale()
        let requests = harness.harness.requestCount
        for path in ["/in/a", "/in/vary", "/out"] { #expect(try await !harness.get(path).isFromCache) }
        #expect(harness.harness.requestCount == requests + 3)
        for path in ["/in/a", "/in/vary", "/out"] { #expect(try await harness.get(path).isFromCache) }
    }

    @Test func responsesOfAURIAreCounted() async throws {
        let harness = PrefixHarness(.listing)
        for language in ["fi", "sv"] { try await harness.get("/in/vary", [.acceptLanguage: language]) }
        try await harness.get("/in/a")
        try await harness.get("/in/search?a=1&utm=2")
        await harness.leaveToTheStores()
        #expect(await harness.cache.storedResponseCount(host + "/in/vary") == 2)
        #expect(await harness.cache.storedResponseCount(host + "/in/a") == 1)
        #expect(await harness.cache.storedResponseCount(host + "/in/search?a=1") == 1)
        #expect(await harness.cache.storedResponseCount(host + "/absent") == 0)
        #expect(await harness.cache.storedResponseCount("no URI") == nil)
    }
}
