// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct FreshnessLifetimeTests {
    private static let dateLine = "Date: Thu, 01 Jan 2026 00:00:00 GMT"

    private func lifetime(_ lines: String..., status: Int = 200, mode: CacheMode = .shared) -> FreshnessLifetime {
        let response = response(status, lines)
        let cacheControl = CacheControl(response: response.headerFields)
        return FreshnessLifetime(of: response, cacheControl: cacheControl, rules: HTTPCacheRules(mode: mode), responseTime: newYear2026)
    }

    @Test func prefersSharedMaxAgeInASharedCacheOnly() {
        for line in ["Cache-Control: s-maxage=1, max-age=3600", "Cache-Control: max-age=3600, s-maxage=1"] {
            #expect(lifetime(line) == FreshnessLifetime(seconds: 1, source: .sMaxAge))
            #expect(lifetime(line, mode: .private) == FreshnessLifetime(seconds: 3_600, source: .maxAge))
        }
        #expect(lifetime("Cache-Control: max-age=3600", "Cache-Control: s-maxage=1").seconds == 1)
        #expect(lifetime("Cache-Control: max-age=1", "Cache-Control: s-maxage=3600").seconds == 3_600)
        #expect(lifetime("Cache-Control: s-maxage=3600", mode: .private) == FreshnessLifetime(seconds: 0, source: .none))
    }

    @Test(arguments: ["Expires: Wed, 31 Dec 2025 22:00:00 GMT", "Expires: 0", "Expires: Fri, 01 Jan 2027 00:00:00 GMT"])
    func prefersMaxAgeToExpires(expires: String) {
        #expect(lifetime("Cache-Control: max-age=3600", expires, Self.dateLine) == FreshnessLifetime(seconds: 3_600, source: .maxAge))
        #expect(lifetime("Cache-Control: max-age=0", expires, Self.dateLine) == FreshnessLifetime(seconds: 0, source: .maxAge))
    }

    @Test func treatsAMalformedMaxAgeAsExpired() {
        let lastModified = "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"
        #expect(lifetime("Cache-Control: max-age=3600.5", lastModified) == FreshnessLifetime(seconds: 0, source: .maxAge))
        #expect(lifetime("Cache-Control: s-maxage=x, max-age=10") == FreshnessLifetime(seconds: 0, source: .sMaxAge))
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:00:10 GMT", 10), ("Thu, 01 Jan 2026 00:00:00 GMT", 0), ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("Thu Jan  1 00:01:00 2026", 60), ("Thursday, 01-Jan-26 00:01:00 GMT", 60), ("THU, 01 JAN 2026 00:01:00 gmt", 60),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_648), ("Sat, 01 Jan 0000 00:00:00 GMT", 0),
        ] as [(String, Int64)]
    )
    func countsExpiresFromDate(expires: String, seconds: Int64) {
        #expect(lifetime("Expires: \(expires)", Self.dateLine) == FreshnessLifetime(seconds: seconds, source: .expires))
    }

    @Test(arguments: [
        "0", "-1", "", "foo", "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 02:01:18 GMT, Thu, 18 Aug 2050 02:01:18 GMT",
    ])
    func treatsAnInvalidExpiresAsExpired(expires: String) {
        let lastModified = "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"
        #expect(lifetime("Expires: \(expires)", Self.dateLine, lastModified) == FreshnessLifetime(seconds: 0, source: .expires))
    }

    @Test func treatsSeveralExpiresAsExpiredUnlessTheyAgree() {
        let first = "Expires: Thu, 01 Jan 2026 00:01:00 GMT"
        let second = "Expires: Thu, 01 Jan 2026 00:02:00 GMT"
        #expect(lifetime(first, second, Self.dateLine) == FreshnessLifetime(seconds: 0, source: .expires))
        #expect(lifetime(first, "Expires: 0", Self.dateLine) == FreshnessLifetime(seconds: 0, source: .expires))
        #expect(lifetime(first, first, Self.dateLine) == FreshnessLifetime(seconds: 60, source: .expires))
    }

    @Test(arguments: [nil, "Date: foo", "Date:", "Date: 0"])
    func countsExpiresFromTheResponseTimeWithoutAValidDate(date: String?) {
        let lines = ["Expires: Thu, 01 Jan 2026 00:00:10 GMT"] + (date.map { [$0] } ?? [])
        let message = response(200, lines)
        let responseTime = newYear2026.addingTimeInterval(4.5)
        let lifetime = FreshnessLifetime(of: message, cacheControl: CacheControl(), rules: HTTPCacheRules(mode: .private), responseTime: responseTime)
        #expect(lifetime == FreshnessLifetime(seconds: 6, source: .expires))
    }

    @Test func ignoresExpiresWhereADirectiveForThisCacheIsInForce() {
        var targeted = CacheControl()
        targeted.isTargeted = true
        let message = response(200, "Expires: Thu, 01 Jan 2026 01:00:00 GMT", Self.dateLine)
        let lifetime = FreshnessLifetime(of: message, cacheControl: targeted, rules: HTTPCacheRules(mode: .shared), responseTime: newYear2026)
        #expect(lifetime.source == .none)
    }

    @Test(arguments: [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
    func guessesForHeuristicallyCacheableStatuses(status: Int) {
        let lastModified = "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"
        #expect(lifetime(Self.dateLine, lastModified, status: status) == FreshnessLifetime(seconds: 8_640, source: .heuristic))
    }

    @Test(arguments: [201, 202, 205, 299, 302, 303, 304, 307, 400, 403, 500, 502, 503, 504, 599])
    func guessesForOtherStatusesOnlyIfPublic(status: Int) {
        let lastModified = "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"
        #expect(lifetime(Self.dateLine, lastModified, status: status) == FreshnessLifetime(seconds: 0, source: .none))
        #expect(
            lifetime(Self.dateLine, lastModified, "Cache-Control: public", status: status) == FreshnessLifetime(seconds: 8_640, source: .heuristic)
        )
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 2026 00:00:00 GMT", 0), ("Wed, 31 Dec 2025 23:59:55 GMT", 0), ("Wed, 31 Dec 2025 23:59:50 GMT", 1),
            ("Wed, 31 Dec 2025 23:59:00 GMT", 6), ("Mon, 22 Dec 2025 00:00:00 GMT", 86_400), ("Sat, 01 Jan 2000 00:00:00 GMT", 86_400),
            ("Fri, 01 Jan 2027 00:00:00 GMT", 0),
        ] as [(String, Int64)]
    )
    func guessesATenthUpToADay(lastModified: String, seconds: Int64) {
        #expect(lifetime(Self.dateLine, "Last-Modified: \(lastModified)") == FreshnessLifetime(seconds: seconds, source: .heuristic))
    }

    @Test func guessesNothingWithoutAValidLastModified() {
        #expect(lifetime(Self.dateLine).source == .none)
        #expect(lifetime(Self.dateLine, "Last-Modified: yesterday").source == .none)
        #expect(lifetime(Self.dateLine, "ETag: \"a\"").source == .none)
    }

    @Test func guessesNothingForAllAboutAResponseWithACookie() {
        let lines = [Self.dateLine, "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT", "Set-Cookie: a=b"]
        func source(_ mode: CacheMode, _ lines: [String]) -> FreshnessLifetime.Source {
            let message = response(200, lines)
            let directives = CacheControl(response: message.headerFields)
            let rules = HTTPCacheRules(mode: mode)
            return FreshnessLifetime(of: message, cacheControl: directives, rules: rules, responseTime: newYear2026).source
        }
        #expect(source(.shared, lines) == .none)
        #expect(source(.private, lines) == .heuristic)
        #expect(source(.shared, lines + ["Cache-Control: public"]) == .heuristic)
    }

    @Test func knowsWhichLifetimesAreExplicit() {
        let sources: [(FreshnessLifetime.Source, Bool)] = [(.sMaxAge, true), (.maxAge, true), (.expires, true), (.heuristic, false), (.none, false)]
        for (source, isExplicit) in sources {
            #expect(FreshnessLifetime(seconds: 0, source: source).isExplicit == isExplicit)
        }
        #expect(FreshnessLifetime(seconds: -5, source: .maxAge).seconds == 0)
        #expect(FreshnessLifetime(seconds: .max, source: .expires).seconds == DeltaSeconds.maximum)
    }

    @Test(
        arguments: [
            (0.1, 86_400, 8_640), (0.2, 86_400, 17_280), (1, 86_400, 86_400), (5, 86_400, 86_400), (0.1, 60, 60), (0.1, 0, 0), (0, 86_400, 0),
            (-1, 86_400, 0),
            (.nan, 86_400, 0), (.infinity, 86_400, 86_400), (1e300, .max, 2_147_483_648), (0.1, -5, 0),
        ] as [(Double, Int64, Int64)]
    )
    func guessesAsConfigured(fraction: Double, maximum: Int64, seconds: Int64) {
        let message = response(200, Self.dateLine, "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT")
        let rules = HTTPCacheRules(mode: .shared, heuristicFraction: fraction, maximumHeuristicSeconds: maximum)
        let lifetime = FreshnessLifetime(of: message, cacheControl: CacheControl(), rules: rules, responseTime: newYear2026)
        #expect(lifetime == FreshnessLifetime(seconds: seconds, source: .heuristic))
    }
}
