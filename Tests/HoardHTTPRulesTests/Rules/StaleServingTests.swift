// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct StaleServingTests {
    private let rules = HTTPCacheRules(mode: .shared, staleIfUnreachable: 100)

    /// Decides about a response received at the start of 2026 whose lifetime is 10 s, `age` seconds later.
    private func decide(_ directives: String, age: TimeInterval, client: [String] = [], mode: CacheMode = .shared) -> ReuseDecision {
        let message = response(200, "Cache-Control: max-age=10\(directives.isEmpty ? "" : ", " + directives)")
        let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: HTTPCacheRules(mode: mode))
        return ReuseDecision(request: CacheControl(request: fields(client)), stored: freshness, now: newYear2026.addingTimeInterval(age))
    }

    private func beforeAsking(_ directives: String, age: TimeInterval, _ client: String..., mode: CacheMode = .shared) -> StaleServing {
        .beforeAsking(decide(directives, age: age, client: client, mode: mode))
    }

    private func afterError(_ directives: String, age: TimeInterval, _ client: String..., status: Int = 503) -> StaleServing {
        .afterError(status: status, decide(directives, age: age, client: client))
    }

    private func whenUnreachable(_ directives: String, age: TimeInterval, _ client: String..., mode: CacheMode = .shared) -> StaleServing {
        .whenUnreachable(decide(directives, age: age, client: client, mode: mode), rules: rules)
    }

    @Test(
        arguments: [
            ("max-stale", 1e6, true), ("max-stale=5", 15, true), ("max-stale=5", 15.001, false), ("max-stale=0", 10, true),
            ("max-stale=0", 10.5, false),
            ("max-stale=junk", 11, false), ("max-stale=-1", 11, false), ("max-stale=5, max-stale=6", 11, false), ("max-stale=\"5\"", 12, true),
            ("max-stale=99999999999", 1e6, true),
        ] as [(String, TimeInterval, Bool)]
    )
    func obeysMaxStale(directive: String, age: TimeInterval, isPermitted: Bool) {
        #expect(beforeAsking("", age: age, "Cache-Control: \(directive)") == (isPermitted ? .permitted(.maxStale) : .notPermitted))
    }

    @Test func combinesMaxStaleWithWhatElseTheClientWants() {
        #expect(beforeAsking("", age: 12, "Cache-Control: max-stale, no-cache") == .notPermitted)
        #expect(beforeAsking("", age: 12, "Cache-Control: max-stale, min-fresh=1") == .notPermitted)
        #expect(beforeAsking("", age: 12, "Cache-Control: max-stale, max-age=11") == .notPermitted)
        #expect(beforeAsking("", age: 12, "Cache-Control: max-stale, max-age=12") == .permitted(.maxStale))
        #expect(beforeAsking("", age: 12) == .notPermitted)
    }

    @Test func endsStaleWhileRevalidateWithItsLastSecond() {
        #expect(beforeAsking("stale-while-revalidate=5", age: 10) == .permitted(.staleWhileRevalidate))
        #expect(beforeAsking("stale-while-revalidate=5", age: 14.999) == .permitted(.staleWhileRevalidate))
        #expect(beforeAsking("stale-while-revalidate=5", age: 15) == .notPermitted)
        #expect(beforeAsking("stale-while-revalidate=0", age: 10) == .notPermitted)
        #expect(beforeAsking("stale-while-revalidate", age: 11) == .notPermitted)
        #expect(beforeAsking("stale-while-revalidate=x", age: 11) == .notPermitted)
        #expect(beforeAsking("stale-if-error=100", age: 11) == .notPermitted)
    }

    @Test(arguments: ["no-cache", "max-age=0", "max-age=100", "min-fresh=0", "min-fresh=x"])
    func servesNobodyAStaleResponseWhoWantsABetterOne(directive: String) {
        #expect(beforeAsking("stale-while-revalidate=500", age: 12, "Cache-Control: \(directive)") == .notPermitted)
        #expect(whenUnreachable("", age: 12, "Cache-Control: \(directive)") == .notPermitted)
    }

    @Test(
        arguments: [
            ("no-cache", .shared, .noCache), ("no-cache", .private, .noCache), ("must-revalidate", .shared, .mustRevalidate),
            ("must-revalidate", .private, .mustRevalidate), ("proxy-revalidate", .shared, .proxyRevalidate), ("proxy-revalidate", .private, nil),
            ("s-maxage=10", .shared, .sharedMaxAge), ("s-maxage=10", .private, nil), ("public", .shared, nil),
        ] as [(String, CacheMode, StaleProhibition?)]
    )
    func putsProhibitionsAbovePermissions(directive: String, mode: CacheMode, prohibition: StaleProhibition?) {
        let directives = "\(directive), stale-while-revalidate=100, stale-if-error=100"
        func expected(_ permission: StalePermission) -> StaleServing { prohibition.map { .prohibited($0) } ?? .permitted(permission) }
        #expect(beforeAsking(directives, age: 12, "Cache-Control: max-stale", mode: mode) == expected(.maxStale))
        #expect(beforeAsking(directives, age: 12, mode: mode) == expected(.staleWhileRevalidate))
        #expect(whenUnreachable(directives, age: 12, "Cache-Control: stale-if-error=50", mode: mode) == expected(.staleIfError))
        #expect(whenUnreachable(directive, age: 12, mode: mode) == expected(.unreachable))
    }

    @Test(arguments: [500, 502, 503, 504])
    func servesStaleAfterTheErrorsMeant(status: Int) {
        #expect(afterError("stale-if-error=5", age: 12, status: status) == .permitted(.staleIfError))
        #expect(afterError("stale-if-error=5", age: 15, status: status) == .notPermitted)
        #expect(afterError("", age: 12, status: status) == .notPermitted)
        #expect(afterError("stale-if-error=1", age: 12, "Cache-Control: stale-if-error=5", status: status) == .permitted(.staleIfError))
        #expect(afterError("", age: 12, "Cache-Control: stale-if-error=5", status: status) == .permitted(.staleIfError))
        #expect(afterError("must-revalidate, stale-if-error=5", age: 12, status: status) == .prohibited(.mustRevalidate))
    }

    @Test(arguments: [200, 304, 400, 404, 410, 429, 501, 505, 507, 511, 599])
    func passesOtherStatusesOn(status: Int) {
        #expect(afterError("stale-if-error=5", age: 12, "Cache-Control: stale-if-error=5", status: status) == .notPermitted)
    }

    @Test func servesStaleIfErrorOnAReloadUnlessTheClientInsists() {
        #expect(afterError("stale-if-error=5", age: 12, "Cache-Control: max-age=0") == .permitted(.staleIfError))
        #expect(afterError("stale-if-error=5", age: 12, "Cache-Control: no-cache") == .notPermitted)
        #expect(afterError("stale-if-error=5", age: 12, "Pragma: no-cache") == .notPermitted)
        #expect(afterError("", age: 12, "Cache-Control: no-cache, stale-if-error=5") == .permitted(.staleIfError))
        // While the response is fresh, nothing but no-cache forbids to serve it.
        #expect(afterError("must-revalidate, stale-if-error=5", age: 2, "Cache-Control: max-age=0") == .permitted(.staleIfError))
        #expect(afterError("no-cache, stale-if-error=5", age: 2) == .prohibited(.noCache))
    }

    @Test func standsInForAnOriginThatIsAwayForAsLongAsConfigured() {
        #expect(whenUnreachable("", age: 10) == .permitted(.unreachable))
        #expect(whenUnreachable("", age: 109.9) == .permitted(.unreachable))
        #expect(whenUnreachable("", age: 110) == .notPermitted)
        #expect(whenUnreachable("stale-if-error=5", age: 12) == .permitted(.staleIfError))
        // An origin that says how long a stale answer will do says that it will not do for longer.
        #expect(whenUnreachable("stale-if-error=5", age: 20) == .notPermitted)
        #expect(whenUnreachable("stale-if-error=0", age: 12) == .notPermitted)
        #expect(StaleServing.whenUnreachable(decide("", age: 12), rules: HTTPCacheRules(mode: .shared)) == .notPermitted)
        // The allowance is not for errors that the origin reports itself.
        #expect(afterError("", age: 12) == .notPermitted)
    }

    @Test func explainsItself() {
        for permission in StalePermission.allCases {
            #expect(permission.section.hasPrefix("RFC "))
            #expect(permission.explanation.hasSuffix("."))
            #expect(CacheStatus(cacheName: "c", .hit, detail: permission.token).fieldValue == "c; hit; detail=\(permission.token)")
        }
        #expect(Set(StalePermission.allCases.map(\.token)).count == StalePermission.allCases.count)
        for prohibition in StaleProhibition.allCases {
            #expect(prohibition.section.hasPrefix("RFC 9111 §5.2.2."))
            #expect(prohibition.explanation.contains(prohibition.token))
        }
        #expect(Set(StaleProhibition.allCases.map(\.section)).count == StaleProhibition.allCases.count)
    }
}
