// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

private let requestCount = Int(ProcessInfo.processInfo.environment["HOARD_QUERY_REQUESTS"] ?? "")

/// QUERY (RFC 10008): safe, with content, and answered from the cache by the content of the request.
@Suite(.timeLimit(.minutes(requestCount == nil ? 5 : 240))) struct HTTPCacheQueryTests {
    /// An origin that answers with the request that it got.
    private static let echo: FakeTransport.Handler = { request in
        let type = request.head.headerFields[.contentType] ?? ""
        return .text("\(request.head.method) \(type) \(String(buffer: request.body))", fields: [.cacheControl: "max-age=600"])
    }

    @discardableResult
    private func query(
        _ harness: CacheHarness,
        _ content: String,
        type: String = "text/plain",
        path: String = "/a",
        _ fields: HTTPFields = [:]
    ) async throws -> Reply {
        try await harness.send(.query, path, [.contentType: type] + fields, body: HTTPBody(content))
    }

    // MARK: Keys

    @Test(arguments: [CacheMode.private, .shared]) func theSameQuestionIsAnsweredFromTheCache(mode: CacheMode) async throws {
        let harness = CacheHarness(mode: mode, origin: Self.echo)
        for _ in 1...3 { #expect(try await query(harness, "one").text == "QUERY text/plain one") }
        #expect(harness.requestCount == 1)
        #expect(try await query(harness, "one").cacheStatus.hasPrefix("hoard; hit"))
    }

    @Test func anotherContentTypeCodingPathOrMethodIsAnotherQuestion() async throws {
        let harness = CacheHarness(origin: Self.echo)
        try await harness.get()
        #expect(try await query(harness, "one").text == "QUERY text/plain one")
        #expect(try await query(harness, "two").text == "QUERY text/plain two")
        #expect(try await query(harness, "").text == "QUERY text/plain ")
        #expect(try await query(harness, "one", type: "text/html").text == "QUERY text/html one")
        #expect(!(try await query(harness, "one", [.contentEncoding: "gzip"]).isFromCache))
        #expect(!(try await query(harness, "one", [.contentLanguage: "de"]).isFromCache))
        #expect(!(try await query(harness, "one", [.contentLocation: "/b"]).isFromCache))
        #expect(!(try await query(harness, "one", path: "/a?x").isFromCache))
        #expect(try await harness.get().text == "GET  ")
        #expect(harness.requestCount == 9)
    }

    @Test func blanksOfJSONDoNotMatterUnlessTheClientSaysSo() async throws {
        let harness = CacheHarness(origin: Self.echo)
        try await query(harness, "{\"a\": [1, 2]}", type: "application/json")
        #expect(try await query(harness, "{ \"a\":[1,2] }\n", type: "Application/JSON").isFromCache)
        #expect(!(try await query(harness, "{ \"a\":[1,2] }", type: "application/json", [.cacheControl: "no-transform"]).isFromCache))
        #expect(!(try await query(harness, "{\"a\":[2,1]}", type: "application/json").isFromCache))
        #expect(!(try await query(harness, "{\"a\":[1,2]}", type: "application/json", [.cacheControl: "no-transform"]).isFromCache))
        #expect(!(try await query(harness, "{\"a\":[1,2]}", type: "application/json;charset=utf-16").isFromCache))
        #expect(!(try await query(harness, "{\"a\": [1, 2]}", type: "text/plain").isFromCache))
        #expect(!(try await query(harness, "{ \"a\":[1,2] }", type: "text/plain").isFromCache))
        #expect(harness.transport.requests.first.map { String(buffer: $0.body) } == "{\"a\": [1, 2]}", "The request itself is not changed.")
    }

    @Test func streamedContentIsReadAndTooLongContentOnlyForwarded() async throws {
        let harness = CacheHarness(configure: { $0.maximumQueryBytes = 8 }, origin: Self.echo)
        func streamed(_ parts: [String], length: Int? = nil, mode: RequestCacheMode = .default) async throws -> Reply {
            let (body, feed) = BodyFeed.makeBody(length: length)
            for part in parts { feed.send(part) }
            feed.finish()
            return try await Reply(harness.cache.respond(to: .test(.query), body: body, mode: mode, through: harness.transport))
        }
        for isFromCache in [false, true] {
            let reply = try await streamed(["one ", "two"])
            #expect(reply.text == "QUERY  one two" && reply.isFromCache == isFromCache)
        }
        #expect(try await streamed(["one two"], length: 7, mode: .onlyIfCached).isFromCache)
        for length in [nil, 9] {
            for _ in 1...2 {
                let reply = try await streamed(["one", " two", " t"], length: length)
                #expect(reply.text == "QUERY  one two t" && reply.cacheStatus == "hoard; fwd=bypass; fwd-status=200")
            }
            #expect(try await streamed(["one", " two", " t"], length: length, mode: .onlyIfCached).code == 504)
        }
        let whole = try await harness.send(.query, body: HTTPBody("one two t"))
        #expect(!whole.isFromCache && whole.text == "QUERY  one two t")
    }

    @Test func contentThatBreaksOffFailsTheRequestAndStoresNothing() async throws {
        let harness = CacheHarness(origin: Self.echo)
        let (body, feed) = BodyFeed.makeBody()
        feed.send("one")
        feed.breakOff()
        await #expect(throws: HTTPCacheError.self) { try await harness.send(.query, body: body) }
        #expect(harness.requestCount == 0)
        #expect(harness.cache.statistics.failures == 1)
        #expect(!(try await harness.send(.query, body: HTTPBody("one")).isFromCache))
    }

    // MARK: Rules

    @Test(arguments: [CacheMode.private, .shared]) func aChangeOfTheURIRemovesItsAnswers(mode: CacheMode) async throws {
        for stores in [false, true] {
            let time = TestTime()
            let harness = CacheHarness(mode: mode, stores: stores ? [MemoryStore(clock: time)] : [], time: time, origin: Self.echo)
            for content in ["one", "two"] {
                try await query(harness, content)
                try await query(harness, content, path: "/b")
            }
            try await harness.get()
            try await harness.send(.post)
            for content in ["one", "two"] {
                #expect(!(try await query(harness, content).isFromCache))
                #expect(try await query(harness, content, path: "/b").isFromCache)
            }
            #expect(await harness.cache.remove("http://example.com/a"))
            #expect(!(try await query(harness, "one").isFromCache))
        }
    }

    @Test func aQuestionInvalidatesNothing() async throws {
        let harness = CacheHarness(origin: Self.echo)
        try await harness.get()
        try await query(harness, "one")
        #expect(try await harness.get().isFromCache)
    }

    @Test func anAnswerThatWasOnItsWayDuringAChangeIsNotStored() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.echo)
        let hold = harness.transport.hold { $0.head.method == .query }
        async let late = query(harness, "one")
        await hold.arrivals(1)
        try await harness.send(.put)
        hold.release()
        #expect(try await !late.isFromCache)
        #expect(!(try await query(harness, "one").isFromCache))
    }

    @Test func staleAnswersAreConfirmedByTheSameQuestion() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields[.ifNoneMatch] == "\"1\""
                ? .text(status: .notModified, fields: [.eTag: "\"1\"", .cacheControl: "max-age=10"])
                : .text(String(buffer: request.body), fields: [.eTag: "\"1\"", .cacheControl: "max-age=10"])
        }
        try await query(harness, "one")
        harness.time.advance(seconds: 11)
        let reply = try await query(harness, "one")
        #expect(reply.text == "one" && reply.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=10; stored")
        #expect(harness.transport.requests.map { String(buffer: $0.body) } == ["one", "one"])
        #expect(harness.transport.requests.last?.head.method == .query)
    }

    @Test func staleAnswersAreRefreshedInTheBackgroundByTheSameQuestion() async throws {
        let version = Mutex(0)
        let harness = CacheHarness { request in
            let number = version.withLock { version in
                version += 1
                return version
            }
            return .text("\(String(buffer: request.body)) \(number)", fields: [.cacheControl: "max-age=10, stale-while-revalidate=60"])
        }
        try await query(harness, "one")
        harness.time.advance(seconds: 11)
        #expect(try await query(harness, "one").text == "one 1")
        await harness.cache.flush()
        #expect(try await query(harness, "one").text == "one 2")
    }

    @Test func conditionsAndRangesOfTheClientAreAnsweredFromTheCache() async throws {
        let harness = CacheHarness { request in .text("answer", fields: [.eTag: "\"1\"", .cacheControl: "max-age=600"]) }
        try await query(harness, "one")
        #expect(try await query(harness, "one", [.ifNoneMatch: "\"1\""]).code == 304)
        let part = try await query(harness, "one", [.range: "bytes=1-3"])
        #expect(part.code == 206 && part.text == "nsw")
        #expect(harness.requestCount == 1)
    }

    @Test func variantsOfAnAnswerAreKeptApart() async throws {
        let harness = CacheHarness { request in
            let language = request.head.headerFields[.acceptLanguage] ?? ""
            return .text("\(String(buffer: request.body)) \(language)", fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"])
        }
        for _ in 1...2 {
            for language in ["de", "en"] {
                for content in ["one", "two"] {
                    #expect(try await query(harness, content, [.acceptLanguage: language]).text == "\(content) \(language)")
                }
            }
        }
        #expect(harness.requestCount == 4)
    }

    @Test func rulesForTheQueryStringAreForNoOtherContent() async throws {
        let harness = CacheHarness { request in
            .text(String(buffer: request.body), fields: [.cacheControl: "max-age=600", .noVarySearch: "params"])
        }
        try await harness.get("/a?x=1")
        for path in ["/a?x=2", "/a?x=3"] {
            for content in ["one", "two"] { #expect(try await query(harness, content, path: path).text == content) }
        }
        #expect(try await harness.get("/a?x=4").isFromCache)
    }

    @Test func questionsThatAreAskedAtTheSameTimeAreSentOnce() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.echo)
        let hold = harness.transport.hold()
        let replies = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<8 { group.addTask { try await query(harness, number % 2 == 0 ? "one" : "two").text } }
            await hold.arrivals(2)
            for content in ["one", "two"] {
                let key = HTTPCacheKey(scope: harness.cache.baseScope, targetURI: "http://example.com/a")
                    .queryKey(.test(.query, "/a", [.contentType: "text/plain"]), content: ByteBuffer(string: content))
                try await #require(harness.cache.flights.exchange(FlightKey(key: key, variant: nil))).followers(3)
            }
            hold.release()
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(replies.sorted() == Array(repeating: "QUERY text/plain one", count: 4) + Array(repeating: "QUERY text/plain two", count: 4))
        #expect(harness.requestCount == 2)
    }

    @Test func listingsSayThatAnEntryIsTheAnswerToAQuestion() async throws {
        let harness = CacheHarness(origin: Self.echo)
        try await query(harness, "one")
        let entry = try #require(await harness.cache.entries(matching: .init(), after: nil, limit: 10).entries.first)
        #expect(entry.uri == "http://example.com/a" && entry.variant?.hasPrefix("QUERY #") == true && entry.tags.isEmpty)
    }

    /// `HOARD_QUERY_REQUESTS` sets how many are sent.
    @Test func randomQuestionsGetTheAnswersToTheirOwnContent() async throws {
        let count = requestCount ?? 3_000
        let seed = UInt64.random(in: 1...UInt64.max)
        var random = RandomSource(seed: seed)
        let harness = CacheHarness(mode: .shared, configure: { $0.maximumMemoryBytes = 1 << 20 }, origin: Self.echo)
        var hits = 0
        for _ in 0..<count {
            let content = (0..<random.int(0...5)).map { _ in random.pick(["a", "b", "\"", "{", "}", " ", "\u{0}", "\n", "é"]) }.joined()
            let type = random.pick(["text/plain", "text/html", "application/json", "application/x+json", "text/plain; charset=utf-8", ""])
            let reply = try await query(harness, content, type: type)
            hits += reply.isFromCache ? 1 : 0
            let answered = reply.text.dropFirst("QUERY \(type) ".count)
            if type.hasSuffix("json") {
                #expect(Self.withoutBlanks(String(answered)) == Self.withoutBlanks(content), "seed \(seed)")
            } else {
                #expect(reply.text == "QUERY \(type) \(content)", "seed \(seed)")
            }
        }
        #expect(hits > count / 20, "seed \(seed)")
    }

    /// The characters that are no blanks: two contents that differ in them are two questions.
    private static func withoutBlanks(_ text: String) -> String { String(text.filter { $0 != " " && $0 != "\n" }) }

    @Test func whatIsAskedForMemoryAloneLeavesNoCopyInAStore() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time, origin: Self.echo)
        func ask(inMemoryOnly: Bool) async throws -> Reply {
            let request = HTTPRequest.test(.query, "/a", [.contentType: "text/plain"])
            return try await Reply(
                harness.cache.respond(to: request, body: HTTPBody("one"), keepsInMemoryOnly: inMemoryOnly, through: harness.transport)
            )
        }
        _ = try await ask(inMemoryOnly: false)
        await harness.cache.flush()
        #expect(try await store.statistics().count > 0)
        #expect(!(try await ask(inMemoryOnly: true).isFromCache))
        await harness.cache.flush()
        #expect(try await store.statistics().count == 0)
        #expect(try await ask(inMemoryOnly: true).isFromCache)
    }

    @Test func theFirstAnswerOfManyUsersIsStoredAfterAChangeByTheSameUser() async throws {
        let harness = CacheHarness(mode: .private) { request in
            .text("page", fields: [.cacheControl: "max-age=600", .contentLocation: "/a"])
        }
        try await harness.send(.post, "/a", [.authorization: "ann"], body: HTTPBody("change"))
        #expect(try await harness.get("/a", [.authorization: "ann"]).isFromCache)
    }
}
