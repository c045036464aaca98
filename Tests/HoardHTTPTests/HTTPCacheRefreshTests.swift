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
@testable import HoardMessages

/// Stale responses that are revalidated in the background (RFC 5861 §3), and responses that are marked stale.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheRefreshTests {
    /// An origin whose answers are numbered.
    private func harness(_ directives: String, mode: CacheMode = .private, stores: [any RecordStore] = [], time: TestTime = TestTime())
        -> CacheHarness
    {
        let count = Mutex(0)
        return CacheHarness(mode: mode, stores: stores, time: time) { _ in
            let number = count.withLock {
                $0 += 1; return $0
            }
            return .text("\(number)", fields: [.cacheControl: directives, .eTag: "\"\(number)\"", .cacheTag: "even, t"])
        }
    }

    @Test func staleResponseIsGivenAtOnceAndRevalidatedOnce() async throws {
        let harness = harness("max-age=60, stale-while-revalidate=30")
        try await harness.get()
        harness.time.advance(seconds: 75)
        let hold = harness.transport.hold()
        for _ in 1...20 {
            let response = try await harness.open()
            #expect(response.staleness?.seconds == 15)
            #expect(response.staleness?.isStandIn == false)
            #expect(try await response.body.collect(upTo: 9) == ByteBuffer(string: "1"))
        }
        await hold.arrivals(1)
        #expect(harness.requestCount == 2)
        #expect(harness.transport.requests.last?.head.headerFields[.ifNoneMatch] == "\"1\"")
        hold.release()
        await harness.cache.flush()
        let reply = try await harness.get()
        #expect(reply.text == "2")
        #expect(reply.cacheStatus == "hoard; hit; ttl=60")
        #expect(harness.cache.statistics.refreshes == 1)
        #expect(harness.cache.statistics.staleHits == 20)
        #expect(harness.openFenceCount == 0)
    }

    @Test func responseIsNotGivenOnceItsWindowIsOver() async throws {
        let harness = harness("max-age=60, stale-while-revalidate=30")
        try await harness.get()
        harness.time.advance(seconds: 91)
        #expect(try await harness.get().text == "2")
    }

    @Test func revalidationThatFailsLeavesWhatIsStored() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time) { _ in
            time.now() == TestTime.start
                ? .text("hello", fields: [.cacheControl: "max-age=60, stale-while-revalidate=60"]) : .failure(TransportError(.failed, "Broken."))
        }
        try await harness.get()
        time.advance(seconds: 70)
        for _ in 1...3 {
            #expect(try await harness.get().text == "hello")
            await harness.cache.flush()
        }
        #expect(harness.requestCount == 4)
    }

    @Test func removalDuringARevalidationIsNotUndone() async throws {
        let harness = harness("max-age=60, stale-while-revalidate=30")
        try await harness.get()
        harness.time.advance(seconds: 75)
        let hold = harness.transport.hold()
        try await harness.get()
        await hold.arrivals(1)
        await harness.cache.remove("http://example.com/a")
        hold.release()
        await harness.cache.flush()
        #expect(try await !harness.get().isFromCache)
    }

    @Test func revalidationsInTheBackgroundAreBounded() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60, stale-while-revalidate=30"]) }
        let count = HTTPCache.maximumRefreshes + 10
        for number in 1...count { try await harness.get("/\(number)") }
        harness.time.advance(seconds: 70)
        let hold = harness.transport.hold()
        for number in 1...count { #expect(try await harness.get("/\(number)").isFromCache) }
        await hold.arrivals(HTTPCache.maximumRefreshes)
        #expect(harness.cache.statistics.refreshes == HTTPCache.maximumRefreshes)
        hold.release()
        await harness.cache.flush()
    }

    // MARK: Tags and marks

    @Test(arguments: [false, true], [false, true])
    func tagRemovesResponsesAndTheirVariants(hasStore: Bool, varies: Bool) async throws {
        let time = TestTime()
        let harness = CacheHarness(mode: .shared, stores: hasStore ? [MemoryStore(clock: time)] : [], time: time) { request in
            let isTagged = request.head.path != "/other"
            let tag: HTTPFields = isTagged ? [.cacheTag: "news, t"] : [.cacheTag: "u"]
            return .text("hello", fields: [.cacheControl: "max-age=600"] + tag + (varies ? [.vary: "Accept"] : [:]))
        }
        for path in ["/a", "/b", "/other"] { try await harness.get(path) }
        await harness.cache.flush()
        await harness.cache.remove(taggedWith: "t")
        #expect(try await !harness.get("/a").isFromCache)
        #expect(try await !harness.get("/b").isFromCache)
        #expect(try await harness.get("/other").isFromCache)
        #expect(try await harness.get("/a").isFromCache)
    }

    @Test(arguments: [false, true])
    func responseThatIsMarkedStaleIsUsedOnlyAfterConfirmation(byTag: Bool) async throws {
        let time = TestTime()
        let isChanged = Mutex(false)
        let harness = CacheHarness(stores: [MemoryStore(clock: time)], time: time) { request in
            if request.head.headerFields[.ifNoneMatch] == "\"1\"", !isChanged.withLock({ $0 }) { return .text(status: .notModified) }
            return .text("hello", fields: [.cacheControl: "max-age=600", .eTag: "\"1\"", .cacheTag: "t", .vary: "Accept"])
        }
        for path in ["/a", "/b"] { try await harness.get(path) }
        await harness.cache.flush()
        if byTag { await harness.cache.markStale(taggedWith: "t") } else { await harness.cache.markStale("http://example.com/a") }
        #expect(try await harness.get("/a").cacheStatus.hasPrefix("hoard; fwd=stale; fwd-status=304"))
        #expect(try await harness.get("/a").cacheStatus == "hoard; hit; ttl=600")
        #expect(try await harness.get("/b").cacheStatus.contains("fwd=stale") == byTag)
    }

    @Test func markedResponseThatMayBeServedStaleIsRevalidatedBehindItsReader() async throws {
        let harness = harness("max-age=60, stale-while-revalidate=30")
        try await harness.get()
        harness.time.advance(seconds: 10)
        await harness.cache.markStale("http://example.com/a")
        harness.time.advance(seconds: 5)
        #expect(try await harness.get().text == "1")
        await harness.cache.flush()
        #expect(try await harness.get().text == "2")
    }

    @Test(arguments: [false, true])
    func markedResponseMayBeServedStaleForNoLongerThanItsMarkAllows(isInStore: Bool) async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let origin: FakeTransport.Handler = { _ in
            time.now() == TestTime.start
                ? .text("old", fields: [.cacheControl: "max-age=60, stale-while-revalidate=30, stale-if-error=30"])
                : .failure(TransportError(.failed, "Broken."))
        }
        let before = CacheHarness(stores: [store], time: time, origin: origin)
        try await before.get()
        time.advance(seconds: 10)
        await before.cache.markStale("http://example.com/a")
        await before.cache.flush()
        let harness = isInStore ? CacheHarness(stores: [store], time: time, origin: origin) : before
        // A second after its own time, and 51 after the mark.
        time.advance(seconds: 51)
        await #expect(throws: HTTPCacheError.self) { try await harness.get() }
    }

    // MARK: What comes beside the content

    @Test func interimResponsesReachTheClientThatAskedAndAreNotStored() async throws {
        let harness = CacheHarness { _ in
            .text("hello", fields: [.cacheControl: "max-age=60"]).after(.test(103, [.server: "early"])).after(.test(102))
        }
        let seen = Mutex<[Int]>([])
        for expected in [[103, 102], []] {
            let response = try await harness.cache.respond(to: .test(), through: harness.transport) { interim in
                seen.withLock { $0.append(interim.status.code) }
            }
            #expect(!response.head.headerFields.contains(.server))
            #expect(
                seen.withLock { seen in
                    defer { seen = [] }; return seen
                } == expected
            )
        }
    }

    @Test func interimResponsesToARevalidationInTheBackgroundReachNoClient() async throws {
        let harness = CacheHarness { _ in
            .text("hello", fields: [.cacheControl: "max-age=60, stale-while-revalidate=30", .eTag: "\"1\""]).after(.test(103))
        }
        try await harness.get()
        harness.time.advance(seconds: 75)
        let seen = Mutex(0)
        let response = try await harness.cache.respond(to: .test(), through: harness.transport) { _ in seen.withLock { $0 += 1 } }
        #expect(response.staleness != nil)
        await harness.cache.flush()
        #expect(harness.requestCount == 2)
        #expect(seen.withLock { $0 } == 0)
    }

    @Test(arguments: [nil, "trailers", "gzip;q=0.5, Trailers"], [nil, 5] as [Int?])
    func trailersAreStoredAndGivenToThoseWhoTakeThem(te: String?, length: Int?) async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let origin: FakeTransport.Handler = { _ in
            let parts = AsyncStream<ByteBuffer> { stream in
                stream.yield(ByteBuffer(string: "hello"))
                stream.finish()
            }
            let body = HTTPBody(parts, length: length, trailers: { [.eTag: "abc"] })
            return .response(.test(200, [.cacheControl: "max-age=60", .trailer: "ETag"]), body: body)
        }
        let before = CacheHarness(stores: [store], time: time, origin: origin)
        let first = try await before.open()
        _ = try await first.body.collect(upTo: 100)
        #expect(first.body.trailers == [.eTag: "abc"])
        await before.cache.flush()
        for harness in [before, CacheHarness(stores: [store], time: time, origin: origin)] {
            let response = try await harness.open("/a", te.map { [.te: $0] } ?? [:])
            #expect(response.isFromCache)
            #expect(try await response.body.collect(upTo: 100) == ByteBuffer(string: "hello"))
            #expect(response.body.trailers == (te == nil ? nil : [.eTag: "abc"]))
            #expect((response.body.length == nil) == (te != nil))
            if te != nil { #expect(!response.head.headerFields.contains(.contentLength)) }
        }
    }

    // MARK: Without waiting

    @Test func freshResponseInMemoryIsGivenWithoutSuspending() async throws {
        let harness = harness("max-age=60", mode: .shared)
        #expect(harness.cache.responseFromMemory(to: .init(.test())) == nil)
        try await harness.get()
        let response = try #require(harness.cache.responseFromMemory(to: .init(.test())))
        #expect(response.body.bytesAtHand == ByteBuffer(string: "1"))
        #expect(response.cacheStatus == "hoard; hit; ttl=60")
        #expect(harness.cache.responseFromMemory(to: .init(.test(.post))) == nil)
        #expect(harness.cache.responseFromMemory(to: .init(.test(.get, "/a", [.cacheControl: "no-cache"]))) == nil)
        harness.time.advance(seconds: 60)
        #expect(harness.cache.responseFromMemory(to: .init(.test())) == nil)
        #expect(harness.cache.statistics.hits == 1)
    }

    @Test func explanationTellsWhyTheLastResponseWasNotStored() async throws {
        let harness = harness("no-store")
        try await harness.get()
        let explanation = await harness.cache.explain("HTTP://example.com/a")
        #expect(explanation.uri == "http://example.com/a")
        #expect(explanation.stored == nil)
        #expect(explanation.lastDecision?.token == "NO-STORE")
        #expect(await harness.cache.explain("ftp://example.com/a").stored == nil)
    }
}
