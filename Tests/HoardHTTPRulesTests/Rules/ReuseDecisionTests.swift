// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct ReuseDecisionTests {
    /// Decides on a response received at the start of 2026, `age` seconds later.
    private func decide(_ stored: [String], age: TimeInterval, mode: CacheMode = .shared, request: String...) -> ReuseDecision {
        let message = response(200, stored)
        let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: HTTPCacheRules(mode: mode))
        return ReuseDecision(request: CacheControl(request: fields(request)), stored: freshness, now: newYear2026.addingTimeInterval(age))
    }

    @Test func isFreshWhileTheAgeIsBelowTheLifetime() {
        #expect(decide(["Cache-Control: max-age=10"], age: 0).verdict == .fresh(timeToLive: 10))
        #expect(decide(["Cache-Control: max-age=10"], age: 9.5).verdict == .fresh(timeToLive: 0.5))
        #expect(decide(["Cache-Control: max-age=10"], age: 10).verdict == .mustRevalidate(.stale))
        #expect(decide(["Cache-Control: max-age=10"], age: 11).verdict == .mustRevalidate(.stale))
        #expect(decide(["Cache-Control: max-age=0"], age: 0).verdict == .mustRevalidate(.stale))
        #expect(decide(["ETag: \"a\""], age: 0).verdict == .mustRevalidate(.stale))
    }

    @Test func countsTheAgeFieldAndTheDate() {
        #expect(decide(["Cache-Control: max-age=3600", "Age: 7200"], age: 0).verdict == .mustRevalidate(.stale))
        #expect(decide(["Cache-Control: max-age=3600", "Age: 3599"], age: 0).verdict == .fresh(timeToLive: 1))
        #expect(decide(["Cache-Control: max-age=3600", "Date: Wed, 31 Dec 2025 22:00:00 GMT"], age: 0).verdict == .mustRevalidate(.stale))
        let fastClock = ["Date: Thu, 01 Jan 2026 00:00:10 GMT", "Expires: Thu, 01 Jan 2026 00:00:20 GMT", "Age: 15"]
        #expect(decide(fastClock, age: 0).verdict == .mustRevalidate(.stale))
        #expect(decide(["Cache-Control: max-age=99999999999", "Age: 99999999999"], age: 0).verdict == .mustRevalidate(.stale))
    }

    @Test func obeysTheResponsesNoCache() {
        let stored = ["Cache-Control: max-age=10000, no-cache"]
        let decision = decide(stored, age: 0)
        #expect(decision.verdict == .mustRevalidate(.responseNoCache))
        #expect(decision.staleProhibition == .noCache)
        #expect(decide(stored, age: 0, request: "Cache-Control: max-stale").verdict == .mustRevalidate(.responseNoCache))
        // Fields named by no-cache are not stored; the rest may be reused.
        #expect(decide(["Cache-Control: max-age=10, no-cache=\"a\""], age: 0).verdict == .fresh(timeToLive: 10))
        #expect(decide(["Cache-Control: max-age=10, no-cache=\"vary\""], age: 0).verdict == .mustRevalidate(.responseNoCache))
    }

    @Test func reusesAFreshResponseThatMustBeRevalidatedWhenStale() {
        let stored = ["Cache-Control: max-age=10, must-revalidate"]
        #expect(decide(stored, age: 5).verdict == .fresh(timeToLive: 5))
        #expect(decide(stored, age: 15).verdict == .mustRevalidate(.stale))
    }

    @Test(
        arguments: [
            ("Cache-Control: no-cache", ReuseDecision.Reason.requestNoCache), ("Pragma: no-cache", .requestNoCache),
            ("Cache-Control: max-age=0", .requestMaxAge),
            ("Cache-Control: max-age=599", .requestMaxAge), ("Cache-Control: max-age=junk", .requestMaxAge),
            ("Cache-Control: min-fresh=2000", .requestMinFresh),
            ("Cache-Control: min-fresh=junk", .requestMinFresh), ("Cache-Control: no-cache=\"a\"", .requestNoCache),
        ] as [(String, ReuseDecision.Reason)]
    )
    func obeysTheRequest(line: String, reason: ReuseDecision.Reason) {
        let decision = decide(["Cache-Control: max-age=2000"], age: 600, request: line)
        #expect(decision.verdict == .mustRevalidate(reason))
        #expect(decision.timeToLive == 1_400)
        #expect(reason.isDemandedByRequest)
    }

    @Test(arguments: [
        "Cache-Control: max-age=600", "Cache-Control: min-fresh=1400", "Cache-Control: max-stale", "Cache-Control: no-store",
        "Cache-Control: only-if-cached",
        "Pragma: x", "Cache-Control: no-transform",
    ])
    func isContentWithWhatTheRequestAllows(line: String) {
        #expect(decide(["Cache-Control: max-age=2000"], age: 600, request: line).verdict == .fresh(timeToLive: 1_400))
    }

    @Test func ignoresPragmaBesideCacheControl() {
        #expect(
            decide(["Cache-Control: max-age=10"], age: 0, request: "Pragma: no-cache", "Cache-Control: max-age=5").verdict == .fresh(timeToLive: 10)
        )
    }

    @Test func sparesImmutableResponsesAReload() {
        let stored = ["Cache-Control: max-age=2000, immutable"]
        #expect(decide(stored, age: 600, request: "Cache-Control: max-age=0").verdict == .fresh(timeToLive: 1_400))
        #expect(decide(stored, age: 600, request: "Cache-Control: no-cache").verdict == .mustRevalidate(.requestNoCache))
        #expect(decide(stored, age: 600, request: "Cache-Control: min-fresh=1500").verdict == .mustRevalidate(.requestMinFresh))
        #expect(decide(stored, age: 2_000, request: "Cache-Control: max-age=0").verdict == .mustRevalidate(.stale))
    }

    @Test(
        arguments: [
            ("max-age=2", CacheMode.shared, nil), ("max-age=2, must-revalidate", .shared, .mustRevalidate),
            ("max-age=2, must-revalidate", .private, .mustRevalidate),
            ("max-age=2, proxy-revalidate", .shared, .proxyRevalidate), ("max-age=2, proxy-revalidate", .private, nil),
            ("s-maxage=2", .shared, .sharedMaxAge),
            ("max-age=2, s-maxage=2", .private, nil), ("max-age=2, no-cache", .shared, .noCache), ("max-age=2, no-cache", .private, .noCache),
            ("max-age=2, no-cache=\"a\"", .shared, nil), ("max-age=2, stale-while-revalidate=60", .shared, nil),
        ] as [(String, CacheMode, StaleProhibition?)] as [(String, CacheMode, StaleProhibition?)]
    )
    func knowsWhatForbidsServingStale(directives: String, mode: CacheMode, expected: StaleProhibition?) {
        #expect(decide(["Cache-Control: \(directives)"], age: 5, mode: mode).staleProhibition == expected)
    }

    @Test func reportsWhatServingStaleDependsOn() {
        let decision = decide(
            ["Cache-Control: max-age=10, stale-while-revalidate=20, stale-if-error=30"],
            age: 15,
            request: "Cache-Control: max-stale=40, stale-if-error=50, only-if-cached"
        )
        #expect(decision.verdict == .mustRevalidate(.stale))
        #expect(decision.age == 15)
        #expect(decision.lifetime == FreshnessLifetime(seconds: 10, source: .maxAge))
        #expect(decision.staleness == 5)
        #expect(decision.timeToLive == -5)
        #expect(decision.staleWhileRevalidate == 20)
        #expect(decision.staleIfError == 50)
        #expect(decision.requestStaleIfError == 50)
        #expect(decision.requestAcceptsStale && !decision.requestNoCache)
        #expect(decision.maxStale == 40)
        #expect(decision.onlyIfCached)

        let plain = decide(["Cache-Control: max-age=10"], age: 5)
        #expect(plain.staleness == 0)
        #expect(plain.staleWhileRevalidate == nil)
        #expect(plain.staleIfError == nil)
        #expect(plain.maxStale == nil)
        #expect(!plain.onlyIfCached)
        #expect(decide(["Cache-Control: max-age=10"], age: 5, request: "Cache-Control: max-stale").maxStale == CacheControl.unlimitedStaleness)
    }

    @Test(
        arguments: [
            ("max-stale", true), ("max-stale=0", true), ("no-store", true), ("", true), ("max-age=100", false), ("max-age=100, max-stale", true),
            ("max-age=14, max-stale", false), ("max-age=15, max-stale=0", true), ("no-cache", false), ("no-cache, max-stale", false),
            ("min-fresh=0", false),
            ("min-fresh=1, max-stale", false),
        ]
    )
    func knowsWhetherTheClientWouldTakeAStaleResponse(directives: String, expected: Bool) {
        #expect(decide(["Cache-Control: max-age=10"], age: 15, request: "Cache-Control: \(directives)").requestAcceptsStale == expected)
    }

    @Test(arguments: ["must-revalidate", "proxy-revalidate", "s-maxage=10"])
    func forbidsOnlyWhatIsStale(directive: String) {
        #expect(decide(["Cache-Control: max-age=10, \(directive)"], age: 9).staleProhibition == nil)
        #expect(decide(["Cache-Control: max-age=10, \(directive)"], age: 10).staleProhibition != nil)
        #expect(decide(["Cache-Control: max-age=10, no-cache"], age: 9).staleProhibition == .noCache)
    }

    @Test func tellsTheRequestsReasonsFromTheResponses() {
        #expect(!ReuseDecision.Reason.stale.isDemandedByRequest)
        #expect(!ReuseDecision.Reason.responseNoCache.isDemandedByRequest)
    }

    @Test func judgesAStoredResponseLikeTheReceivedOne() {
        let received = response(
            200,
            "Cache-Control: max-age=60, no-cache=\"a\", s-maxage=5",
            "Date: Thu, 01 Jan 2026 00:00:00 GMT",
            "Age: 1",
            "Connection: cache-control, age, date, b",
            "A: 1",
            "B: 2"
        )
        var stored = received
        stored.headerFields = received.headerFields.removingFieldsNotStored(
            cacheControl: CacheControl(response: received.headerFields),
            rules: HTTPCacheRules(mode: .shared)
        )
        #expect(!stored.headerFields.contains(.connection))
        let times = (request: newYear2026, response: newYear2026.addingTimeInterval(2))
        let before = ResponseFreshness(of: received, requestTime: times.request, responseTime: times.response, rules: HTTPCacheRules(mode: .shared))
        let after = ResponseFreshness(of: stored, requestTime: times.request, responseTime: times.response, rules: HTTPCacheRules(mode: .shared))
        #expect(before == after)
        #expect(before.timeToLive(at: times.response) == 2)
    }

    /// No input makes the cache call a response fresh past its lifetime, and a fresh response has time left.
    @Test func neverCallsAStaleResponseFresh() {
        var generator = TestGenerator()
        for _ in 0..<5_000 {
            var message = response(200)
            let names: [HTTPField.Name] = [.cacheControl, .age, .expires, .date, .lastModified]
            for name in names where Bool.random(using: &generator) {
                message.headerFields.append(
                    HTTPField(name: name, lenientValue: generator.bytes(upTo: 40, alphabet: "max-age=60,s-maxage=5 \"no-cache"))
                )
            }
            let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: HTTPCacheRules(mode: .shared))
            let now = newYear2026.addingTimeInterval(.random(in: 0...100, using: &generator))
            let decision = ReuseDecision(request: CacheControl(), stored: freshness, now: now)
            if case .fresh(let timeToLive) = decision.verdict {
                #expect(timeToLive > 0 && decision.age < TimeInterval(decision.lifetime.seconds), "seed \(generator.seed)")
            }
        }
    }
}
