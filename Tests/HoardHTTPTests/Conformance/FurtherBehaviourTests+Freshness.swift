// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension FurtherBehaviourTests {
    /// Lifetimes, ages and dates: RFC 9111 §4.2, §5.1, §5.3.
    static let freshness = #"""
        [{"id": "freshness", "tests": [
            {"id": "freshness-max-age-case-insensitive", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "MaX-aGe=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "freshness-max-age-negative", "requests": [
                {"response_headers": [["Cache-Control", "max-age=-3600"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-max-age-empty", "requests": [
                {"response_headers": [["Cache-Control", "max-age="]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-max-age-bare", "requests": [
                {"response_headers": [["Cache-Control", "max-age"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-max-age-a100", "requests": [
                {"response_headers": [["Cache-Control", "max-age=a3600"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-max-age-ignore-quoted-last", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, extension=\"max-age=3600\""]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-max-age-repeated", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "freshness-max-age-two-fresh-stale-same-line", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1800, max-age=1"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-max-age-two-stale-fresh-two-lines", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1"], ["Cache-Control", "max-age=1800"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-s-maxage-shorter", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600, s-maxage=1"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-s-maxage-longer", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, s-maxage=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "freshness-s-maxage-longer-expires", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "s-maxage=3600"], ["Expires", -10], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "freshness-immutable", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600, immutable"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "freshness-immutable-stale", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2, immutable"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "freshness-immutable-alone", "requests": [
                {"response_headers": [["Cache-Control", "immutable"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "age-non-numeric", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "abc"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "age-large-minus-one", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "2147483647"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "age-larger", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "99999999999999999999"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "age-first-of-a-list", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "0, 7200"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "age-leading-zeros", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "0007200"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "age-exactly-the-lifetime", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "3597"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "age-just-below-the-lifetime", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "3596"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "age-of-an-old-date", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", -7200]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "age-of-a-future-date", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 7200]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "expires-past", "requests": [
                {"response_headers": [["Expires", -3600], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-age-slow-date", "requests": [
                {"response_headers": [["Expires", 10], ["Date", -10], ["Age", "25"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-counts-from-date", "requests": [
                {"response_headers": [["Expires", 2], ["Date", -1]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-rfc850", "kind": "optimal", "requests": [
                {"response_headers": [["Expires", 3600], ["Date", 0]], "setup": true, "pause_after": true, "rfc850date": ["expires"]},
                {"expected_type": "cached"}
            ]},
            {"id": "expires-far-future", "kind": "optimal", "requests": [
                {"response_headers": [["Expires", "Sun, 21 Nov 2286 04:46:39 GMT"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "expires-no-comma", "requests": [
                {"response_headers": [["Expires", "Thu 18 Aug 2050 02:01:18 GMT"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-utc", "requests": [
                {"response_headers": [["Expires", "Thu, 18 Aug 2050 02:01:18 UTC"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-two-digit-year", "requests": [
                {"response_headers": [["Expires", "Thu, 18 Aug 50 02:01:18 GMT"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-no-such-day", "requests": [
                {"response_headers": [["Expires", "Thu, 31 Feb 2050 02:01:18 GMT"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-empty", "requests": [
                {"response_headers": [["Expires", "", false], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "expires-minus-one", "requests": [
                {"response_headers": [["Expires", "-1"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "heuristic-a-tenth-old", "kind": "optimal", "requests": [
                {"response_headers": [["Last-Modified", -100], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "heuristic-just-modified", "requests": [
                {"response_headers": [["Last-Modified", -10], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "heuristic-modified-in-future", "requests": [
                {"response_headers": [["Last-Modified", 100], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "heuristic-not-with-invalid-expires", "requests": [
                {"response_headers": [["Last-Modified", -100000], ["Expires", "0"], ["Date", 0]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "heuristic-not-with-stale-max-age", "requests": [
                {"response_headers": [["Last-Modified", -100000], ["Cache-Control", "max-age=1"], ["Date", 0]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "must-understand-known-status", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "no-store, must-understand, max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]}
        ]}]
        """#
}
