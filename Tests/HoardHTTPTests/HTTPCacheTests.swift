// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

/// Answering, storing and revalidating.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheTests {
    // MARK: Hits

    @Test func secondRequestIsAnsweredFromTheCacheWithItsAge() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60", .contentType: "text/plain"]) }
        let first = try await harness.get()
        #expect(first.text == "hello")
        #expect(!first.isFromCache)
        #expect(first.age == nil)
        #expect(first.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        harness.time.advance(seconds: 12)
        let second = try await harness.get()
        #expect(second.text == "hello")
        #expect(second.isFromCache)
        #expect(second.age == "12")
        #expect(second.head.headerFields[.contentType] == "text/plain")
        #expect(second.cacheStatus == "hoard; hit; ttl=48")
        #expect(harness.requestCount == 1)
    }

    @Test func headIsAnsweredFromWhatGetHasStoredAndStoresNothingItself() async throws {
        let harness = CacheHarness { request in
            .text(request.head.method == .head ? "" : "hello", fields: [.cacheControl: "max-age=60", .contentLength: "5"])
        }
        #expect(try await harness.send(.head).cacheStatus == "hoard; fwd=uri-miss; fwd-status=200")
        #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        let head = try await harness.send(.head)
        #expect(head.cacheStatus == "hoard; hit; ttl=60")
        #expect(head.text == "")
        #expect(head.head.headerFields[.contentLength] == "5")
        #expect(harness.requestCount == 2)
    }

    @Test func clientThatHasTheContentIsToldSoWithoutAskingTheOrigin() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
        try await harness.get()
        let reply = try await harness.get("/a", [.ifNoneMatch: "\"1\""])
        #expect(reply.code == 304)
        #expect(reply.text == "")
        #expect(reply.isFromCache)
        #expect(harness.requestCount == 1)
    }

    @Test(arguments: [301, 403, 404, 410, 500, 503])
    func responseThatIsNoSuccessIsDeliveredAndStoredLikeAnyOther(code: Int) async throws {
        let harness = CacheHarness { _ in .text("no", status: .init(code: code), fields: [.cacheControl: "max-age=60"]) }
        for isFromCache in [false, true] {
            let reply = try await harness.get()
            #expect(reply.code == code)
            #expect(reply.text == "no")
            #expect(reply.isFromCache == isFromCache)
        }
        #expect(harness.requestCount == 1)
    }

    @Test(
        arguments: [
            [.cacheControl: "no-store"], [:], [.cacheControl: "max-age=0"], [.expires: "0"],
        ] as [HTTPFields]
    )
    func responseThatMayNotBeReusedIsAskedForEachTime(fields: HTTPFields) async throws {
        let harness = CacheHarness { _ in .text("hello", fields: fields) }
        for _ in 1...3 { #expect(try await !harness.get().isFromCache) }
        #expect(harness.requestCount == 3)
    }

    @Test func requestThatForbidsStoringIsNotStored() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        try await harness.get("/a", [.cacheControl: "no-store"])
        #expect(try await !harness.get().isFromCache)
        #expect(try await harness.get().isFromCache)
        #expect(try await !harness.get("/a", [.cacheControl: "no-store"]).isFromCache)
    }

    // MARK: Revalidation

    @Test func staleResponseIsConfirmedByItsETagAndFreshAgain() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields[.ifNoneMatch] == "\"1\""
                ? .text(status: .notModified, fields: [.eTag: "\"1\""])
                : .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let confirmed = try await harness.get()
        #expect(confirmed.code == 200)
        #expect(confirmed.text == "hello")
        #expect(confirmed.isFromCache)
        #expect(confirmed.age == "0")
        #expect(confirmed.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=60; stored")
        harness.time.advance(seconds: 59)
        #expect(try await harness.get().cacheStatus == "hoard; hit; ttl=1")
        #expect(harness.requestCount == 2)
    }

    @Test func staleResponseIsConfirmedByItsDateOfModification() async throws {
        let date = "Wed, 31 Dec 2025 00:00:00 GMT"
        let harness = CacheHarness { request in
            request.head.headerFields[.ifModifiedSince] == date
                ? .text(status: .notModified)
                : .text("hello", fields: [.cacheControl: "max-age=60", .lastModified: date])
        }
        try await harness.get()
        harness.time.advance(seconds: 61)
        let confirmed = try await harness.get()
        #expect(confirmed.text == "hello")
        #expect(confirmed.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=60; stored")
        #expect(try await harness.get().cacheStatus == "hoard; hit; ttl=60")
    }

    @Test func newResponseTakesThePlaceOfTheStaleOne() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time) { _ in
            let version = Int(time.now().timeIntervalSince(TestTime.start))
            return .text("at \(version)", fields: [.cacheControl: "max-age=60", .eTag: "\"\(version)\""])
        }
        #expect(try await harness.get().text == "at 0")
        time.advance(seconds: 60)
        let replaced = try await harness.get()
        #expect(replaced.text == "at 60")
        #expect(replaced.cacheStatus == "hoard; fwd=stale; fwd-status=200; ttl=60; stored")
        #expect(try await harness.get().text == "at 60")
        #expect(harness.requestCount == 2)
    }

    @Test func staleResponseWithoutValidatorIsNotKept() async throws {
        let harness = CacheHarness(configure: { $0.staleIfUnreachable = .zero }) { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        try await harness.get()
        harness.time.advance(seconds: 60)
        #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
    }

    @Test func staleResponseIsKeptForTheRevalidationPeriodOnly() async throws {
        let harness = CacheHarness {
            $0.revalidationPeriod = .seconds(100)
            $0.staleIfUnreachable = .zero
        } origin: { _ in
            .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        harness.time.advance(seconds: 159)
        try await harness.get("/a", [.cacheControl: "only-if-cached, max-stale"])
        #expect(try await harness.get().cacheStatus.hasPrefix("hoard; fwd=stale"))
        harness.time.advance(seconds: 160)
        #expect(try await harness.get().cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
    }

    @Test func originThatFailsWhileRevalidatingLeavesTheStoredResponseInPlace() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time) { request in
            if time.now() == .test(60) { return .text("down", status: .serviceUnavailable) }
            return request.head.headerFields[.ifNoneMatch] == "\"1\""
                ? .text(status: .notModified) : .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        time.advance(seconds: 60)
        let failed = try await harness.get()
        #expect(failed.code == 503)
        #expect(failed.text == "down")
        time.advance(seconds: 1)
        let recovered = try await harness.get()
        #expect(recovered.text == "hello")
        #expect(recovered.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=60; stored")
    }

    @Test func newerResponseThatIsNotStoredRemovesTheOlderOne() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields[.cacheControl] == "no-cache"
                ? .text("new", fields: [.cacheControl: "no-store"]) : .text("old", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        #expect(try await harness.get("/a", [.cacheControl: "no-cache"]).text == "new")
        // The older one would have been fresh for a minute yet.
        #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
    }

    @Test func confirmationThatForbidsStoringRemovesTheStoredResponse() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.ifNoneMatch)
                ? .text(status: .notModified, fields: [.cacheControl: "no-store"])
                : .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let confirmed = try await harness.get()
        #expect(confirmed.text == "hello")
        #expect(confirmed.isFromCache)
        #expect(try await harness.get().cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
    }

    @Test func notModifiedAboutAnUnknownResponseIsFollowedByAnUnconditionalRequest() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.ifNoneMatch)
                ? .text(status: .notModified, fields: [.eTag: "\"other\""])
                : .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }
        try await harness.get()
        harness.time.advance(seconds: 60)
        let reply = try await harness.get()
        #expect(reply.text == "hello")
        #expect(!reply.isFromCache)
        #expect(reply.cacheStatus == "hoard; fwd=stale; fwd-status=200; ttl=60; stored")
        #expect(harness.transport.requests.map { $0.head.headerFields.contains(.ifNoneMatch) } == [false, true, false])
    }

    @Test func clientThatWantsNoForwardingGetsAnAnswerOfTheCachesOwn() async throws {
        let harness = CacheHarness { _ in .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
        let wanting: HTTPFields = [.cacheControl: "only-if-cached"]
        let missed = try await harness.get("/a", wanting)
        #expect(missed.code == 504)
        #expect(!missed.isFromCache)
        #expect(harness.requestCount == 0)
        try await harness.get()
        #expect(try await harness.get("/a", wanting).cacheStatus == "hoard; hit; ttl=60")
        harness.time.advance(seconds: 60)
        let stale = try await harness.get("/a", wanting)
        #expect(stale.code == 504)
        #expect(!stale.isFromCache, "The content did not come from the store.")
        #expect(try await harness.get("/a", [.cacheControl: "only-if-cached", .range: "bytes=0-1"]).code == 504)
        #expect(harness.requestCount == 1)
    }

    // MARK: URIs

    @Test(arguments: [
        ("/%61", "/a"), ("/./a", "/a"), ("/b/../a", "/a"), ("/a?q=%61", "/a?q=a"), ("", "/"), ("/a#part", "/a"), ("/%7ea b", "/~a%20b"),
    ])
    func spellingsOfOneURIShareAnEntryAndAreForwardedAsOne(path: String, forwarded: String) async throws {
        let harness = CacheHarness { request in .text(request.head.path ?? "none", fields: [.cacheControl: "max-age=60"]) }
        #expect(try await harness.get(path).text == forwarded)
        let other = try await harness.get(forwarded)
        #expect(other.text == forwarded)
        #expect(other.isFromCache)
    }

    @Test func authorityIsForwardedInTheSpellingOfTheKey() async throws {
        let harness = CacheHarness { request in
            .text("\(request.head.scheme ?? "") \(request.head.authority ?? "")", fields: [.cacheControl: "max-age=60"])
        }
        var request = HTTPRequest.test()
        request.scheme = "HTTP"
        request.authority = "EXAMPLE.com:80"
        let first = try await Reply(harness.cache.respond(to: request, through: harness.transport))
        // An origin that repeats the host in its page would else have one client's spelling stored for all.
        #expect(first.text == "http example.com")
        #expect(try await harness.get().isFromCache)
    }

    @Test(arguments: [("/a", "/A"), ("/a", "/a?"), ("/a?x", "/a?X"), ("/a", "/a/"), ("/a%2Fb", "/a/b")])
    func differentURIsDoNotShareAnEntry(first: String, second: String) async throws {
        let harness = CacheHarness { request in .text(request.head.path ?? "", fields: [.cacheControl: "max-age=60"]) }
        #expect(try await harness.get(first).text == first)
        #expect(try await harness.get(second).text == second)
        #expect(harness.requestCount == 2)
    }

    @Test(arguments: [
        HTTPRequest(method: .get, scheme: nil, authority: "example.com", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
        HTTPRequest(method: .get, scheme: "ftp", authority: "example.com", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "user:password@example.com", path: "/"),
        HTTPRequest(method: .post, scheme: "http", authority: "exa mple.com", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "example.com:99999", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "example.com", path: "a"),
    ])
    func requestWithoutUsableURIIsRefusedAndNotForwarded(request: HTTPRequest) async throws {
        let harness = CacheHarness { _ in .text("hello") }
        let error = try await #require(throws: HTTPCacheError.self) {
            try await harness.cache.respond(to: request, through: harness.transport)
        }
        #expect(error.code == .invalidRequest)
        #expect(error.cacheStatus == "hoard; detail=INVALID-URI")
        #expect(error.transportError == nil)
        #expect(harness.requestCount == 0)
    }

    // MARK: Failure

    @Test func originThatCannotBeReachedIsAnErrorThatSaysWhatTheCacheDid() async throws {
        let harness = CacheHarness(transport: FakeTransport(failingWith: TransportError(.cannotConnect, "Nothing listens at example.com.")))
        let error = try await #require(throws: HTTPCacheError.self) { try await harness.get() }
        #expect(error.code == .forwardFailed)
        #expect(error.transportError?.code == .cannotConnect)
        #expect(error.description == "Nothing listens at example.com.")
        #expect(error.cacheStatus == "hoard; fwd=uri-miss; detail=cannotConnect")
        let posted = try await #require(throws: HTTPCacheError.self) { try await harness.send(.post) }
        #expect(posted.cacheStatus == "hoard; fwd=method; detail=cannotConnect")
        #expect(harness.openFenceCount == 0)
    }

    @Test func freshResponseIsServedWhileTheOriginCannotBeReached() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time, configure: { $0.staleIfUnreachable = .zero }) { _ in
            time.now() == TestTime.start
                ? .text("hello", fields: [.cacheControl: "max-age=60", .eTag: "\"1\""]) : .failure(TransportError(.timedOut, "Too slow."))
        }
        try await harness.get()
        time.advance(seconds: 59)
        #expect(try await harness.get().text == "hello")
        time.advance(seconds: 1)
        let error = try await #require(throws: HTTPCacheError.self) { try await harness.get() }
        #expect(error.cacheStatus == "hoard; fwd=stale; detail=timedOut")
    }

    @Test func nameOfTheCacheIsConfigured() async throws {
        let harness = CacheHarness(configure: { $0.name = "edge 1" }) { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        try await harness.get()
        #expect(try await harness.get().cacheStatus == "\"edge 1\"; hit; ttl=60")
    }

    @Test func staleResponseStandsInForAnOriginThatCannotBeReached() async throws {
        let time = TestTime()
        let harness = CacheHarness(time: time, configure: { $0.staleIfUnreachable = .seconds(100) }) { _ in
            time.now() == TestTime.start ? .text("hello", fields: [.cacheControl: "max-age=60"]) : .failure(TransportError(.cannotConnect, "Gone."))
        }
        try await harness.get()
        time.advance(seconds: 159)
        let response = try await harness.open()
        #expect(response.staleness?.seconds == 99)
        #expect(response.staleness?.isStandIn == true)
        #expect(response.isFromCache)
        time.advance(seconds: 2)
        await #expect(throws: HTTPCacheError.self) { try await harness.get() }
    }
}
