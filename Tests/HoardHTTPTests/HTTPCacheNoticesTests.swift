// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import HoardHTTP

/// The effect of removals on other caches that share the store.
@Suite(.timeLimit(.minutes(2))) struct HTTPCacheNoticesTests {
    /// The way in which one of the caches removes the responses under `/a/x`, or marks them stale.
    enum Removal: CaseIterable, Sendable {
        case uri, prefix, tag, everything, partition, change, staleURI, stalePrefix, staleTag

        var marksStale: Bool { [.staleURI, .stalePrefix, .staleTag].contains(self) }
        var concernsURI: Bool { [.uri, .change, .staleURI].contains(self) }

        func perform(on harness: CacheHarness) async throws {
            let cache = harness.cache
            switch self {
            case .uri: await cache.remove("http://example.com/a/x")
            case .prefix: #expect(await cache.remove(prefix: "http://example.com/a/") != nil)
            case .tag: await cache.remove(taggedWith: "news")
            case .everything: await cache.removeAll()
            case .partition: await cache.removePartition("p")
            case .change: try await harness.send(.put, "/a/x")
            case .staleURI: await cache.markStale("http://example.com/a/x")
            case .stalePrefix: #expect(await cache.markStale(prefix: "http://example.com/a/") != nil)
            case .staleTag: await cache.markStale(taggedWith: "news")
            }
        }
    }

    private let time = TestTime()
    private let server: SharedMemoryStore
    /// The cache that removes, and the cache that hears of it.
    private let one: CacheHarness
    private let other: CacheHarness

    init() {
        server = SharedMemoryStore(clock: time, ticker: time)
        let numbers = Mutex(0)
        let origin: FakeTransport.Handler = { request in
            let number = numbers.withLock { count in
                count += 1
                return count
            }
            var fields: HTTPFields = [.cacheControl: "public, max-age=600", .eTag: "\"\(number)\""]
            if let name = HTTPField.Name("Cache-Tag") { fields[name] = "news" }
            if request.head.path?.contains("search") == true { fields[.noVarySearch] = #"params=("utm")"# }
            return .text("\(number)", fields: fields)
        }
        one = CacheHarness(mode: .shared, partition: "p", stores: [server.connect()], time: time, origin: origin)
        other = CacheHarness(mode: .shared, partition: "p", stores: [server.connect()], time: time, origin: origin)
    }

    @Test func cachesOfOneStoreShareWhatTheyHave() async throws {
        #expect(try await one.get("/a/x").text == "1")
        await one.cache.flush()
        #expect(try await other.get("/a/x").text == "1")
        #expect(other.requestCount == 0)
    }

    @Test(arguments: Removal.allCases)
    func aRemovalReachesTheMemoryOfOthers(removal: Removal) async throws {
        for harness in [one, other] {
            try await harness.get("/a/x")
            await harness.cache.flush()
        }
        #expect(try await other.get("/a/x").isFromCache)
        try await removal.perform(on: one)
        let reply = try await other.get("/a/x")
        #expect(reply.text != "1")
        let question = try #require(other.transport.requests.last).head
        #expect((question.headerFields[.ifNoneMatch] != nil) == removal.marksStale)
    }

    @Test(arguments: Removal.allCases)
    func whatAnotherCacheIsBeingSentIsNotStored(removal: Removal) async throws {
        let hold = other.transport.hold()
        let overtaken = Task { try await other.get("/a/x") }
        await hold.arrivals(1)
        try await removal.perform(on: one)
        hold.release()
        let old = try await overtaken.value.text
        await other.cache.flush()
        for harness in [one, other] {
            let reply = try await harness.get("/a/x")
            #expect(reply.text != old, "the answer from before the removal")
        }
    }

    @Test(arguments: Removal.allCases)
    func nobodyJoinsWhatWasAskedForBefore(removal: Removal) async throws {
        let hold = other.transport.hold()
        let before = Task { try await other.get("/a/x") }
        await hold.arrivals(1)
        try await removal.perform(on: one)
        let after = Task { try await other.get("/a/x") }
        // It asks by itself: a request that joins another never arrives.
        await hold.arrivals(2)
        hold.release()
        #expect(try await before.value.text != after.value.text)
    }

    @Test func whatStandsForAURIByRulesOfItsResponseGoesWithIt() async throws {
        try await other.get("/search?utm=1")
        #expect(try await other.get("/search?utm=2").isFromCache)
        await other.cache.flush()
        await one.cache.remove("http://example.com/search?utm=3")
        let reply = try await other.get("/search?utm=2")
        #expect(reply.text == "2")
    }

    @Test(arguments: URIsBeginning.Change.allCases)
    func aNoticeIsReadAsItWasWritten(change: URIsBeginning.Change) throws {
        for prefix in ["http://example.com/", "http://example.com/a", "https://example.com/a?b"] {
            let matching = try #require(URIsBeginning(with: prefix, scope: "s"))
            let (read, also) = try #require(URIsBeginning.notice(withKey: matching.noticeKey(of: change)))
            #expect(read == change && also.text == prefix && also.scope == "s")
        }
        let all = try #require(URIsBeginning.notice(withKey: URIsBeginning(scope: "s").noticeKey(of: change)))
        #expect(all.0 == change && all.1.text.isEmpty)
        #expect(URIsBeginning.notice(withKey: HTTPCacheKey(scope: "s", targetURI: "http://example.com/")) == nil)
        #expect(URIsBeginning.notice(withKey: HTTPCacheKey(scope: "s", targetURI: "http://example.com/", variant: "removal")) == nil)
    }

    @Test(arguments: Removal.allCases.filter(\.concernsURI))
    func whatIsElsewhereStays(removal: Removal) async throws {
        try await other.get("/b")
        await other.cache.flush()
        try await removal.perform(on: one)
        #expect(try await other.get("/b").isFromCache)
    }
}
