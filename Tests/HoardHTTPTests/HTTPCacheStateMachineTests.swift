// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import NIOCore
import Testing

/// What happens before the origin is asked: start and lookup.
@Suite struct HTTPCacheStateMachineTests {
    // MARK: Start

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "get", "X-UNHEARD-OF"])
    func methodThatIsNotUnderstoodIsForwardedAndItsResponseNotStored(name: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        var machine = HTTPCacheStateMachine(.test(method))
        #expect(try machine.start().forwarded() == .test(method))
        let delivery = try machine.received(.test(200, [.cacheControl: "max-age=60"])).delivered()
        #expect(delivery.head.cacheStatus == "hoard; fwd=method; fwd-status=200")
        #expect(!delivery.isSuperseding)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func getAndHeadAreLookedUp(method: HTTPRequest.Method) throws {
        var machine = HTTPCacheStateMachine(.test(method, "/a", [.acceptLanguage: "fi"]))
        #expect(try machine.start().lookedUpFields() == [.acceptLanguage: "fi"])
    }

    static let bypassing: [HTTPFields] = [
        [.range: "bytes=0-1"],
        [.ifRange: "\"x\""],
        [.ifMatch: "\"x\""],
        [.ifUnmodifiedSince: "Thu, 01 Jan 2026 00:00:00 GMT"],
        [.upgrade: "websocket"],
        [.cacheControl: "no-store"],
        [.cacheControl: "max-age=5, No-Store"],
        [.range: "bytes=0-1", .connection: "range"],
        [.cacheControl: "no-store", .connection: "cache-control"],
    ]

    @Test(arguments: bypassing, [HTTPRequest.Method.get, .head])
    func requestThatOnlyTheOriginCanJudgeBypassesTheCache(fields: HTTPFields, method: HTTPRequest.Method) throws {
        var machine = HTTPCacheStateMachine(.test(method, "/a", fields))
        _ = try machine.start().forwarded()
        let delivery = try machine.received(.test(200, [.cacheControl: "max-age=60"])).delivered()
        #expect(delivery.head.cacheStatus == "hoard; fwd=bypass; fwd-status=200")
    }

    @Test func requestWithContentBypassesTheCache() throws {
        var machine = HTTPCacheStateMachine(.test(), hasContent: true)
        #expect(try machine.start().forwarded() == .test())
        let delivery = try machine.received(.test(200, [.cacheControl: "max-age=60"])).delivered()
        #expect(delivery.head.cacheStatus == "hoard; fwd=bypass; fwd-status=200")
    }

    @Test(arguments: bypassing)
    func requestThatWouldBypassTheCacheIsNotForwardedIfItsClientWantsNone(fields: HTTPFields) throws {
        var fields = fields
        fields.append(HTTPField(name: .cacheControl, value: "only-if-cached"))
        var machine = HTTPCacheStateMachine(.test(.get, "/a", fields))
        // A Connection field that names Cache-Control does not make the cache forget what it says.
        let answer = try machine.start().answer()
        #expect(answer.head.status == .gatewayTimeout)
        #expect(answer.head.cacheStatus == "hoard; detail=ONLY-IF-CACHED")
    }

    @Test func unsafeRequestIsForwardedWhateverItsDirectives() throws {
        var machine = HTTPCacheStateMachine(.test(.post, "/a", [.cacheControl: "only-if-cached, max-age=100"]))
        #expect(try machine.start().forwarded().method == .post)
    }

    @Test func fieldsOfTheConnectionAreNeitherForwardedNorSelectAResponse() throws {
        let fields: HTTPFields = [
            .connection: "close, x-hop", .te: "trailers", .acceptLanguage: "fi", .proxyAuthorization: "Basic eA==",
            try #require(HTTPField.Name("X-Hop")): "1",
        ]
        var machine = HTTPCacheStateMachine(.test(.get, "/a", fields))
        #expect(try machine.start().lookedUpFields() == [.acceptLanguage: "fi"])
        #expect(try machine.lookedUp(nil, isVaryMiss: false, now: .test(0)).forwarded().headerFields == [.acceptLanguage: "fi"])
        var other = HTTPCacheStateMachine(.test(.post, "/a", fields))
        #expect(try other.start().forwarded().headerFields == [.acceptLanguage: "fi"])
    }

    // MARK: Miss

    @Test(arguments: [(false, "uri-miss"), (true, "vary-miss")])
    func missIsForwardedAsItCame(isVaryMiss: Bool, reason: String) throws {
        let request = HTTPRequest.test(.get, "/a", [.ifNoneMatch: "\"mine\"", .ifModifiedSince: "Thu, 01 Jan 2026 00:00:00 GMT"])
        var (machine, forwarded) = try HTTPCacheStateMachine.forwarding(request, isVaryMiss: isVaryMiss)
        #expect(forwarded == request)
        let head = try machine.received(.test(200, [.cacheControl: "max-age=60"])).stored().head
        // One second passed between request and response.
        #expect(head.cacheStatus == "hoard; fwd=\(reason); fwd-status=200; ttl=59; stored")
    }

    // MARK: Hit

    @Test(arguments: [(0.0, "0", 60), (0.5, "0", 60), (1.0, "1", 59), (59.0, "59", 1), (59.5, "59", 1)])
    func freshResponseIsTheAnswer(seconds: Double, age: String, timeToLive: Int) throws {
        let stored = StoredResponse.test(200, [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentType: "text/plain"])
        let answer = try HTTPCacheStateMachine.answer(.test(), from: stored, now: .test(seconds))
        #expect(answer.text == "stored")
        #expect(answer.head.status.code == 200)
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=\(timeToLive)")
        var expected = stored.head.headerFields
        expected[.age] = age
        expected[.cacheStatus] = "hoard; hit; ttl=\(timeToLive)"
        #expect(answer.head.headerFields == expected)
    }

    @Test func storedAgeIsReplacedAndTheStatusOfOtherCachesKept() throws {
        let stored = StoredResponse.test(200, [.cacheControl: "max-age=60", .age: "10", .cacheStatus: "far; hit; ttl=50"])
        let answer = try HTTPCacheStateMachine.answer(.test(), from: stored, now: .test(5))
        #expect(answer.head.headerFields[values: .age] == ["15"])
        #expect(answer.head.headerFields[values: .cacheStatus] == ["far; hit; ttl=50", "hoard; hit; ttl=45"])
    }

    @Test func negativeAnswersAreHitsToo() throws {
        let stored = StoredResponse.test(404, [.cacheControl: "max-age=60"], body: "no")
        let answer = try HTTPCacheStateMachine.answer(.test(), from: stored, now: .test(5))
        #expect(answer.head.status.code == 404)
        #expect(answer.text == "no")
    }

    @Test func headIsAnsweredFromTheResponseToGet() throws {
        let stored = StoredResponse.test(200, [.cacheControl: "max-age=60", .contentLength: "6"])
        let answer = try HTTPCacheStateMachine.answer(.test(.head), from: stored, now: .test(5))
        #expect(answer.head.headerFields[.contentLength] == "6")
        #expect(answer.body.readableBytes == 0)
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=55")
    }

    // MARK: Conditions of the client

    static let lastModified = "Wed, 31 Dec 2025 00:00:00 GMT"

    static let conditions: [(fields: HTTPFields, isNotModified: Bool)] = [
        ([.ifNoneMatch: "\"1\""], true),
        ([.ifNoneMatch: "W/\"1\""], true),
        ([.ifNoneMatch: "\"0\", \"1\""], true),
        ([.ifNoneMatch: "*"], true),
        ([.ifNoneMatch: "\"2\""], false),
        ([.ifNoneMatch: "1"], false),
        ([.ifNoneMatch: ""], false),
        ([.ifModifiedSince: lastModified], true),
        ([.ifModifiedSince: "Thu, 01 Jan 2026 00:00:00 GMT"], true),
        ([.ifModifiedSince: "Tue, 30 Dec 2025 00:00:00 GMT"], false),
        ([.ifModifiedSince: "yesterday"], false),
        ([.ifNoneMatch: "\"2\"", .ifModifiedSince: lastModified], false),
        ([.ifNoneMatch: "\"1\"", .ifModifiedSince: "Tue, 30 Dec 2025 00:00:00 GMT"], true),
    ]

    @Test(arguments: conditions, [HTTPRequest.Method.get, .head])
    func conditionOfTheClientIsAnsweredFromTheStoredResponse(
        condition: (fields: HTTPFields, isNotModified: Bool),
        method: HTTPRequest.Method
    ) throws {
        let stored = StoredResponse.test(
            200,
            [.cacheControl: "max-age=60", .eTag: "\"1\"", .lastModified: Self.lastModified, .contentLength: "6", .contentType: "text/plain"]
        )
        let answer = try HTTPCacheStateMachine.answer(.test(method, "/a", condition.fields), from: stored, now: .test(5))
        #expect(answer.head.status.code == (condition.isNotModified ? 304 : 200))
        #expect(answer.text == (condition.isNotModified || method == .head ? "" : "stored"))
        #expect(answer.head.headerFields[.contentType] == (condition.isNotModified ? nil : "text/plain"))
        #expect(answer.head.headerFields[.eTag] == "\"1\"")
        #expect(answer.head.headerFields[.age] == "5")
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=55")
    }

    @Test func conditionDoesNotTurnAnErrorIntoNotModified() throws {
        let stored = StoredResponse.test(404, [.cacheControl: "max-age=60", .eTag: "\"1\""])
        let answer = try HTTPCacheStateMachine.answer(.test(.get, "/a", [.ifNoneMatch: "\"1\""]), from: stored, now: .test(5))
        #expect(answer.head.status.code == 404)
    }

    // MARK: Stale

    @Test(
        arguments: [
            ([.eTag: "\"1\""], [.ifNoneMatch: "\"1\""]),
            ([.eTag: "W/\"1\""], [.ifNoneMatch: "W/\"1\""]),
            ([.lastModified: lastModified], [.ifModifiedSince: lastModified]),
            ([.eTag: "\"1\"", .lastModified: lastModified], [.ifNoneMatch: "\"1\"", .ifModifiedSince: lastModified]),
            ([:], [:]),
        ] as [(HTTPFields, HTTPFields)]
    )
    func staleResponseIsRevalidatedWithItsValidators(validators: HTTPFields, conditions: HTTPFields) throws {
        var stored = StoredResponse.test(200, [.cacheControl: "max-age=60"])
        for field in validators { stored.head.headerFields.append(field) }
        let (_, forwarded) = try HTTPCacheStateMachine.forwarding(.test(.get, "/a", [.accept: "*/*"]), stored: stored, now: .test(60))
        #expect(forwarded.headerFields[.accept] == "*/*")
        #expect(forwarded.headerFields[.ifNoneMatch] == conditions[.ifNoneMatch])
        #expect(forwarded.headerFields[.ifModifiedSince] == conditions[.ifModifiedSince])
        #expect(forwarded.headerFields.count == 1 + conditions.count)
    }

    @Test func validatorsOfTheCacheReplaceThoseOfTheClient() throws {
        let stored = StoredResponse.test(200, [.cacheControl: "max-age=60", .eTag: "\"1\""])
        let request = HTTPRequest.test(.get, "/a", [.ifNoneMatch: "\"mine\"", .ifModifiedSince: Self.lastModified])
        let (_, forwarded) = try HTTPCacheStateMachine.forwarding(request, stored: stored, now: .test(60))
        #expect(forwarded.headerFields == [.ifNoneMatch: "\"1\""])
    }

    @Test(
        arguments: [
            ("max-age=60", [:], 60.0, "stale"),
            ("max-age=60", [:], 61, "stale"),
            ("max-age=60, no-cache", [:], 1, "stale"),
            ("max-age=60", [.cacheControl: "no-cache"], 1, "request"),
            ("max-age=60", [.pragma: "no-cache"], 1, "request"),
            ("max-age=60", [.cacheControl: "max-age=0"], 1, "request"),
            ("max-age=60", [.cacheControl: "max-age=10"], 11, "request"),
            ("max-age=60", [.cacheControl: "min-fresh=31"], 30, "request"),
            // What is stale anyway is not the request's fault.
            ("max-age=60", [.cacheControl: "max-age=0"], 61, "stale"),
        ] as [(String, HTTPFields, Double, String)]
    )
    func reasonForRevalidationIsNamed(stored: String, request: HTTPFields, seconds: Double, reason: String) throws {
        var (machine, forwarded) = try HTTPCacheStateMachine.forwarding(
            .test(.get, "/a", request),
            stored: .test(200, [.cacheControl: stored, .eTag: "\"1\""]),
            now: .test(seconds)
        )
        #expect(forwarded.headerFields[.ifNoneMatch] == "\"1\"")
        #expect(machine.forwardFailed(detail: "timedOut").fieldValue == "hoard; fwd=\(reason); detail=timedOut")
    }

    @Test(arguments: [
        ("max-age=10", 10.0), ("min-fresh=30", 30), ("max-age=60", 59), ("max-stale=5", 59), ("only-if-cached", 59),
    ])
    func requestThatIsContentWithTheAgeIsAHit(directives: String, seconds: Double) throws {
        let stored = StoredResponse.test(200, [.cacheControl: "max-age=60"])
        let answer = try HTTPCacheStateMachine.answer(.test(.get, "/a", [.cacheControl: directives]), from: stored, now: .test(seconds))
        #expect(answer.text == "stored")
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func clientThatWantsNoForwardingGetsAGatewayTimeout(method: HTTPRequest.Method) throws {
        let stale = StoredResponse.test(200, [.cacheControl: "max-age=60", .eTag: "\"1\""])
        for (stored, isVaryMiss) in [(nil, false), (nil, true), (stale, false)] as [(StoredResponse?, Bool)] {
            var machine = HTTPCacheStateMachine(.test(method, "/a", [.cacheControl: "only-if-cached"]))
            _ = machine.start()
            let answer = try machine.lookedUp(stored, isVaryMiss: isVaryMiss, now: .test(60)).answer()
            #expect(answer.head.status.code == 504)
            #expect(answer.head.headerFields == [.cacheStatus: "hoard; detail=ONLY-IF-CACHED"])
            #expect(answer.body.readableBytes == 0)
        }
    }

    @Test func headIsForwardedWithoutTheValidatorsOfTheCacheAndItsResponseNotStored() throws {
        let stored = StoredResponse.test(200, [.cacheControl: "max-age=60", .eTag: "\"1\""])
        let request = HTTPRequest.test(.head, "/a", [.ifNoneMatch: "\"mine\""])
        var (machine, forwarded) = try HTTPCacheStateMachine.forwarding(request, stored: stored, now: .test(60))
        #expect(forwarded == request)
        let delivery = try machine.received(.test(200, [.cacheControl: "max-age=60"])).delivered()
        #expect(delivery.head.cacheStatus == "hoard; fwd=stale; fwd-status=200")
        #expect(!delivery.isSuperseding)
    }
}
