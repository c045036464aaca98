// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import NIOCore
import Testing

/// The effect of a 304, or of a response to HEAD, on the stored response.
@Suite struct HTTPCacheStateMachineValidationTests {
    static let stale = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10", "Server: one", "X-Kept: 1")

    // MARK: 304

    @Test func notModifiedFreshensTheStoredResponse() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        let notModified = response(304, "ETag: \"1\"", "Cache-Control: max-age=90", "Server: two", "Content-Length: 0", "Connection: x", "X: y")
        let (answer, storing, effects) = try machine.received(notModified).answered()
        #expect(answer.summary == "200 whole")
        #expect(answer.wasValidated)
        #expect(answer.head.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=89; stored")
        #expect(answer.head.headerFields[.age] == "1")
        #expect(answer.head.headerFields[.server] == "two")
        #expect(answer.head.headerFields[.contentLength] == "10")
        #expect(effects == .init(reason: .validated))
        let freshened = try #require(storing)
        #expect(freshened.requestTime == time(100))
        #expect(freshened.responseTime == time(101))
        #expect(freshened.body == Self.stale.body)
        #expect(
            Set(freshened.head.headerFields.lines) == [
                "Content-Length: 10", "X-Kept: 1", "ETag: \"1\"", "Cache-Control: max-age=90", "Server: two", "Date: Thu, 01 Jan 2026 00:01:41 GMT",
            ]
        )
    }

    @Test func trailersOutliveAValidation() throws {
        var stored = Self.stale
        stored.trailers = fields("X-Checksum: 1")
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), stored)
        #expect(try machine.received(response(304)).answered().storing?.trailers == stored.trailers)
    }

    @Test(arguments: ["no-store", "max-age=60, private"])
    func notModifiedThatForbidsStoringIsAnsweredAndTheStoredResponseRemoved(directives: String) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale, rules: .test(.shared))
        let (answer, storing, effects) = try machine.received(response(304, "Cache-Control: \(directives)")).answered()
        #expect(answer.summary == "200 whole")
        #expect(storing == nil)
        #expect(effects == .init(reason: .validatedNotKept, removesFound: true))
        #expect(answer.head.cacheStatus?.contains("stored") == false)
        #expect(answer.head.cacheStatus?.hasPrefix("hoard; fwd=stale; fwd-status=304") == true)
    }

    /// Otherwise any client could remove it.
    @Test func confirmationOfARequestWithCredentialsLeavesTheStoredResponseAsItIs() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Authorization: x"), Self.stale, rules: .test(.shared))
        let (answer, storing, effects) = try machine.received(response(304, "ETag: \"1\"")).answered()
        #expect(answer.summary == "200 whole")
        #expect(storing == nil && !effects.removesFound)
        #expect(effects.reason.token == "AUTHORIZATION")
    }

    @Test func clientThatHasTheContentGetsNotModifiedWhenTheOriginHasConfirmedIt() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("If-None-Match: \"1\""), Self.stale)
        let (answer, storing, _) = try machine.received(response(304)).answered()
        #expect(answer.summary == "304")
        #expect(storing?.statusCode == 200)
    }

    @Test(arguments: [["ETag: \"2\""], ["ETag: 1"], ["ETag: W/\"2\""], ["ETag: \"2\"", "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT"]])
    func notModifiedAboutAnotherResponseMakesTheCacheAskAgainOnce(lines: [String]) throws {
        let sent = request("If-None-Match: \"mine\"", "If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT", "Accept: */*", "Connection: close")
        var (machine, _) = try HTTPCacheStateMachine.forwarding(sent, Self.stale)
        let again = try machine.received(response(304, lines)).forwardedAgain()
        #expect(again.request.headerFields.lines == ["Accept: */*"])
        #expect(again.reason == .stale)
        let head = try machine.received(response(200, "Cache-Control: max-age=60")).stored().head
        #expect(head.cacheStatus == "hoard; fwd=stale; fwd-status=200; ttl=59; stored")
    }

    @Test func rangeIsAskedForAgainToo() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=0-1"), Self.stale)
        #expect(try machine.received(response(304, "ETag: \"2\"")).forwardedAgain().request.headerFields.lines == ["Range: bytes=0-1"])
        let part = response(206, "Cache-Control: max-age=60", "ETag: \"2\"", "Content-Range: bytes 0-1/10")
        #expect(try machine.received(part).stored().storing.placement == .init(offset: 0, length: 2, completeLength: 10))
    }

    @Test func secondNotModifiedIsDeliveredInsteadOfAskingForEver() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        _ = try machine.received(response(304, "ETag: \"2\"")).forwardedAgain()
        let (head, effects) = try machine.received(response(304, "ETag: \"1\"")).delivered()
        #expect(head.status.code == 304)
        #expect(!effects.removesFound)
    }

    @Test func responseToTheSecondRequestSupersedesLikeOneToTheFirst() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        _ = try machine.received(response(304, "ETag: \"2\"")).forwardedAgain()
        #expect(try machine.received(response(200, "Cache-Control: no-store")).delivered().effects.removesFound)
    }

    @Test func failureOfTheSecondRequestIsReported() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.stale)
        _ = try machine.received(response(304, "ETag: \"2\"")).forwardedAgain()
        let failure = try machine.forwardFailed(.init(detail: "timedOut", isUnreachable: true), now: time(101)).failure()
        #expect(failure == "hoard; fwd=stale; detail=timedOut")
    }

    @Test(arguments: [nil, StoredResponse.test(200, "Cache-Control: max-age=60")])
    func notModifiedThatTheClientHasAskedForGoesToTheClient(stored: StoredResponse?) throws {
        let sent = request("If-None-Match: \"mine\"")
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(sent, stored)
        #expect(forward.request == sent)
        #expect(!forward.isCollapsible)
        let (head, effects) = try machine.received(response(304, "ETag: \"mine\"")).delivered()
        #expect(head.status.code == 304)
        #expect(effects == .init(reason: .notModifiedForClient))
    }

    @Test func changedDateForIfRangeMakesTheCacheAskAgain() throws {
        let old = "Wed, 31 Dec 2025 00:00:00 GMT"
        let stored = StoredResponse.test(
            200,
            "Cache-Control: max-age=60",
            "ETag: \"1\"",
            "Last-Modified: \(old)",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT",
            parts: [0..<4]
        )
        var (machine, forward) = try HTTPCacheStateMachine.forwarding(request("Range: bytes=0-1", "If-Range: \(old)"), stored)
        #expect(forward.request.headerFields[.ifNoneMatch] == "\"1\"")
        let notModified = response(304, "ETag: \"1\"", "Last-Modified: Wed, 31 Dec 2025 01:00:00 GMT")
        let again = try machine.received(notModified).forwardedAgain()
        #expect(again.request.headerFields.lines == ["Range: bytes=0-1", "If-Range: \(old)"])
    }

    // MARK: HEAD

    @Test func headFreshensWhatItConfirms() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(method: "HEAD"), Self.stale)
        let origin = response(200, "Cache-Control: max-age=90", "ETag: \"1\"", "Content-Length: 10", "Server: two")
        let (head, effects) = try machine.received(origin).delivered()
        #expect(head.headerFields[.server] == "two")
        #expect(head.cacheStatus == "hoard; fwd=stale; fwd-status=200")
        #expect(effects.reason == .updatedByHead)
        #expect(!effects.removesFound)
        let replacement = try #require(effects.replacement)
        #expect(replacement.body == Self.stale.body)
        #expect(replacement.head.headerFields[.server] == "two")
        #expect(replacement.head.headerFields.lines.contains("X-Kept: 1"))
        #expect(replacement.responseTime == time(101))
    }

    @Test(arguments: [["ETag: \"2\""], ["ETag: \"1\"", "Content-Length: 11"]])
    func headRemovesWhatItContradicts(lines: [String]) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(method: "HEAD"), Self.stale)
        let (_, effects) = try machine.received(response(200, lines)).delivered()
        #expect(effects == .init(reason: .headDiffers, removesFound: true))
    }

    @Test(
        arguments: [(200, []), (404, ["ETag: \"2\""]), (304, ["ETag: \"1\""]), (500, ["ETag: \"2\""]), (200, ["Content-Length: 10"])]
            as [(Int, [String])]
    )
    func headThatSaysNothingOfWhatIsStoredChangesNothing(status: Int, lines: [String]) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(method: "HEAD"), Self.stale)
        let (head, effects) = try machine.received(response(status, lines)).delivered()
        #expect(head.status.code == status)
        #expect(effects.replacement == nil)
        #expect(!effects.removesFound)
    }

    @Test func headThatForbidsStoringIsNotPutInThePlaceOfWhatIsStored() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(method: "HEAD"), Self.stale)
        let (_, effects) = try machine.received(response(200, "ETag: \"1\"", "Cache-Control: no-store")).delivered()
        #expect(effects == .init(reason: .validatedNotKept, removesFound: true))
    }

    /// It would stay where other requests find it than those that it is meant for.
    @Test(arguments: ["Vary: Accept", "No-Vary-Search: params"])
    func headThatSaysThatOtherThingsSelectRemovesWhatItConfirms(line: String) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(method: "HEAD"), Self.stale)
        let (_, effects) = try machine.received(response(200, "ETag: \"1\"", "Cache-Control: max-age=90", line)).delivered()
        #expect(effects == .init(reason: .validatedNotKept, removesFound: true))
    }

    @Test func responseToHeadIsNeverStoredByItself() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(method: "HEAD"))
        let (head, effects) = try machine.received(response(200, "Cache-Control: max-age=60")).delivered()
        #expect(head.cacheStatus == "hoard; fwd=uri-miss; fwd-status=200")
        #expect(effects.reason.token == "METHOD")
    }
}
