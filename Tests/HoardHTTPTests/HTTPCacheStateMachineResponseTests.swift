// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import NIOCore
import Testing

/// What happens when the origin has answered, or has not.
@Suite struct HTTPCacheStateMachineResponseTests {
    // MARK: Storing

    @Test func storableResponseIsDeliveredAndStored() throws {
        let request = HTTPRequest.test(.get, "/a", [.accept: "*/*"])
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request)
        let response = HTTPResponse.test(
            200,
            [.cacheControl: "max-age=60", .eTag: "\"1\"", .connection: "x-hop", .transferEncoding: "chunked", .age: "5"]
        )
        let (head, storing) = try machine.received(response, bodyLength: 10).stored()
        #expect(head.headerFields.contains(.connection) == false)
        #expect(head.headerFields.contains(.transferEncoding) == false)
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=54; stored")
        #expect(
            storing.head.headerFields == [
                .cacheControl: "max-age=60", .eTag: "\"1\"", .age: "5", .date: "Thu, 01 Jan 2026 00:01:41 GMT",
            ]
        )
        #expect(head.headerFields[.date] == "Thu, 01 Jan 2026 00:01:41 GMT", "A response without a date gets that of its arrival.")
        #expect(storing.requestTime == .test(100))
        #expect(storing.responseTime == .test(101))
        #expect(storing.body.readableBytes == 0)
    }

    @Test func fieldsThatOnlyTheFirstClientMayHaveAreDeliveredButNotStored() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        let response = HTTPResponse.test(200, [.cacheControl: "max-age=60, no-cache=\"set-cookie\"", .setCookie: "a=b"])
        let (head, storing) = try machine.received(response).stored()
        #expect(head.headerFields[.setCookie] == "a=b")
        #expect(storing.head.headerFields.contains(.setCookie) == false)
    }

    static let notStorable: [(code: Int, request: HTTPFields, response: HTTPFields, mode: CacheMode, detail: String)] = [
        (200, [:], [.cacheControl: "no-store"], .private, "NO-STORE"),
        (200, [:], [.cacheControl: "max-age=60, no-store"], .private, "NO-STORE"),
        (200, [:], [.cacheControl: "max-age=60, private"], .shared, "PRIVATE"),
        (200, [.authorization: "x"], [.cacheControl: "max-age=60"], .shared, "AUTHORIZATION"),
        (200, [.authorization: "x", .connection: "authorization"], [.cacheControl: "max-age=60"], .shared, "AUTHORIZATION"),
        (200, [:], [.cacheControl: "max-age=60", .vary: "*"], .private, "VARY-STAR"),
        (200, [:], [.cacheControl: "max-age=60", .vary: "accept, *"], .private, "VARY-STAR"),
        (200, [:], [:], .private, "NO-EXPLICIT-FRESHNESS"),
        (206, [:], [.cacheControl: "max-age=60"], .private, "PARTIAL"),
        (304, [:], [.cacheControl: "max-age=60"], .private, "STATUS"),
        (302, [:], [:], .private, "STATUS"),
        (500, [:], [:], .private, "STATUS"),
        (299, [:], [.cacheControl: "max-age=60, must-understand"], .private, "MUST-UNDERSTAND"),
    ]

    @Test(arguments: notStorable)
    func reasonForNotStoringIsNamed(
        example: (code: Int, request: HTTPFields, response: HTTPFields, mode: CacheMode, detail: String)
    ) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(.test(.get, "/a", example.request), mode: example.mode)
        let delivery = try machine.received(.test(example.code, example.response)).delivered()
        #expect(delivery.head.status.code == example.code)
        #expect(delivery.head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=\(example.code); detail=\(example.detail)")
        #expect(delivery.invalidating == [])
        #expect(!delivery.isSuperseding)
    }

    @Test(arguments: ["max-age=60, public", "s-maxage=60", "max-age=60, must-revalidate"])
    func sharedCacheStoresWhatWasAuthorizedIfTheResponseAllowsIt(directives: String) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(.test(.get, "/a", [.authorization: "x"]), mode: .shared)
        let head = try machine.received(.test(200, [.cacheControl: directives])).stored().head
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=59; stored")
    }

    @Test(arguments: [(nil, true), (0, true), (1_000, true), (1_001, false), (Int.max, false)])
    func longestBodyThatIsStoredIsTheLimit(length: Int?, isStored: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(maximumObjectBytes: 1_000)
        let action = machine.received(.test(200, [.cacheControl: "max-age=60"]), bodyLength: length)
        if isStored {
            #expect(try action.stored().head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=59; stored")
        } else {
            #expect(try action.delivered().head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; detail=TOO-LARGE")
        }
    }

    @Test func statusOfOtherCachesStaysInFront() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        let head = try machine.received(.test(200, [.cacheControl: "no-store", .cacheStatus: "far; hit"])).delivered().head
        #expect(head.headerFields[values: .cacheStatus] == ["far; hit", "hoard; fwd=uri-miss; fwd-status=200; detail=NO-STORE"])
    }

    // MARK: Revalidation

    static let stale = StoredResponse.test(200, [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentLength: "6", .server: "one"])

    @Test func notModifiedFreshensTheStoredResponse() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale)
        let notModified = HTTPResponse.test(304, [.eTag: "\"1\"", .cacheControl: "max-age=90", .server: "two", .contentLength: "0"])
        let (answer, storing) = try machine.received(notModified, at: 101).confirmed()
        #expect(answer.text == "stored")
        #expect(answer.head.status.code == 200)
        #expect(answer.head.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=89; stored")
        #expect(answer.head.headerFields[.age] == "1")
        #expect(answer.head.headerFields[.server] == "two")
        #expect(answer.head.headerFields[.contentLength] == "6")
        let freshened = try #require(storing)
        #expect(freshened.requestTime == .test(100))
        #expect(freshened.responseTime == .test(101))
        #expect(freshened.body == Self.stale.body)
        #expect(freshened.head.headerFields[.cacheControl] == "max-age=90")
        #expect(freshened.head.headerFields.contains(.cacheStatus) == false)
        #expect(freshened.head.headerFields.contains(.age) == false)
    }

    @Test(arguments: ["no-store", "max-age=60, private"])
    func notModifiedWithDirectivesThatForbidStoringIsAnsweredAndTheStoredResponseRemoved(directives: String) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale, mode: .shared)
        let (answer, storing) = try machine.received(.test(304, [.cacheControl: directives])).confirmed()
        #expect(answer.text == "stored")
        #expect(storing == nil)
        #expect(answer.head.cacheStatus?.contains("stored") == false)
        #expect(answer.head.cacheStatus?.hasPrefix("hoard; fwd=stale; fwd-status=304") == true)
    }

    @Test func clientThatHasTheContentGetsNotModifiedWhenTheOriginHasConfirmedIt() throws {
        let request = HTTPRequest.test(.get, "/a", [.ifNoneMatch: "\"1\""])
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request, stored: Self.stale)
        let (answer, storing) = try machine.received(.test(304)).confirmed()
        #expect(answer.head.status.code == 304)
        #expect(answer.body.readableBytes == 0)
        #expect(storing?.head.status.code == 200)
    }

    @Test(
        arguments: [
            [.eTag: "\"2\""], [.eTag: "1"], [.eTag: "W/\"2\""],
        ] as [HTTPFields]
    )
    func notModifiedAboutAnotherResponseMakesTheCacheAskAgainOnce(fields: HTTPFields) throws {
        let request = HTTPRequest.test(.get, "/a", [.ifNoneMatch: "\"mine\"", .ifModifiedSince: "Thu, 01 Jan 2026 00:00:00 GMT", .accept: "*/*"])
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request, stored: Self.stale)
        let again = try machine.received(.test(304, fields)).forwardedAgain()
        #expect(again.headerFields == [.accept: "*/*"])
        let head = try machine.received(.test(200, [.cacheControl: "max-age=60"])).stored().head
        #expect(head.cacheStatus == "hoard; fwd=stale; fwd-status=200; ttl=59; stored")
    }

    @Test func secondNotModifiedIsDeliveredInsteadOfAskingForEver() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale)
        _ = try machine.received(.test(304, [.eTag: "\"2\""])).forwardedAgain()
        let delivery = try machine.received(.test(304, [.eTag: "\"1\""])).delivered()
        #expect(delivery.head.status.code == 304)
        #expect(!delivery.isSuperseding)
    }

    @Test func responseToTheSecondRequestSupersedesLikeOneToTheFirst() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale)
        _ = try machine.received(.test(304, [.eTag: "\"2\""])).forwardedAgain()
        #expect(try machine.received(.test(200, [.cacheControl: "no-store"])).delivered().isSuperseding)
    }

    @Test func failureOfTheSecondRequestIsReported() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale)
        _ = try machine.received(.test(304, [.eTag: "\"2\""])).forwardedAgain()
        #expect(machine.forwardFailed(detail: "timedOut").fieldValue == "hoard; fwd=stale; detail=timedOut")
    }

    @Test(arguments: [nil, StoredResponse.test(200, [.cacheControl: "max-age=60"])])
    func notModifiedThatTheClientHasAskedForGoesToTheClient(stored: StoredResponse?) throws {
        let request = HTTPRequest.test(.get, "/a", [.ifNoneMatch: "\"mine\""])
        var (machine, forwarded) = try HTTPCacheStateMachine.forwarding(request, stored: stored)
        #expect(forwarded == request)
        let delivery = try machine.received(.test(304, [.eTag: "\"mine\""])).delivered()
        #expect(delivery.head.status.code == 304)
        #expect(!delivery.isSuperseding)
    }

    @Test func newResponseReplacesTheStaleOne() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale)
        let fields: HTTPFields = [.cacheControl: "max-age=30", .eTag: "\"2\"", .date: "Thu, 01 Jan 2026 00:01:40 GMT"]
        let (head, storing) = try machine.received(.test(200, fields)).stored()
        #expect(head.cacheStatus == "hoard; fwd=stale; fwd-status=200; ttl=29; stored")
        #expect(storing.head.headerFields == fields)
    }

    @Test(arguments: [
        (200, true), (203, true), (206, true), (302, true), (403, true), (404, true), (429, true),
        (500, false), (502, false), (503, false), (504, false), (599, false),
    ])
    func responseThatIsNotStoredSupersedesTheStoredOneUnlessTheOriginFails(code: Int, isSuperseding: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale)
        let delivery = try machine.received(.test(code, [.cacheControl: "no-store"])).delivered()
        #expect(delivery.head.status.code == code)
        #expect(delivery.isSuperseding == isSuperseding)
        #expect(delivery.head.cacheStatus?.hasPrefix("hoard; fwd=stale; fwd-status=\(code); detail=") == true)
    }

    @Test func responseThatIsTooLargeSupersedesTheStoredOne() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(stored: Self.stale, maximumObjectBytes: 10)
        let delivery = try machine.received(.test(200, [.cacheControl: "max-age=60"]), bodyLength: 11).delivered()
        #expect(delivery.isSuperseding)
        #expect(delivery.head.cacheStatus == "hoard; fwd=stale; fwd-status=200; detail=TOO-LARGE")
    }

    // MARK: Invalidation

    static let invalidations: [(method: String, code: Int, fields: HTTPFields, uris: [String])] = [
        ("POST", 200, [:], ["http://example.com/a"]),
        ("POST", 201, [.location: "/new"], ["http://example.com/a", "http://example.com/new"]),
        ("PUT", 204, [.contentLocation: "b"], ["http://example.com/a", "http://example.com/b"]),
        ("DELETE", 302, [.location: "http://EXAMPLE.com:80/c"], ["http://example.com/a", "http://example.com/c"]),
        ("PATCH", 200, [.location: "http://other.com/c"], ["http://example.com/a"]),
        ("PATCH", 200, [.location: "https://example.com/c"], ["http://example.com/a"]),
        ("FROB", 200, [:], ["http://example.com/a"]),
        ("POST", 400, [.location: "/new"], []),
        ("POST", 500, [:], []),
        ("OPTIONS", 200, [.location: "/new"], []),
        ("TRACE", 200, [:], []),
    ]

    @Test(arguments: invalidations)
    func changeInvalidatesItsTargetAndWhatItNamesOfTheSameOrigin(
        example: (method: String, code: Int, fields: HTTPFields, uris: [String])
    ) throws {
        var machine = HTTPCacheStateMachine(.test(try #require(HTTPRequest.Method(example.method))))
        _ = try machine.start().forwarded()
        let delivery = try machine.received(.test(example.code, example.fields)).delivered()
        #expect(delivery.invalidating == example.uris)
        #expect(delivery.head.cacheStatus == "hoard; fwd=method; fwd-status=\(example.code)")
    }

    // MARK: Failure

    @Test func failureSaysWhyTheRequestWasForwarded() throws {
        var (missed, _) = try HTTPCacheStateMachine.forwarding()
        #expect(missed.forwardFailed(detail: "cannotConnect").fieldValue == "hoard; fwd=uri-miss; detail=cannotConnect")
        var post = HTTPCacheStateMachine(.test(.post))
        _ = post.start()
        #expect(post.forwardFailed(detail: "timedOut").fieldValue == "hoard; fwd=method; detail=timedOut")
        var bypassing = HTTPCacheStateMachine(.test(.get, "/a", [.range: "bytes=0-1"]))
        _ = bypassing.start()
        #expect(bypassing.forwardFailed(detail: "timedOut").fieldValue == "hoard; fwd=bypass; detail=timedOut")
    }
}
