// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

/// Ranges of stored responses, and parts that are put together.
@Suite struct HTTPCacheStateMachineRangeTests {
    static let whole = StoredResponse.test(
        200,
        "Cache-Control: max-age=60",
        "ETag: \"1\"",
        "Content-Type: text/plain",
        "Content-Length: 10",
        "Content-MD5: x",
        "Repr-Digest: y"
    )
    static let first = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10", parts: [0..<4])
    static let outer = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10", parts: [0..<4, 6..<10])
    static let gaps = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10", parts: [2..<4, 6..<8])
    static let weak = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: W/\"1\"", "Content-Length: 10", parts: [0..<4])
    static let open = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", parts: [0..<4], length: nil)

    // MARK: From the cache

    static let ranges: [(range: String, from: StoredResponse, expected: String)] = [
        ("bytes=0-1", whole, "206 0..<2"),
        ("bytes=2-", whole, "206 2..<10"),
        ("bytes=-3", whole, "206 7..<10"),
        ("bytes=0-100", whole, "206 0..<10"),
        ("bytes=9-9", whole, "206 9..<10"),
        ("bytes=10-", whole, "416"),
        ("bytes=50-60", whole, "416"),
        ("bytes=-0", whole, "416"),
        ("bytes=x", whole, "200 whole"),
        ("lines=0-1", whole, "200 whole"),
        ("bytes=3-1", whole, "200 whole"),
        ("bytes=0-3", first, "206 0..<4"),
        ("bytes=1-2", first, "206 1..<3"),
        ("bytes=0-4", first, "fwd partial"),
        ("bytes=4-", first, "fwd partial"),
        ("bytes=-1", first, "fwd partial"),
        ("bytes=10-", first, "416"),
        ("bytes=x", first, "fwd partial"),
        ("bytes=6-", outer, "206 6..<10"),
        ("bytes=-4", outer, "206 6..<10"),
        ("bytes=3-6", outer, "fwd partial"),
        ("bytes=0-3", open, "206 0..<4"),
        ("bytes=0-", open, "fwd partial"),
        ("bytes=-1", open, "fwd partial"),
        ("bytes=90-91", open, "fwd partial"),
    ]

    @Test(arguments: ranges)
    func rangeIsAnsweredFromWhatIsStored(example: (range: String, from: StoredResponse, expected: String)) {
        let (_, action) = HTTPCacheStateMachine.lookingUp(request("Range: \(example.range)"), example.from, at: 5)
        #expect(action.summary == example.expected)
    }

    @Test func partHasTheFieldsOfTheWholeAndItsPlace() throws {
        let answer = try HTTPCacheStateMachine.answer(request("Range: bytes=2-4"), Self.whole, at: 5)
        #expect(
            answer.head.headerFields.lines == [
                "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Type: text/plain", "Repr-Digest: y", "Content-Range: bytes 2-4/10",
                "Content-Length: 3", "Age: 5", "Cache-Status: hoard; hit; ttl=55",
            ]
        )
    }

    @Test func partOfAWholeOfUnknownLengthSaysSo() throws {
        let answer = try HTTPCacheStateMachine.answer(request("Range: bytes=1-2"), Self.open, at: 5)
        #expect(answer.head.headerFields[.contentRange] == "bytes 1-2/*")
    }

    @Test func severalRangesAreAnsweredWithSeveralParts() throws {
        let content = StoredBody(
            extents: [.init(offset: 0, length: 1_000, source: .reference(.init(id: 1, segmentLength: 100, length: 1_000)))],
            completeLength: 1_000
        )
        let stored = StoredResponse(
            head: response(200, "Cache-Control: max-age=60", "Content-Type: text/plain", "Content-Length: 1000"),
            body: content,
            requestTime: time(0),
            responseTime: time(0),
            rules: .test()
        )
        let answer = try HTTPCacheStateMachine.answer(request("Range: bytes=0-9, 500-509"), stored, at: 5)
        guard case .multipart(let parts) = answer.content else { throw UnexpectedAction(action: "\(answer.content)") }
        #expect(parts.ranges == [0..<10, 500..<510])
        #expect(parts.completeLength == 1_000)
        #expect(parts.contentType.map { String(decoding: $0, as: UTF8.self) } == "text/plain")
        #expect(answer.head.headerFields[values: .contentType] == [parts.responseContentType])
        #expect(answer.head.headerFields[.contentLength] == "\(parts.length)")
        #expect(answer.head.headerFields.contains(.contentRange) == false)
        let again = try HTTPCacheStateMachine.answer(request("Range: bytes=0-9, 500-509"), stored, at: 5)
        #expect(again.head.headerFields[.contentType] != answer.head.headerFields[.contentType], "Nobody can foresee the boundary.")
    }

    @Test func unsatisfiableRangeIsToldTheLength() throws {
        let answer = try HTTPCacheStateMachine.answer(request("Range: bytes=10-"), Self.whole, at: 5)
        #expect(answer.head.headerFields[.contentRange] == "bytes */10")
        #expect(answer.head.headerFields[.contentLength] == "0")
        #expect(answer.head.headerFields.contains(.eTag) == false)
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=55; detail=RANGE-NOT-SATISFIABLE")
    }

    @Test func rangeHasNoEffectOnOtherStatuses() throws {
        let stored = StoredResponse.test(404, "Cache-Control: max-age=60")
        #expect(try HTTPCacheStateMachine.answer(request("Range: bytes=0-1"), stored, at: 5).summary == "404 whole")
    }

    @Test(arguments: [
        ("\"1\"", "206 0..<2"), ("\"2\"", "200 whole"), ("W/\"1\"", "200 whole"), ("Thu, 01 Jan 2026 00:00:00 GMT", "200 whole"),
        ("junk", "200 whole"),
    ])
    func ifRangeDecidesBetweenPartAndWhole(value: String, expected: String) throws {
        let answer = try HTTPCacheStateMachine.answer(request("Range: bytes=0-1", "If-Range: \(value)"), Self.whole, at: 5)
        #expect(answer.summary == expected)
    }

    @Test func ifRangeWithoutRangeMeansNothing() throws {
        #expect(try HTTPCacheStateMachine.answer(request("If-Range: \"2\""), Self.whole, at: 5).summary == "200 whole")
    }

    // MARK: Forwarded ranges

    @Test func rangeThatIsNotStoredIsForwardedAsItCame() throws {
        let sent = request("Range: bytes=0-4", "If-Range: \"1\"")
        let (_, forward) = try HTTPCacheStateMachine.forwarding(sent, Self.first, at: 5)
        #expect(forward.request == sent)
        #expect(!forward.isCollapsible)
    }

    @Test func staleRangeIsValidatedWithoutFetchingIt() throws {
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=1-2"), Self.first, at: 60)
        #expect(forward.request.headerFields.lines == ["Range: bytes=1-2", "If-None-Match: \"1\""])
        let (answer, storing, _) = try machine.received(response(304, "ETag: \"1\"")).answered()
        #expect(answer.summary == "206 1..<3")
        #expect(storing?.body == Self.first.body)
        #expect(answer.wasValidated)
    }

    // MARK: Storing parts

    @Test func partIsStoredUnderTheHeadOfTheWhole() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=2-4"))
        let part = response(
            206,
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Content-Range: bytes 2-4/10",
            "Content-Length: 3",
            "Date: Thu, 01 Jan 2026 00:01:41 GMT"
        )
        let (head, storing, effects) = try machine.received(part, bodyLength: 3).stored()
        #expect(head.status.code == 206)
        #expect(head.headerFields[.contentRange] == "bytes 2-4/10")
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=206; ttl=59; stored")
        #expect(storing.placement == .init(offset: 2, length: 3, completeLength: 10))
        #expect(storing.response.statusCode == 200)
        #expect(storing.response.body.extents.isEmpty)
        #expect(storing.response.head.headerFields[.contentRange] == nil)
        #expect(storing.response.head.headerFields[.contentLength] == "10")
        #expect(storing.mayKeepIncomplete)
        #expect(effects.reason == .storedPart)
    }

    @Test func partJoinsWhatIsStoredOfTheSame() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=4-5"), Self.first, at: 5)
        let part = response(206, "Cache-Control: max-age=90", "ETag: \"1\"", "Content-Range: bytes 4-5/10")
        let (_, storing, effects) = try machine.received(part).stored()
        #expect(effects.reason == .combined)
        #expect(storing.response.body == Self.first.body)
        #expect(storing.placement == .init(offset: 4, length: 2, completeLength: 10))
        #expect(storing.response.head.headerFields[.cacheControl] == "max-age=90")
        #expect(storing.response.head.headerFields[.contentLength] == "10")
    }

    @Test(arguments: ["\"2\"", "W/\"1\""])
    func partOfSomethingElseReplacesWhatIsStored(tag: String) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=4-5"), Self.first, at: 5)
        let part = response(206, "Cache-Control: max-age=90", "ETag: \(tag)", "Content-Range: bytes 4-5/10")
        let (_, storing, effects) = try machine.received(part).stored()
        #expect(effects.reason == .storedPart)
        #expect(storing.response.body.extents.isEmpty)
    }

    static let unusableParts: [(request: [String], response: [String], length: Int?, token: String)] = [
        ([], ["Content-Range: bytes 4-5/10"], nil, "PARTIAL"),
        (["Range: bytes=4-5"], [], nil, "PARTIAL"),
        (["Range: bytes=4-5"], ["Content-Range: bytes 4-5/10"], 3, "PARTIAL"),
        (["Range: bytes=4-5"], ["Content-Range: bytes 4-5/10", "Content-Length: 7"], nil, "PARTIAL"),
        (["Range: bytes=4-5"], ["Content-Type: multipart/byteranges; boundary=x"], nil, "PARTIAL"),
        (["Range: bytes=4-5", "If-None-Match: \"9\""], ["Content-Range: bytes 4-5/10"], nil, "CLIENT-CONDITION"),
    ]

    @Test(arguments: unusableParts)
    func partThatIsNotUnderstoodIsOnlyDelivered(example: (request: [String], response: [String], length: Int?, token: String)) throws {
        var sent = request()
        sent.headerFields = fields(example.request)
        var (machine, _) = try HTTPCacheStateMachine.forwarding(sent)
        let part = response(206, ["Cache-Control: max-age=60", "ETag: \"1\""] + example.response)
        let (head, effects) = try machine.received(part, bodyLength: example.length).delivered()
        #expect(effects.reason.token == example.token)
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=206; detail=\(example.token)")
    }

    @Test(arguments: [("\"1\"", "max-age=60", false), ("\"1\"", "no-store", true), ("\"2\"", "no-store", true)])
    func partThatMayNotBeStoredRemovesWhatItContradicts(tag: String, directives: String, removes: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=4-5", "If-None-Match: \"9\""), Self.first, at: 5)
        let part = response(206, "Cache-Control: \(directives)", "ETag: \(tag)", "Content-Range: bytes 4-5/10")
        #expect(try machine.received(part).delivered().effects.removesFound == removes)
    }

    @Test func originsWordOnTheRangeIsNotStored() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=90-"), Self.open, at: 5)
        let (_, effects) = try machine.received(response(416, "Cache-Control: max-age=60", "Content-Range: bytes */10")).delivered()
        #expect(effects.reason.token == "UNMET-DEMAND")
        #expect(!effects.removesFound)
    }

    // MARK: Completing

    static let completions: [(stored: StoredResponse, range: String?)] = [
        (first, "bytes=4-9"), (outer, "bytes=4-5"), (open, "bytes=4-"), (gaps, nil), (weak, nil),
    ]

    @Test(arguments: completions, [5.0, 100])
    func oneMissingRangeIsFetched(example: (stored: StoredResponse, range: String?), seconds: Double) throws {
        let (_, forward) = try HTTPCacheStateMachine.forwarding(request("If-None-Match: \"9\"", "Accept: */*"), example.stored, at: seconds)
        if let range = example.range {
            #expect(forward.request.headerFields.lines == ["Accept: */*", "Range: \(range)", "If-Range: \"1\""])
        } else {
            #expect(forward.request.headerFields.lines == ["If-None-Match: \"9\"", "Accept: */*"])
        }
        #expect(forward.reason == .partial || seconds == 100)
        #expect(!forward.isCollapsible)
    }

    static func part(_ range: String, _ tag: String = "\"1\"", _ lines: String...) -> HTTPResponse {
        response(206, ["Cache-Control: max-age=60", "ETag: \(tag)", "Content-Range: bytes \(range)"] + lines)
    }

    @Test func missingRangeMakesTheWhole() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.outer, at: 5)
        let (head, storing, effects) = try machine.received(Self.part("4-5/10", "\"1\"", "Server: new"), bodyLength: 2, at: 6).combined()
        #expect(head.status.code == 200)
        #expect(head.headerFields[.contentLength] == "10")
        #expect(head.headerFields[.contentRange] == nil)
        #expect(head.headerFields[.server] == "new")
        #expect(head.headerFields[.age] == "1")
        #expect(head.cacheStatus == "hoard; fwd=partial; fwd-status=206; ttl=59; stored")
        #expect(storing.placement == .init(offset: 4, length: 2, completeLength: 10))
        #expect(storing.response.body == Self.outer.body)
        #expect(effects.reason == .completed)
        #expect(!effects.removesFound)
    }

    @Test func fieldsThatAPartDoesNotRepeatStay() throws {
        let stored = StoredResponse.test(
            200,
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Content-Type: text/css",
            "Content-Encoding: gzip",
            parts: [0..<4]
        )
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), stored, at: 5)
        let (head, storing, _) = try machine.received(Self.part("4-9/10"), at: 6).combined()
        for head in [head, storing.response.head] {
            #expect(head.headerFields[.contentType] == "text/css" && head.headerFields[.contentEncoding] == "gzip")
        }
        // One that has its type says that it has no coding.
        (machine, _) = try HTTPCacheStateMachine.forwarding(request(), stored, at: 5)
        _ = try machine.received(Self.part("4-9/10", "\"1\"", "Content-Type: text/css"), at: 6).forwardedAgain()
    }

    @Test func partThatMayLackFieldsIsNoHeadOfTheWhole() throws {
        let asking = request("Range: bytes=4-9", "If-Range: \"1\"")
        var (machine, _) = try HTTPCacheStateMachine.forwarding(asking)
        let effects = try machine.received(Self.part("4-9/10")).delivered().effects
        #expect(effects.reason.token == "PARTIAL" && effects.reason.sentence.contains("If-Range"))
        // The stored response has the fields.
        (machine, _) = try HTTPCacheStateMachine.forwarding(asking, Self.first, at: 5)
        #expect(try machine.received(Self.part("4-9/10"), at: 6).stored().effects.reason == .combined)
    }

    @Test func restOfUnknownLengthMakesTheWhole() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.open, at: 5)
        let (head, storing, _) = try machine.received(Self.part("4-9/10"), at: 6).combined()
        #expect(head.headerFields[.contentLength] == "10")
        #expect(storing.response.body.completeLength == 10)
    }

    @Test func wholeThatMayNotBeStoredIsOnlyDelivered() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.outer, at: 5)
        let (head, _, effects) = try machine.received(Self.part("4-5/10", "\"1\"", "Cache-Control: no-store"), at: 6).combined()
        #expect(effects.removesFound)
        #expect(head.cacheStatus?.contains("stored") == false)
    }

    static let unfit: [HTTPResponse] = [
        part("4-5/10", "\"2\""), part("4-5/10", "W/\"1\""), part("4-4/10"), part("3-5/10"), part("4-5/11"),
        part("4-5/10", "\"1\"", "Content-Length: 9"),
        response(206, "ETag: \"1\""), response(304, "ETag: \"1\""), response(416, "Content-Range: bytes */4"),
    ]

    @Test(arguments: unfit)
    func anythingElseMakesTheCacheAskForTheWhole(answer: HTTPResponse) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Accept: */*", "If-None-Match: \"9\""), Self.outer, at: 5)
        let again = try machine.received(answer, at: 6).forwardedAgain()
        #expect(again.request.headerFields.lines == ["Accept: */*"])
        let (head, storing, _) = try machine.received(response(200, "Cache-Control: max-age=60"), at: 7).stored()
        #expect(head.cacheStatus == "hoard; fwd=partial; fwd-status=200; ttl=59; stored")
        #expect(storing.placement == nil)
        #expect(storing.response.body.extents.isEmpty)
    }

    @Test func openRestOfUnknownLengthIsNotTakenForTheEnd() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.open, at: 5)
        _ = try machine.received(Self.part("4-9/*"), at: 6).forwardedAgain()
    }

    @Test func newWholeReplacesTheParts() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.outer, at: 5)
        let (_, storing, _) = try machine.received(response(200, "Cache-Control: max-age=60", "ETag: \"2\""), at: 6).stored()
        #expect(storing.placement == nil)
        #expect(storing.response.body.extents.isEmpty)
    }

    @Test(arguments: [404, 503])
    func otherAnswerToTheRangeIsTheAnswer(status: Int) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.outer, at: 5)
        #expect(try machine.received(response(status), at: 6).delivered().head.status.code == status)
    }
}
