// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

/// Responses that public conformance tests give to a shared cache, each followed by a second request three seconds later.
///
/// The names are those of the project http-tests/cache-tests. Where a test there only asks how a cache behaves,
/// `isReused` is Hoard's own choice: malformed and contradictory lifetimes are taken as stale.
@Suite struct ConformanceRowTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let lines: [String]
        let status: Int
        let isReused: Bool

        init(_ name: String, _ lines: [String], status: Int = 200, isReused: Bool) {
            self.name = name
            self.lines = lines
            self.status = status
            self.isReused = isReused
        }

        var testDescription: String { name }
    }

    @Test(arguments: rows)
    func isReusedIfAndOnlyIfItMayBe(row: Row) {
        let message = response(row.status, row.lines.map { Self.withDates($0) })
        let client = request()
        let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl])
        let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: rules)
        let decision = ReuseDecision(
            request: CacheControl(request: client.headerFields),
            stored: freshness,
            now: newYear2026.addingTimeInterval(3)
        )
        var isFresh = false
        if case .fresh = decision.verdict { isFresh = true }
        let isStorable = Storability(of: message, to: client, freshness: freshness, rules: rules) == .storable
        #expect((isStorable && isFresh) == row.isReused)
    }

    /// `@5` at the end of a line stands for the date five seconds after the response arrived.
    private static func withDates(_ line: String) -> String {
        guard let mark = line.lastIndex(of: "@"), let offset = TimeInterval(line[line.index(after: mark)...]) else { return line }
        return line[..<mark] + HTTPDate(newYear2026.addingTimeInterval(offset)).description
    }

    static let rows: [Row] = [
        // cc-freshness
        .init("freshness-max-age", ["Cache-Control: max-age=3600"], isReused: true),
        .init("freshness-max-age-stale", ["Cache-Control: max-age=2", "Date: @0", "Template-A: 1"], isReused: false),
        .init("freshness-max-age-0", ["Cache-Control: max-age=0"], isReused: false),
        .init("freshness-max-age-max-minus-1", ["Cache-Control: max-age=2147483647"], isReused: true),
        .init("freshness-max-age-max", ["Cache-Control: max-age=2147483648"], isReused: true),
        .init("freshness-max-age-max-plus-1", ["Cache-Control: max-age=2147483649"], isReused: true),
        .init("freshness-max-age-max-plus", ["Cache-Control: max-age=99999999999"], isReused: true),
        .init("freshness-max-age-age", ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200"], isReused: false),
        .init("freshness-max-age-expires", ["Cache-Control: max-age=3600", "Expires: @-7200", "Date: @0"], isReused: true),
        .init("freshness-max-age-expires-invalid", ["Cache-Control: max-age=3600", "Expires: 0", "Date: @0"], isReused: true),
        .init("freshness-max-age-0-expires", ["Expires: @3600", "Cache-Control: max-age=0", "Date: @0"], isReused: false),
        .init("freshness-max-age-extension", ["Cache-Control: foobar, max-age=3600"], isReused: true),
        .init("freshness-s-maxage-shared", ["Cache-Control: s-maxage=3600"], isReused: true),
        .init("freshness-max-age-s-maxage-shared-longer-reversed", ["Cache-Control: s-maxage=1, max-age=3600"], isReused: false),
        .init("freshness-max-age-s-maxage-shared-longer-multiple", ["Cache-Control: max-age=3600", "Cache-Control: s-maxage=1"], isReused: false),
        // cc-parse
        .init("freshness-max-age-two-fresh-stale-sepline", ["Cache-Control: max-age=1800", "Cache-Control: max-age=1"], isReused: false),
        .init("freshness-max-age-two-stale-fresh-sameline", ["Cache-Control: max-age=1, max-age=1800"], isReused: false),
        .init("freshness-max-age-quoted", ["Cache-Control: max-age=\"3600\""], isReused: true),
        .init("freshness-max-age-ignore-quoted", ["Cache-Control: extension=\"max-age=3600\", max-age=1"], isReused: false),
        .init("freshness-max-age-space-before-equals", ["Cache-Control: max-age =3600"], isReused: false),
        .init("freshness-max-age-space-after-equals", ["Cache-Control: max-age= 3600"], isReused: false),
        .init("freshness-max-age-leading-zero", ["Cache-Control: max-age=003600"], isReused: true),
        .init("freshness-max-age-single-quoted", ["Cache-Control: max-age='3600'"], isReused: false),
        .init("freshness-max-age-decimal-zero", ["Cache-Control: max-age=3600.0"], isReused: false),
        .init("freshness-max-age-decimal-five", ["Cache-Control: max-age=3600.5"], isReused: false),
        .init("freshness-max-age-100a", ["Cache-Control: max-age=3600a"], isReused: false),
        // age-parse
        .init("age-parse-negative", ["Date: @0", "Cache-Control: max-age=3600", "Age: -7200"], isReused: true),
        .init("age-parse-float", ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200.0"], isReused: true),
        .init("age-parse-large", ["Date: @0", "Cache-Control: max-age=3600", "Age: 2147483648"], isReused: false),
        .init("age-parse-suffix", ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200, 0"], isReused: false),
        .init("age-parse-suffix-twoline", ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200", "Age: 0"], isReused: false),
        .init("age-parse-prefix-twoline", ["Date: @0", "Cache-Control: max-age=3600", "Age: 0", "Age: 7200"], isReused: true),
        .init("age-parse-dup-0", ["Date: @0", "Cache-Control: max-age=3600", "Age: 0, 0"], isReused: true),
        .init("age-parse-dup-0-twoline", ["Date: @0", "Cache-Control: max-age=3600", "Age: 0", "Age: 0"], isReused: true),
        .init("age-parse-dup-old", ["Date: @0", "Cache-Control: max-age=10000", "Age: 3600", "Age: 3600"], isReused: true),
        .init("age-parse-parameter", ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200;foo=bar"], isReused: false),
        .init("age-parse-numeric-parameter", ["Date: @0", "Cache-Control: max-age=3600", "Age: 7200;foo=111"], isReused: false),
        // expires
        .init("freshness-expires-future", ["Expires: @2592000", "Date: @0"], isReused: true),
        .init("freshness-expires-present", ["Expires: @0", "Date: @0"], isReused: false),
        .init("freshness-expires-old-date", ["Expires: @300", "Date: @400"], isReused: false),
        .init("freshness-expires-invalid", ["Expires: 0", "Date: @0"], isReused: false),
        .init("freshness-expires-invalid-date", ["Date: foo", "Expires: @10"], isReused: true),
        .init("freshness-expires-age-fast-date", ["Date: @10", "Expires: @20", "Age: 15"], isReused: false),
        // expires-parse
        .init("freshness-expires-32bit", ["Expires: Tue, 19 Jan 2038 14:14:08 GMT", "Date: @0"], isReused: true),
        .init("freshness-expires-ansi-c", ["Expires: Thu Aug  8 02:01:18 2050", "Date: @0"], isReused: true),
        .init("freshness-expires-wrong-case-weekday", ["Expires: THU, 18 Aug 2050 02:01:18 GMT", "Date: @0"], isReused: true),
        .init("freshness-expires-wrong-case-month", ["Expires: Thu, 18 AUG 2050 02:01:18 GMT", "Date: @0"], isReused: true),
        .init("freshness-expires-wrong-case-tz", ["Expires: Thu, 18 Aug 2050 02:01:18 gMT", "Date: @0"], isReused: true),
        .init("freshness-expires-invalid-aest", ["Expires: Thu, 18 Aug 2050 02:01:18 AEST", "Date: @0"], isReused: false),
        .init("freshness-expires-invalid-multiple-spaces", ["Expires: Thu, 18  Aug  2050 02:01:18 GMT", "Date: @0"], isReused: false),
        .init("freshness-expires-invalid-date-dashes", ["Expires: Thu, 18-Aug-2050 02:01:18 GMT", "Date: @0"], isReused: false),
        .init("freshness-expires-invalid-time-periods", ["Expires: Thu, 18 Aug 2050 02.01.18 GMT", "Date: @0"], isReused: false),
        .init("freshness-expires-invalid-1-digit-hour", ["Expires: Thu, 18 Aug 2050 2:01:18 GMT", "Date: @0"], isReused: false),
        .init(
            "freshness-expires-invalid-multiple-lines",
            ["Expires: Thu, 18 Aug 2050 2:01:18 GMT", "Expires: Thu, 18 Aug 2050 2:01:19 GMT", "Date: @0"],
            isReused: false
        ),
        // cc-response
        .init("cc-resp-private-shared", ["Cache-Control: private, max-age=3600"], isReused: false),
        .init("cc-resp-no-store", ["Cache-Control: no-store"], isReused: false),
        .init("cc-resp-no-store-fresh", ["Cache-Control: max-age=10000, no-store", "Expires: @10000", "Date: @0"], isReused: false),
        .init("cc-resp-no-cache", ["Cache-Control: max-age=10000, no-cache", "Expires: @10000", "Date: @0"], isReused: false),
        .init("cc-resp-no-cache-case-insensitive", ["Cache-Control: max-age=10000, No-CaChE", "Expires: @10000", "Date: @0"], isReused: false),
        .init("cc-resp-must-revalidate-fresh", ["Cache-Control: max-age=10000, must-revalidate", "ETag: \"abcd\""], isReused: true),
        // heuristic
        .init("heuristic-200-cached", ["Last-Modified: @-86400", "Date: @0"], isReused: true),
        .init("heuristic-201-not_cached", ["Last-Modified: @-86400", "Date: @0"], status: 201, isReused: false),
        .init("heuristic-202-not_cached", ["Last-Modified: @-86400", "Date: @0"], status: 202, isReused: false),
        .init("heuristic-204-cached", ["Last-Modified: @-86400", "Date: @0"], status: 204, isReused: true),
        .init("heuristic-403-not_cached", ["Last-Modified: @-86400", "Date: @0"], status: 403, isReused: false),
        .init("heuristic-404-cached", ["Last-Modified: @-86400", "Date: @0"], status: 404, isReused: true),
        .init("heuristic-405-cached", ["Last-Modified: @-86400", "Date: @0"], status: 405, isReused: true),
        .init("heuristic-410-cached", ["Last-Modified: @-86400", "Date: @0"], status: 410, isReused: true),
        .init("heuristic-501-cached", ["Last-Modified: @-86400", "Date: @0"], status: 501, isReused: true),
        .init("heuristic-503-not_cached", ["Last-Modified: @-86400", "Date: @0"], status: 503, isReused: false),
        .init("heuristic-599-not_cached", ["Last-Modified: @-86400", "Date: @0"], status: 599, isReused: false),
        .init("heuristic-599-cached", ["Last-Modified: @-86400", "Date: @0", "Cache-Control: public"], status: 599, isReused: true),
        // cdn-cache-control
        .init("cdn-max-age", ["CDN-Cache-Control: max-age=10000", "Cache-Control: max-age=1"], isReused: true),
        .init("cdn-max-age-max", ["CDN-Cache-Control: max-age=2147483648", "Cache-Control: max-age=1"], isReused: true),
        .init("cdn-max-age-space-before-equals", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age =100"], isReused: false),
        .init("cdn-max-age-space-after-equals", ["Cache-Control: max-age=1", "CDN-Cache-Control: max-age= 100"], isReused: false),
        .init("cdn-max-age-extension", ["CDN-Cache-Control: foobar, max-age=3600", "Cache-Control: max-age=1"], isReused: true),
        .init("cdn-max-age-expires", ["CDN-Cache-Control: max-age=3600", "Expires: @-7200", "Date: @0"], isReused: true),
        .init("cdn-max-age-0-expires", ["Expires: @3600", "CDN-Cache-Control: max-age=0", "Date: @0"], isReused: false),
        .init("cdn-max-age-short-cc-max-age", ["CDN-Cache-Control: max-age=3600", "Cache-Control: max-age=1"], isReused: true),
        .init("cdn-private", ["CDN-Cache-Control: private", "Cache-Control: max-age=10000", "Expires: @10000", "Date: @0"], isReused: false),
        .init("cdn-no-cache", ["CDN-Cache-Control: no-cache", "Cache-Control: max-age=10000", "Expires: @10000", "Date: @0"], isReused: false),
        .init("cdn-no-store-cc-fresh", ["CDN-Cache-Control: no-store", "Cache-Control: max-age=10000", "Expires: @10000"], isReused: false),
        .init("cdn-fresh-cc-nostore", ["Cache-Control: no-store", "CDN-Cache-Control: max-age=10000"], isReused: true),
        .init("cdn-cc-invalid-sh-type-unknown", ["CDN-Cache-Control: max-age=10000, &&&&&", "Cache-Control: no-store"], isReused: false),
        .init("cdn-cc-invalid-sh-type-wrong", ["CDN-Cache-Control: max-age=\"10000\"", "Cache-Control: no-store"], isReused: false),
        // vary-parse
        .init("vary-syntax-star", ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", "Vary: *"], isReused: false),
        .init(
            "vary-syntax-star-star-lines",
            ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", "Vary: *", "Vary: *"],
            isReused: false
        ),
        .init("vary-syntax-empty-star", ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", "Vary: , *"], isReused: false),
        .init(
            "vary-syntax-empty-star-lines",
            ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", "Vary: ", "Vary: *"],
            isReused: false
        ),
        .init("vary-syntax-star-foo", ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", "Vary: *, Foo"], isReused: false),
        .init("vary-syntax-foo-star", ["Cache-Control: max-age=5000", "Last-Modified: @-3000", "Date: @0", "Vary: Foo, *"], isReused: false),
        .init("other-set-cookie", ["Cache-Control: max-age=100000", "Date: @0", "Set-Cookie: a=b"], isReused: true),
    ]
}
