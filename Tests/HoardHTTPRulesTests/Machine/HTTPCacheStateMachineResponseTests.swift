// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// The steps after the origin has answered: storing, removing, invalidating.
@Suite struct HTTPCacheStateMachineResponseTests {
    // MARK: Storing

    @Test func storableResponseIsDeliveredAndStored() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Accept: */*"))
        let origin = response(
            200,
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Connection: x-hop",
            "X-Hop: 1",
            "Transfer-Encoding: chunked",
            "Age: 5"
        )
        let (head, storing, effects) = try machine.received(origin, bodyLength: 10).stored()
        #expect(
            head.headerFields.lines == [
                "Cache-Control: max-age=60", "ETag: \"1\"", "Age: 5", "Date: Thu, 01 Jan 2026 00:01:41 GMT",
                "Cache-Status: hoard; fwd=uri-miss; fwd-status=200; ttl=54; stored",
            ],
            "A response without a date gets that of its arrival."
        )
        let stored = storing.response
        #expect(
            stored.head.headerFields.lines == [
                "Cache-Control: max-age=60", "ETag: \"1\"", "Age: 5", "Date: Thu, 01 Jan 2026 00:01:41 GMT",
            ]
        )
        #expect(stored.requestTime == time(100))
        #expect(stored.responseTime == time(101))
        #expect(storing.placement == nil)
        #expect(effects == .init(reason: .stored))
    }

    @Test(arguments: [("ETag: \"1\"", 200, true), ("ETag: W/\"1\"", 200, false), ("X: y", 200, false), ("ETag: \"1\"", 404, false)])
    func transferThatBreaksOffIsKeptOnlyIfItCanBeCompleted(line: String, status: Int, mayBeKept: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        #expect(try machine.received(response(status, "Cache-Control: max-age=60", line)).stored().storing.mayKeepIncomplete == mayBeKept)
    }

    @Test func fieldsThatOnlyTheFirstClientMayHaveAreDeliveredButNotStored() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        let origin = response(200, "Cache-Control: max-age=60, no-cache=\"set-cookie\"", "Set-Cookie: a=b")
        let (head, storing, _) = try machine.received(origin).stored()
        #expect(head.headerFields[.setCookie] == "a=b")
        #expect(storing.response.head.headerFields.contains(.setCookie) == false)
    }

    static let notStorable: [(status: Int, request: [String], response: [String], mode: CacheMode, detail: String)] = [
        (200, [], ["Cache-Control: no-store"], .private, "NO-STORE"),
        (200, [], ["Cache-Control: max-age=60, no-store"], .private, "NO-STORE"),
        (200, [], ["Cache-Control: max-age=60, private"], .shared, "PRIVATE"),
        (200, ["Authorization: x"], ["Cache-Control: max-age=60"], .shared, "AUTHORIZATION"),
        (200, ["Authorization: x", "Connection: authorization"], ["Cache-Control: max-age=60"], .shared, "AUTHORIZATION"),
        (200, [], ["Cache-Control: max-age=60", "Vary: *"], .private, "VARY-STAR"),
        (200, [], ["Cache-Control: max-age=60", "Vary: accept, *"], .private, "VARY-STAR"),
        (200, [], [], .private, "NO-EXPLICIT-FRESHNESS"),
        (304, [], ["Cache-Control: max-age=60"], .private, "STATUS"),
        (302, [], [], .private, "STATUS"),
        (500, [], [], .private, "STATUS"),
        (299, [], ["Cache-Control: max-age=60, must-understand"], .private, "MUST-UNDERSTAND"),
        (200, [], ["Cache-Control: max-age=60", "Content-Length: 1001"], .private, "TOO-LARGE"),
        (200, [], ["Cache-Control: max-age=60", "Content-Length: -1"], .private, "CONTENT-LENGTH"),
        (200, [], ["Cache-Control: max-age=60", "Content-Length: 3", "Content-Length: 5"], .private, "CONTENT-LENGTH"),
        (200, [], ["Cache-Control: max-age=60", "Content-Length: 3, 5"], .private, "CONTENT-LENGTH"),
        (200, [], ["Cache-Control: max-age=60", "Content-Length: 0x3"], .private, "CONTENT-LENGTH"),
        (200, [], ["Cache-Control: max-age=60", "Content-Length: "], .private, "CONTENT-LENGTH"),
        (304, ["If-None-Match: \"1\""], ["Cache-Control: max-age=60"], .private, "CLIENT-NOT-MODIFIED"),
        (404, ["If-None-Match: \"1\""], ["Cache-Control: max-age=60"], .private, "CLIENT-CONDITION"),
        (203, ["If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT"], ["Cache-Control: max-age=60"], .private, "CLIENT-CONDITION"),
    ]

    @Test(arguments: notStorable)
    func reasonForNotStoringIsNamed(
        example: (status: Int, request: [String], response: [String], mode: CacheMode, detail: String)
    ) throws {
        var sent = request()
        sent.headerFields = fields(example.request)
        var (machine, _) = try HTTPCacheStateMachine.forwarding(sent, rules: .test(example.mode))
        let (head, effects) = try machine.received(response(example.status, example.response)).delivered()
        #expect(head.status.code == example.status)
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=\(example.status); detail=\(example.detail)")
        #expect(effects.reason.token == example.detail)
        #expect(effects.invalidatedURIs == [])
        #expect(!effects.removesFound)
    }

    @Test(arguments: ["max-age=60, public", "s-maxage=60", "max-age=60, must-revalidate"])
    func sharedCacheStoresWhatWasAuthorizedIfTheResponseAllowsIt(directives: String) throws {
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(request("Authorization: x"), rules: .test(.shared))
        #expect(!forward.isCollapsible)
        let head = try machine.received(response(200, "Cache-Control: \(directives)")).stored().head
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=59; stored")
    }

    @Test(arguments: [(nil, true), (0, true), (1_000, true), (1_001, false), (Int.max, false)])
    func longestBodyThatIsStoredIsTheLimit(length: Int?, isStored: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        let action = machine.received(response(200, "Cache-Control: max-age=60"), bodyLength: length)
        if isStored {
            #expect(try action.stored().head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=59; stored")
        } else {
            #expect(try action.delivered().head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; detail=TOO-LARGE")
        }
    }

    @Test func statusOfOtherCachesStaysInFront() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        let head = try machine.received(response(200, "Cache-Control: no-store", "Cache-Status: far; hit")).delivered().head
        #expect(head.headerFields[values: .cacheStatus] == ["far; hit", "hoard; fwd=uri-miss; fwd-status=200; detail=NO-STORE"])
    }

    @Test func fullResponseToTheClientsConditionIsStored() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("If-None-Match: \"9\"", "If-Range: \"9\""))
        _ = try machine.received(response(200, "Cache-Control: max-age=60")).stored()
    }

    // MARK: POST

    @Test(
        arguments: [
            (["Cache-Control: max-age=60", "Content-Location: /a"], [], true),
            (["Cache-Control: max-age=60", "Content-Location: http://example.com/a"], [], true),
            (["Cache-Control: max-age=60", "Content-Location: /b"], [], false),
            (["Cache-Control: max-age=60"], [], false),
            (["Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT", "Content-Location: /a"], [], false),
            (["Cache-Control: max-age=60", "Content-Location: /a"], ["If-Match: *"], false),
            (["Cache-Control: max-age=60", "Content-Location: /a"], ["Cache-Control: no-store"], false),
            (["Cache-Control: max-age=60", "Content-Location: /a"], ["Range: bytes=0-1"], false),
        ] as [([String], [String], Bool)]
    )
    func responseToPostMayAnswerLaterGets(lines: [String], sent: [String], isStored: Bool) throws {
        var post = request(method: "POST")
        post.headerFields = fields(sent)
        var machine = HTTPCacheStateMachine(post, hasContent: true)
        _ = machine.start()
        let action = machine.received(response(200, lines))
        if isStored {
            let (head, storing, effects) = try action.stored()
            #expect(head.cacheStatus == "hoard; fwd=method; fwd-status=200; ttl=59; stored")
            #expect(effects.reason == .storedForGet)
            #expect(effects.invalidatedURIs == ["http://example.com/a"])
            #expect(!storing.mayKeepIncomplete)
        } else {
            #expect(try action.delivered().head.cacheStatus == "hoard; fwd=method; fwd-status=200")
        }
    }

    // MARK: Superseding

    static let stale = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"")

    @Test(arguments: [
        (200, true), (203, true), (206, true), (302, true), (403, true), (404, true), (410, true),
        (401, false), (407, false), (408, false), (412, false), (416, false), (428, false), (429, false), (431, false),
        (500, false), (502, false), (503, false), (504, false), (511, false), (599, false),
    ])
    func responseThatIsNotStoredRemovesTheStoredOneIfItContradictsThat(status: Int, removes: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        let (head, effects) = try machine.received(response(status, "Cache-Control: no-store")).delivered()
        #expect(head.status.code == status)
        #expect(effects.removesFound == removes)
        #expect(head.cacheStatus?.hasPrefix("hoard; fwd=stale; fwd-status=\(status); detail=") == true)
    }

    @Test func responseThatIsTooLargeRemovesTheStoredOne() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        let (head, effects) = try machine.received(response(200, "Cache-Control: max-age=60"), bodyLength: 1_001).delivered()
        #expect(effects.removesFound)
        #expect(head.cacheStatus == "hoard; fwd=stale; fwd-status=200; detail=TOO-LARGE")
    }

    @Test func newResponseReplacesTheStaleOne() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        let lines = ["Cache-Control: max-age=30", "ETag: \"2\"", "Date: Thu, 01 Jan 2026 00:01:40 GMT"]
        let (head, storing, _) = try machine.received(response(200, lines)).stored()
        #expect(head.cacheStatus == "hoard; fwd=stale; fwd-status=200; ttl=29; stored")
        #expect(storing.response.head.headerFields.lines == lines)
    }

    // MARK: Invalidation

    static let invalidations: [(method: String, status: Int, lines: [String], uris: [String])] = [
        ("POST", 200, [], ["http://example.com/a"]),
        ("POST", 201, ["Location: /new"], ["http://example.com/a", "http://example.com/new"]),
        ("PUT", 204, ["Content-Location: b"], ["http://example.com/a", "http://example.com/b"]),
        ("DELETE", 302, ["Location: http://EXAMPLE.com:80/c"], ["http://example.com/a", "http://example.com/c"]),
        ("PATCH", 200, ["Location: http://other.com/c"], ["http://example.com/a"]),
        ("PATCH", 200, ["Location: https://example.com/c"], ["http://example.com/a"]),
        ("FROB", 200, [], ["http://example.com/a"]),
        ("POST", 400, ["Location: /new"], []),
        ("POST", 500, [], []),
        ("FROB", 404, [], []),
        ("OPTIONS", 200, ["Location: /new"], []),
        ("TRACE", 200, [], []),
    ]

    @Test(arguments: invalidations)
    func changeInvalidatesItsTargetAndWhatItNamesOfTheSameOrigin(
        example: (method: String, status: Int, lines: [String], uris: [String])
    ) throws {
        var machine = HTTPCacheStateMachine(request(method: example.method))
        _ = try machine.start().forwarded()
        let (head, effects) = try machine.received(response(example.status, example.lines)).delivered()
        #expect(effects.invalidatedURIs == example.uris)
        #expect(head.cacheStatus == "hoard; fwd=method; fwd-status=\(example.status)")
    }

    @Test func getInvalidatesNothing() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding()
        #expect(try machine.received(response(200, "Cache-Control: no-store", "Location: /b")).delivered().effects.invalidatedURIs == [])
    }
}
