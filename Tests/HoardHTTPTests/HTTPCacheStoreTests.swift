// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

/// Stores below memory: the responses that survive a restart, and the behaviour when stores fail.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheStoreTests {
    @Sendable private static func origin(_ request: FakeTransport.Request) -> FakeTransport.Answer {
        .text(request.head.path ?? "", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
    }

    @Test func cacheOverTheSameStoreGoesOnWhereTheFirstLeftOff() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let before = CacheHarness(stores: [store], time: time) { _ in
            var fields: HTTPFields = [.cacheControl: "max-age=60", .setCookie: "a=b"]
            fields.append(HTTPField(name: .setCookie, value: "c=d"))
            fields.append(HTTPField(name: .server, value: [0x48, 0xE4, 0xFF]))
            return .text("hello", status: .init(code: 203, reasonPhrase: "Second hand"), fields: fields)
        }
        try await before.get()
        await before.cache.flush()
        time.advance(seconds: 20)
        let after = CacheHarness(stores: [store], time: time, origin: Self.origin)
        let reply = try await after.get()
        #expect(reply.text == "hello")
        #expect(reply.isFromCache)
        #expect(reply.age == "20")
        #expect(reply.cacheStatus == "hoard; hit; ttl=40")
        #expect(reply.head.status.reasonPhrase == "Second hand")
        #expect(reply.head.headerFields[values: .setCookie] == ["a=b", "c=d"])
        let server = try #require(reply.head.headerFields[fields: .server].first)
        #expect(server.valueBytes == [0x48, 0xE4, 0xFF])
        #expect(after.requestCount == 0)
    }

    @Test func staleResponseIsRevalidatedAfterARestart() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let before = CacheHarness(stores: [store], time: time, origin: Self.origin)
        try await before.get()
        await before.cache.flush()
        time.advance(seconds: 60)
        let after = CacheHarness(stores: [store], time: time) { _ in .text(status: .notModified) }
        #expect(try await after.get().cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=60; stored")
        #expect(after.transport.requests.first?.head.headerFields[.ifNoneMatch] == "\"1\"")
        await after.cache.flush()
        let third = CacheHarness(stores: [store], time: time, origin: Self.origin)
        #expect(try await third.get().cacheStatus == "hoard; hit; ttl=60")
    }

    @Test func everyResponseThatIsAcceptedReachesTheStore() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, origin: Self.origin)
        for number in 1...200 { try await harness.get("/\(number)") }
        await harness.cache.flush()
        #expect(try await store.statistics().count == 200)
        #expect(harness.openFenceCount == 0)
    }

    @Test func everyStreamedResponseThatIsAcceptedReachesTheStore() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time) { _ in .parts(["a", "b"], fields: [.cacheControl: "max-age=60"]) }
        for number in 1...200 { try await harness.get("/\(number)") }
        await harness.cache.flush()
        #expect(try await store.statistics().count == 200)
        #expect(harness.openFenceCount == 0)
    }

    @Test func recordSaysWhatAStoreHasToKnow() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time) {
            $0.revalidationPeriod = .seconds(1_000)
            $0.staleIfUnreachable = .zero
        } origin: {
            Self.origin($0)
        }
        try await harness.get("/a?b")
        await harness.cache.flush()
        let (key, record) = try #require(store.insertedRecords.first)
        #expect(HTTPCacheKey(recordKey: key) == HTTPCacheKey(scope: "http-private", targetURI: "http://example.com/a?b"))
        #expect(record.created == .test(0))
        #expect(record.freshUntil == .test(60))
        #expect(record.staleUntil == .test(1_060))
        #expect(record.validator == "\"1\"")
        #expect(record.contentType == "application/x-hoard-http")
    }

    @Test func expiredResponseWithoutValidatorIsNoMoreAfterARestart() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let origin: FakeTransport.Handler = { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        let before = CacheHarness(stores: [store], time: time, configure: { $0.staleIfUnreachable = .zero }, origin: origin)
        try await before.get()
        await before.cache.flush()
        time.advance(seconds: 60)
        let after = CacheHarness(stores: [store], time: time, origin: origin)
        #expect(try await after.get().cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
    }

    // MARK: Failure

    @Test func failingStoreFailsNoRequest() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        store.setFailing(true)
        let harness = CacheHarness(stores: [store], time: time, origin: Self.origin)
        #expect(try await harness.get().text == "/a")
        #expect(try await harness.get().isFromCache, "Memory still works.")
        #expect(try await harness.send(.post).code == 200)
        #expect(try await !harness.get().isFromCache)
        #expect(try await harness.get("/a", [.cacheControl: "no-cache"]).text == "/a")
        await harness.cache.flush()
        #expect(harness.cache.tierStatistics.storeFailures > 0)
        #expect(harness.openFenceCount == 0)
    }

    @Test func removalThatAStoreHasMissedIsMadeGoodBeforeItIsReadAgain() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let version = Mutex(1)
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = 0 }) { request in
            if request.head.method == .post { version.withLock { $0 += 1 } }
            return .text("v\(version.withLock { $0 })", fields: [.cacheControl: "max-age=60"])
        }
        try await harness.get()
        await harness.cache.flush()
        #expect(try await harness.get().isFromCache, "Memory holds nothing, the store does.")
        store.setFailing(true)
        try await harness.send(.post)
        store.setFailing(false)
        #expect(try await harness.get().text == "v2")
    }

    @Test func failureOfAStoreIsReportedOnceAndSoIsItsRecovery() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let kinds = Mutex<[TieredCacheEvent.Kind]>([])
        let (events, toldEvents) = AsyncStream<TieredCacheEvent.Kind>.makeStream()
        let cache = HTTPCache(stores: [store], clock: time, ticker: time) { event in
            kinds.withLock { $0.append(event.kind) }
            toldEvents.yield(event.kind)
        }
        let transport = FakeTransport(Self.origin)
        store.setFailing(true)
        for number in 1...5 { _ = try await cache.respond(to: .test(.get, "/\(number)"), through: transport) }
        await cache.flush()
        store.setFailing(false)
        #expect(kinds.withLock { $0 } == [.storeFailed, .circuitOpened])
        // Changes that the store has missed are made good when their time has come; then it is used again.
        await time.sleepers(1)
        time.advance(seconds: 10)
        var coming = events.makeAsyncIterator()
        for _ in 1...3 { _ = await coming.next() }
        for number in 6...9 { _ = try await cache.respond(to: .test(.get, "/\(number)"), through: transport) }
        await cache.flush()
        #expect(Set(kinds.withLock { $0 }) == [.storeFailed, .circuitOpened, .circuitClosed, .storeRecovered])
        #expect(kinds.withLock { $0.count } == 4)
        #expect(!store.insertedKeys.isEmpty)
    }

    @Test func recordThatDoesNotDecodeIsAMiss() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let before = CacheHarness(stores: [store], time: time, origin: Self.origin)
        try await before.get()
        await before.cache.flush()
        let key = try #require(store.insertedKeys.first)
        var record = try #require(store.insertedRecords[key])
        record.payload.removeLast()
        try await store.insert(record, forKey: key)
        let after = CacheHarness(stores: [store], time: time, origin: Self.origin)
        let reply = try await after.get()
        #expect(reply.text == "/a")
        #expect(!reply.isFromCache)
        #expect(after.cache.tierStatistics.rejectedRecords == 1)
        #expect(try await after.get().isFromCache)
    }

    @Test func responseThatTheStoreRefusesIsServedFromMemory() async throws {
        let time = TestTime()
        let store = MemoryStore(maximumBytes: 100, clock: time)
        let harness = CacheHarness(stores: [store], time: time) { _ in
            .text(String(repeating: "x", count: 1_000), fields: [.cacheControl: "max-age=60"])
        }
        try await harness.get()
        await harness.cache.flush()
        #expect(try await store.statistics().count == 0)
        #expect(try await harness.get().isFromCache)
        #expect(harness.cache.tierStatistics.storeFailures == 0)
    }

    @Test func responseThatMemoryRefusesIsServedFromTheStore() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, configure: { $0.maximumMemoryBytes = 100 }, origin: Self.origin)
        try await harness.get()
        await harness.cache.flush()
        #expect(try await harness.get().isFromCache)
        #expect(harness.cache.tierStatistics.storeHits == 1)
    }

    @Test func closedCacheStillForwards() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, origin: Self.origin)
        try await harness.get()
        await harness.cache.close()
        #expect(try await harness.get().text == "/a")
        await #expect(throws: StoreError.self) { try await store.statistics() }
    }
}
