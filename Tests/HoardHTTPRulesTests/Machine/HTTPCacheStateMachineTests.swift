// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// The steps before the origin is asked: start and lookup.
@Suite struct HTTPCacheStateMachineTests {
    // MARK: Start

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get", "X-UNHEARD-OF"])
    func methodThatIsNotCachedIsForwardedUntouchedAndItsResponseNotStored(name: String) throws {
        let sent = request(method: name, "Range: bytes=0-1", "If-None-Match: \"1\"", "Cache-Control: max-age=5", "If-Match: *")
        var machine = HTTPCacheStateMachine(sent)
        let forward = try machine.start().forwarded()
        #expect(forward.request == sent)
        #expect(forward.reason == .method)
        #expect(!forward.isCollapsible)
        let (head, effects) = try machine.received(response(200, "Cache-Control: max-age=60")).delivered()
        #expect(head.cacheStatus == "hoard; fwd=method; fwd-status=200")
        #expect(!effects.removesFound)
    }

    @Test(arguments: ["GET", "HEAD", "QUERY"])
    func getHeadAndQueryAreLookedUp(method: String) {
        var machine = HTTPCacheStateMachine(request(method: method, "Accept-Language: fi"))
        #expect(machine.start() == .lookUp)
        #expect(machine.selectingFields == fields("Accept-Language: fi"))
    }

    static let bypassing: [(lines: [String], mode: RequestCacheMode)] = [
        (["If-Match: \"x\""], .default),
        (["If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT"], .default),
        (["Cache-Control: no-store"], .default),
        (["Cache-Control: max-age=5, No-Store"], .default),
        (["Cache-Control: no-store", "Connection: cache-control"], .default),
        ([], .noStore),
    ]

    @Test(arguments: bypassing, ["GET", "HEAD"])
    func requestThatWantsNothingOfTheCacheBypassesIt(example: (lines: [String], mode: RequestCacheMode), method: String) throws {
        var sent = request(method: method)
        sent.headerFields = fields(example.lines)
        var machine = HTTPCacheStateMachine(sent, mode: example.mode)
        let forward = try machine.start().forwarded()
        #expect(forward.reason == .bypass)
        #expect(!forward.isCollapsible)
        let (head, _) = try machine.received(response(200, "Cache-Control: max-age=60")).delivered()
        #expect(head.cacheStatus == "hoard; fwd=bypass; fwd-status=200")
    }

    @Test(arguments: ["GET", "HEAD"])
    func requestWithContentBypassesTheCache(method: String) throws {
        var machine = HTTPCacheStateMachine(request(method: method), hasContent: true)
        #expect(try machine.start().forwarded().reason == .bypass)
        let (_, effects) = try machine.received(response(200, "Cache-Control: max-age=60")).delivered()
        #expect(effects.reason == .content)
    }

    @Test(arguments: bypassing, ["GET", "HEAD", "POST", "OPTIONS"])
    func requestThatWouldBypassTheCacheIsNotForwardedIfItsClientWantsNone(
        example: (lines: [String], mode: RequestCacheMode),
        method: String
    ) throws {
        var sent = request(method: method, "Cache-Control: only-if-cached")
        for field in fields(example.lines) { sent.headerFields.append(field) }
        var machine = HTTPCacheStateMachine(sent, mode: example.mode)
        let answer = try machine.start().answer()
        // A Connection field that names Cache-Control does not make the cache forget the directives of Cache-Control.
        #expect(answer.head.status.code == 504)
        #expect(answer.head.cacheStatus == "hoard; detail=ONLY-IF-CACHED")
        #expect(answer.stored == nil)
    }

    @Test func fieldsOfTheConnectionAreNeitherForwardedNorSelectAResponse() throws {
        let sent = request(
            "Connection: close, x-hop",
            "TE: trailers",
            "Accept-Language: fi",
            "Proxy-Authorization: Basic eA==",
            "X-Hop: 1",
            "Upgrade: websocket",
            "Keep-Alive: timeout=5"
        )
        var machine = HTTPCacheStateMachine(sent)
        #expect(machine.start() == .lookUp)
        #expect(machine.selectingFields == fields("Accept-Language: fi"))
        let forward = try machine.lookedUp(nil, isVaryMiss: false, now: time(0)).forwarded()
        #expect(forward.request.headerFields == fields("Accept-Language: fi"))
        var post = sent
        post.method = .post
        var other = HTTPCacheStateMachine(post)
        #expect(try other.start().forwarded().request.headerFields == fields("Accept-Language: fi"))
    }

    // MARK: Miss

    @Test(arguments: [(false, "uri-miss"), (true, "vary-miss")])
    func missIsForwardedAsItCame(isVaryMiss: Bool, reason: String) throws {
        let sent = request("If-None-Match: \"mine\"", "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT", "Range: bytes=0-1")
        var (machine, action) = HTTPCacheStateMachine.lookingUp(sent, nil, isVaryMiss: isVaryMiss)
        #expect(try action.forwarded().request == sent)
        let head = try machine.received(response(200, "Cache-Control: max-age=60")).stored().head
        // One second passed between request and response.
        #expect(head.cacheStatus == "hoard; fwd=\(reason); fwd-status=200; ttl=59; stored")
    }

    // MARK: Hit

    @Test(arguments: [(0.0, "0", 60), (0.5, "0", 60), (1.0, "1", 59), (59.0, "59", 1), (59.5, "59", 1)])
    func freshResponseIsTheAnswer(seconds: Double, age: String, timeToLive: Int) throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Type: text/plain")
        let answer = try HTTPCacheStateMachine.answer(request(), stored, at: seconds)
        #expect(answer.summary == "200 whole")
        #expect(answer.stored == stored)
        #expect(answer.staleness == nil)
        #expect(!answer.wasValidated)
        #expect(
            answer.head.headerFields.lines == [
                "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Type: text/plain", "Age: \(age)", "Cache-Status: hoard; hit; ttl=\(timeToLive)",
            ]
        )
    }

    @Test func storedAgeIsReplacedAndTheStatusOfOtherCachesKept() throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", "Age: 10", "Cache-Status: far; hit; ttl=50")
        let answer = try HTTPCacheStateMachine.answer(request(), stored, at: 5)
        #expect(answer.head.headerFields[values: .age] == ["15"])
        #expect(answer.head.headerFields[values: .cacheStatus] == ["far; hit; ttl=50", "hoard; hit; ttl=45"])
    }

    @Test(arguments: [204, 301, 404, 410, 500, 599])
    func everyStoredStatusIsAHit(status: Int) throws {
        let answer = try HTTPCacheStateMachine.answer(request(), .test(status, "Cache-Control: max-age=60"), at: 5)
        #expect(answer.summary == "\(status) whole")
    }

    @Test func headIsAnsweredFromTheResponseToGet() throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", "Content-Length: 10", parts: [0..<3])
        let answer = try HTTPCacheStateMachine.answer(request(method: "HEAD", "Range: bytes=0-1"), stored, at: 5)
        #expect(answer.summary == "200")
        #expect(answer.head.headerFields[.contentLength] == "10")
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=55")
    }

    // MARK: Conditions of the client

    static let lastModified = "Wed, 31 Dec 2025 00:00:00 GMT"

    static let conditions: [(lines: [String], isNotModified: Bool)] = [
        (["If-None-Match: \"1\""], true),
        (["If-None-Match: W/\"1\""], true),
        (["If-None-Match: \"0\", \"1\""], true),
        (["If-None-Match: \"0\"", "If-None-Match: \"1\""], true),
        (["If-None-Match: *"], true),
        (["If-None-Match: \"2\""], false),
        (["If-None-Match: 1"], false),
        (["If-None-Match: "], false),
        (["If-Modified-Since: \(lastModified)"], true),
        (["If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"], true),
        (["If-Modified-Since: Tue, 30 Dec 2025 00:00:00 GMT"], false),
        (["If-Modified-Since: yesterday"], false),
        (["If-None-Match: \"2\"", "If-Modified-Since: \(lastModified)"], false),
        (["If-None-Match: \"1\"", "If-Modified-Since: Tue, 30 Dec 2025 00:00:00 GMT"], true),
        // The machine judges the range only when the conditions are met.
        (["If-None-Match: \"1\"", "Range: bytes=90-"], true),
    ]

    @Test(arguments: conditions, ["GET", "HEAD"])
    func conditionOfTheClientIsAnsweredFromTheStoredResponse(condition: (lines: [String], isNotModified: Bool), method: String) throws {
        let stored = StoredResponse.test(
            200,
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Last-Modified: \(Self.lastModified)",
            "Content-Length: 10",
            "Content-Type: text/plain"
        )
        var sent = request(method: method)
        sent.headerFields = fields(condition.lines)
        let answer = try HTTPCacheStateMachine.answer(sent, stored, at: 5)
        #expect(answer.summary == (condition.isNotModified ? "304" : method == "HEAD" ? "200" : "200 whole"))
        #expect(answer.head.headerFields[.contentType] == (condition.isNotModified ? nil : "text/plain"))
        #expect(answer.head.headerFields[.eTag] == "\"1\"")
        #expect(answer.head.headerFields[.age] == "5")
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=55")
    }

    @Test func conditionIsAnsweredFromAPartToo() throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", parts: [0..<3])
        #expect(try HTTPCacheStateMachine.answer(request("If-None-Match: \"1\""), stored).summary == "304")
    }

    @Test func conditionDoesNotTurnAnErrorIntoNotModified() throws {
        let stored = StoredResponse.test(404, "Cache-Control: max-age=60", "ETag: \"1\"")
        #expect(try HTTPCacheStateMachine.answer(request("If-None-Match: \"1\""), stored, at: 5).summary == "404 whole")
    }

    // MARK: Directives of the client

    @Test(arguments: [
        ("max-age=10", 10.0), ("min-fresh=30", 30), ("max-age=60", 59), ("max-stale=5", 59), ("only-if-cached", 59), ("no-transform", 5),
    ])
    func requestThatIsContentWithTheAgeIsAHit(directives: String, seconds: Double) throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60")
        let answer = try HTTPCacheStateMachine.answer(request("Cache-Control: \(directives)"), stored, at: seconds)
        #expect(answer.summary == "200 whole")
    }

    @Test(arguments: ["GET", "HEAD"])
    func clientThatWantsNoForwardingGetsAGatewayTimeout(method: String) throws {
        let stale = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"")
        for stored in [nil, stale] {
            let answer = try HTTPCacheStateMachine.answer(request(method: method, "Cache-Control: only-if-cached"), stored, at: 60)
            #expect(answer.summary == "504")
            #expect(answer.head.headerFields.lines == ["Cache-Status: hoard; detail=ONLY-IF-CACHED"])
            #expect(answer.stored == nil)
        }
    }

    @Test(
        arguments: [
            ("max-age=60", [], 60.0, "stale"),
            ("max-age=60", [], 61, "stale"),
            ("max-age=60, no-cache", [], 1, "stale"),
            ("max-age=60", ["Cache-Control: no-cache"], 1, "request"),
            ("max-age=60", ["Pragma: no-cache"], 1, "request"),
            ("max-age=60", ["Cache-Control: max-age=0"], 1, "request"),
            ("max-age=60", ["Cache-Control: max-age=10"], 11, "request"),
            ("max-age=60", ["Cache-Control: min-fresh=31"], 30, "request"),
            // A stale response is not the request's fault.
            ("max-age=60", ["Cache-Control: max-age=0"], 61, "stale"),
        ] as [(String, [String], Double, String)]
    )
    func reasonForRevalidationIsNamed(stored: String, lines: [String], seconds: Double, reason: String) throws {
        var sent = request()
        sent.headerFields = fields(lines)
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(sent, .test(200, "Cache-Control: \(stored)", "ETag: \"1\""), at: seconds)
        #expect(forward.request.headerFields[.ifNoneMatch] == "\"1\"")
        let failure = try machine.forwardFailed(.init(detail: "timedOut", isUnreachable: true), now: time(seconds)).failure()
        #expect(failure == "hoard; fwd=\(reason); detail=timedOut")
    }

    // MARK: Stale

    @Test(
        arguments: [
            (["ETag: \"1\""], ["If-None-Match: \"1\""]),
            (["ETag: W/\"1\""], ["If-None-Match: W/\"1\""]),
            (["Last-Modified: \(lastModified)"], ["If-Modified-Since: \(lastModified)"]),
            (["ETag: \"1\"", "Last-Modified: \(lastModified)"], ["If-None-Match: \"1\"", "If-Modified-Since: \(lastModified)"]),
            ([], []),
        ] as [([String], [String])]
    )
    func staleResponseIsRevalidatedWithItsValidators(validators: [String], conditions: [String]) throws {
        let stored = StoredResponse(
            head: response(200, ["Cache-Control: max-age=60"] + validators),
            requestTime: time(0),
            responseTime: time(0),
            rules: .test()
        )
        let (_, forward) = try HTTPCacheStateMachine.forwarding(request("Accept: */*"), stored, at: 60)
        #expect(forward.request.headerFields.lines == ["Accept: */*"] + conditions)
        #expect(forward.isCollapsible)
    }

    @Test func validatorsOfTheCacheReplaceThoseOfTheClient() throws {
        let sent = request("If-None-Match: \"mine\"", "If-Modified-Since: \(Self.lastModified)")
        let (_, forward) = try HTTPCacheStateMachine.forwarding(sent, .test(200, "Cache-Control: max-age=60", "ETag: \"1\""), at: 60)
        #expect(forward.request.headerFields.lines == ["If-None-Match: \"1\""])
    }

    @Test func headIsForwardedWithoutTheValidatorsOfTheCache() throws {
        let sent = request(method: "HEAD", "If-None-Match: \"mine\"")
        let (_, forward) = try HTTPCacheStateMachine.forwarding(sent, .test(200, "Cache-Control: max-age=60", "ETag: \"mine\""), at: 60)
        #expect(forward.request == sent)
        #expect(!forward.isCollapsible)
    }

    @Test func responseThatIsMarkedStaleIsRevalidatedBeforeItsTime() throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60, stale-while-revalidate=30", "ETag: \"1\"").markedStale(
            at: time(5),
            rules: .test()
        )
        #expect(stored.staleSince == time(5))
        #expect(try HTTPCacheStateMachine.answer(request(), stored, at: 4).summary == "200 whole")
        let (answer, forward) = try HTTPCacheStateMachine.lookingUp(request(), stored, at: 15).action.refreshing()
        #expect(answer.staleness?.seconds == 10)
        #expect(forward.request.headerFields[.ifNoneMatch] == "\"1\"")
        #expect(throws: Never.self) { try HTTPCacheStateMachine.forwarding(request(), stored, at: 35) }
    }
}
