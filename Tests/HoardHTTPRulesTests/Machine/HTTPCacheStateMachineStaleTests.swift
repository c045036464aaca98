// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// Stale answers on purpose.
@Suite struct HTTPCacheStateMachineStaleTests {
    // MARK: max-stale

    @Test(arguments: [
        ("max-stale=10", true), ("max-stale", true), ("max-stale=9", false), ("max-stale=10, max-age=70", true), ("max-stale=10, max-age=69", false),
    ])
    func clientMayAcceptAStaleAnswer(directives: String, isAccepted: Bool) throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"")
        let (_, action) = HTTPCacheStateMachine.lookingUp(request("Cache-Control: \(directives)"), stored, at: 70)
        #expect(action.summary == (isAccepted ? "200 whole" : "fwd stale"))
        guard isAccepted else { return }
        let answer = try action.answer()
        #expect(answer.staleness?.decision.token == "MAX-STALE")
        #expect(answer.staleness?.seconds == 10)
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=-10; detail=MAX-STALE")
        #expect(answer.head.headerFields[.age] == "70")
    }

    // MARK: stale-while-revalidate

    static let revalidated = StoredResponse.test(200, "Cache-Control: max-age=60, stale-while-revalidate=30", "ETag: \"1\"")

    @Test(arguments: [(59.0, "200 whole"), (60, "200 whole, refresh stale"), (89, "200 whole, refresh stale"), (90, "fwd stale")])
    func staleAnswerIsGivenWhileItIsRevalidated(seconds: Double, expected: String) {
        #expect(HTTPCacheStateMachine.lookingUp(request(), Self.revalidated, at: seconds).action.summary == expected)
    }

    @Test func refreshFreshensWhatIsStored() throws {
        var (machine, action) = HTTPCacheStateMachine.lookingUp(request("Accept: */*"), Self.revalidated, at: 70)
        let (answer, forward) = try action.refreshing()
        #expect(answer.staleness?.seconds == 10)
        #expect(answer.head.cacheStatus == "hoard; hit; ttl=-10; detail=STALE-WHILE-REVALIDATE")
        #expect(forward.request.headerFields.lines == ["Accept: */*", "If-None-Match: \"1\""])
        let (_, storing, effects) = try machine.received(response(304, "ETag: \"1\"")).answered()
        #expect(storing?.responseTime == time(101))
        #expect(effects.reason == .validated)
    }

    @Test func refreshStoresANewResponse() throws {
        var (machine, _) = HTTPCacheStateMachine.lookingUp(request(), Self.revalidated, at: 70)
        let (_, storing, _) = try machine.received(response(200, "Cache-Control: max-age=5", "ETag: \"2\"")).stored()
        #expect(storing.response.head.headerFields[.eTag] == "\"2\"")
    }

    @Test(arguments: [
        (["Range: bytes=2-4"], "GET", "206 2..<5"), (["If-None-Match: \"1\""], "GET", "304"), ([], "HEAD", "200"),
        (["Range: bytes=2-4", "Connection: close"], "GET", "206 2..<5"),
    ])
    func refreshIsAPlainGetWhateverItsClientAskedFor(lines: [String], method: String, expected: String) throws {
        var sent = request(method: method)
        sent.headerFields = fields(lines)
        var (machine, action) = HTTPCacheStateMachine.lookingUp(sent, Self.revalidated, at: 70)
        let (answer, forward) = try action.refreshing()
        #expect(answer.summary == expected)
        #expect(forward.request.method == .get)
        #expect(forward.request.headerFields.lines == ["If-None-Match: \"1\""])
        #expect(forward.isCollapsible)
        let (_, storing, _) = try machine.received(response(200, "Cache-Control: max-age=60")).stored()
        #expect(storing.placement == nil)
    }

    @Test func refreshOfPartsFreshensThem() throws {
        let part = StoredResponse.test(200, "Cache-Control: max-age=60, stale-while-revalidate=30", "ETag: \"1\"", parts: [0..<5])
        var (machine, action) = HTTPCacheStateMachine.lookingUp(request("Range: bytes=0-1"), part, at: 70)
        #expect(try action.refreshing().answer.summary == "206 0..<2")
        let (_, storing, _) = try machine.received(response(304, "ETag: \"1\"")).answered()
        #expect(storing?.body == part.body)
    }

    @Test func refreshWithoutValidatorFetchesAnew() throws {
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60, stale-while-revalidate=30")
        let (_, forward) = try HTTPCacheStateMachine.lookingUp(request("If-None-Match: \"mine\""), stored, at: 70).action.refreshing()
        #expect(forward.request.headerFields.isEmpty)
    }

    @Test func failedRefreshChangesNothing() throws {
        var (machine, _) = HTTPCacheStateMachine.lookingUp(request(), Self.revalidated, at: 70)
        var other = machine
        let (_, effects) = try machine.received(response(500)).delivered()
        #expect(!effects.removesFound)
        #expect(
            try other.forwardFailed(.init(detail: "timedOut", isUnreachable: true), now: time(71)).failure() == "hoard; fwd=stale; detail=timedOut"
        )
    }

    @Test func clientThatWantsNoForwardingGetsTheStaleAnswerWithoutARefresh() {
        let (_, action) = HTTPCacheStateMachine.lookingUp(request("Cache-Control: only-if-cached"), Self.revalidated, at: 70)
        #expect(action.summary == "200 whole")
    }

    @Test(arguments: ["no-cache", "max-age=0", "max-age=1000", "min-fresh=1"])
    func clientThatWantsAFreshAnswerGetsNoStaleOne(directives: String) {
        let (_, action) = HTTPCacheStateMachine.lookingUp(request("Cache-Control: \(directives)"), Self.revalidated, at: 70)
        #expect(action.summary == (directives == "no-cache" ? "fwd request" : "fwd stale"))
    }

    // MARK: Errors

    static let lenient = StoredResponse.test(200, "Cache-Control: max-age=60, stale-if-error=40", "ETag: \"1\"")

    @Test(arguments: [(500, true), (502, true), (503, true), (504, true), (501, false), (505, false), (404, false), (429, false)])
    func staleAnswerStandsInForAnError(status: Int, standsIn: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.lenient, at: 80)
        let action = machine.received(response(status), at: 81)
        guard standsIn else { return #expect(try action.delivered().head.status.code == status) }
        let (answer, storing, effects) = try action.answered()
        #expect(answer.summary == "200 whole")
        #expect(answer.staleness?.seconds == 21)
        #expect(!answer.wasValidated)
        #expect(answer.head.cacheStatus == "hoard; fwd=stale; fwd-status=\(status); ttl=-21; detail=STALE-IF-ERROR")
        #expect(storing == nil)
        #expect(!effects.removesFound)
    }

    @Test(arguments: [(99.0, true), (100.0, false)])
    func staleIfErrorEndsWithItsLastSecond(seconds: Double, standsIn: Bool) throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.lenient, at: 80)
        let action = machine.received(response(503), at: seconds)
        if standsIn { _ = try action.answered() } else { _ = try action.delivered() }
    }

    @Test func staleAnswerStandsInForAnErrorInEveryForm() throws {
        for (sent, expected) in [
            (request("Range: bytes=2-4"), "206 2..<5"), (request(method: "HEAD"), "200"), (request("If-None-Match: \"1\""), "304"),
        ] {
            var (machine, _) = try HTTPCacheStateMachine.forwarding(sent, Self.lenient, at: 80)
            #expect(try machine.received(response(503), at: 81).answered().answer.summary == expected)
        }
    }

    @Test func partDoesNotStandInForTheWhole() throws {
        let part = StoredResponse.test(200, "Cache-Control: max-age=60, stale-if-error=40", "ETag: \"1\"", parts: [0..<5])
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), part, at: 80)
        #expect(try machine.received(response(503), at: 81).delivered().head.status.code == 503)
    }

    static let prohibitions: [(directives: String, mode: CacheMode)] = [
        ("no-cache", .private), ("no-cache", .shared), ("must-revalidate", .private), ("must-revalidate", .shared), ("proxy-revalidate", .shared),
        ("s-maxage=60", .shared),
    ]

    @Test(arguments: prohibitions)
    func nothingStaleIsServedAgainstAProhibition(example: (directives: String, mode: CacheMode)) throws {
        let rules = HTTPCacheRules.test(example.mode, staleIfUnreachable: 1_000)
        let stored = StoredResponse.test(
            200,
            "Cache-Control: max-age=60, stale-if-error=1000, stale-while-revalidate=1000, \(example.directives)",
            "ETag: \"1\"",
            rules: rules
        )
        var (machine, _) = try HTTPCacheStateMachine.forwarding(
            request("Cache-Control: max-stale, stale-if-error=1000"),
            stored,
            at: 80,
            rules: rules
        )
        var other = machine
        #expect(try machine.received(response(503), at: 81).delivered().head.status.code == 503)
        let action = other.forwardFailed(.init(detail: "timedOut", isUnreachable: true), now: time(81))
        #expect(try action.failure() == "hoard; fwd=stale; detail=timedOut")
        let prohibition = try #require(try action.prohibition())
        #expect(example.directives.hasPrefix(prohibition.token))
    }

    // MARK: Unreachable

    @Test func failureWithoutProhibitionSaysSo() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), .test(200, "Cache-Control: max-age=60"), at: 80)
        let prohibition = try machine.forwardFailed(.init(detail: "timedOut", isUnreachable: true), now: time(81)).prohibition()
        #expect(prohibition == nil)
    }

    @Test(arguments: [(true, 1_000, true), (true, 20, false), (false, 1_000, false), (true, 0, false)])
    func staleAnswerStandsInForAnOriginThatCannotBeReached(isUnreachable: Bool, allowance: Int64, standsIn: Bool) throws {
        let rules = HTTPCacheRules.test(staleIfUnreachable: allowance)
        let stored = StoredResponse.test(200, "Cache-Control: max-age=60", rules: rules)
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), stored, at: 80, rules: rules)
        let action = machine.forwardFailed(.init(detail: "cannotConnect", isUnreachable: isUnreachable), now: time(81))
        guard standsIn else { return #expect(try action.failure() == "hoard; fwd=stale; detail=cannotConnect") }
        let answer = try action.answer()
        #expect(answer.summary == "200 whole")
        #expect(answer.staleness?.seconds == 21)
        #expect(answer.head.cacheStatus == "hoard; fwd=stale; ttl=-21; detail=UNREACHABLE")
    }

    @Test func staleIfErrorCoversAResponseThatNeverCame() throws {
        var (machine, _) = try HTTPCacheStateMachine.forwarding(request(), Self.lenient, at: 80)
        let answer = try machine.forwardFailed(.init(detail: "protocolError", isUnreachable: false), now: time(81)).answer()
        #expect(answer.head.cacheStatus == "hoard; fwd=stale; ttl=-21; detail=STALE-IF-ERROR")
    }

    @Test func failureSaysWhyTheRequestWasForwarded() throws {
        let failure = HTTPCacheStateMachine.ForwardFailure(detail: "timedOut", isUnreachable: true)
        var (missed, _) = try HTTPCacheStateMachine.forwarding(rules: .test(staleIfUnreachable: 1_000))
        #expect(try missed.forwardFailed(failure, now: time(0)).failure() == "hoard; fwd=uri-miss; detail=timedOut")
        var post = HTTPCacheStateMachine(request(method: "POST"))
        _ = post.start()
        #expect(try post.forwardFailed(failure, now: time(0)).failure() == "hoard; fwd=method; detail=timedOut")
    }
}
