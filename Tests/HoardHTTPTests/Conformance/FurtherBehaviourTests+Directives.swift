// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension FurtherBehaviourTests {
    /// The directives of requests and responses: RFC 9111 §4.2.4, §5.2, §5.4, RFC 5861, RFC 9213.
    static let directives = #"""
        [{"id": "directives", "tests": [
            {"id": "no-store-case-insensitive", "requests": [
                {"response_headers": [["Cache-Control", "No-StOrE, max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "no-store-in-second-line", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Cache-Control", "no-store"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "no-store-behind-an-open-quote", "requests": [
                {"response_headers": [["Cache-Control", "extension=\"max-age=3600, max-age=3600, no-store"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "no-store-with-an-argument", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600, no-store=false"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "no-store-then-fresh", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "no-store, max-age=3600"]], "setup": true, "pause_after": true},
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "expected_type": "not_cached"},
                {"expected_type": "cached"}
            ]},
            {"id": "no-cache-in-second-line", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Cache-Control", "no-cache"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "stale-close-must-revalidate", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2, must-revalidate"]], "setup": true, "pause_after": true},
                {"disconnect": true, "expected_status": null, "check_body": false,
                 "expected_response_headers_missing": ["server-request-count"]}
            ]},
            {"id": "stale-error-must-revalidate", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2, must-revalidate, stale-if-error=60"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached", "response_status": [503, "Service Unavailable"]}
            ]},
            {"id": "stale-error-window-is-over", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-if-error=1"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached", "response_status": [503, "Service Unavailable"]}
            ]},
            {"id": "stale-error-not-found-is-no-error", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-if-error=60"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached", "response_status": [404, "Not Found"]}
            ]},
            {"id": "stale-error-500", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-if-error=60"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "response_status": [500, "Internal Server Error"], "expected_status": 200}
            ]},
            {"id": "stale-error-502", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-if-error=60"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "response_status": [502, "Bad Gateway"], "expected_status": 200}
            ]},
            {"id": "stale-error-504", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-if-error=60"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "response_status": [504, "Gateway Timeout"], "expected_status": 200}
            ]},
            {"id": "stale-error-asked-by-the-client", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "stale-if-error=60"]], "expected_type": "cached",
                 "response_status": [503, "Service Unavailable"], "expected_status": 200}
            ]},
            {"id": "stale-while-revalidate-must-revalidate", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-while-revalidate=3600, must-revalidate"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "stale-while-revalidate-no-cache", "requests": [
                {"response_headers": [["Cache-Control", "no-cache, max-age=1, stale-while-revalidate=3600"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "stale-while-revalidate-over", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-while-revalidate=1"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "stale-while-revalidate-malformed", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-while-revalidate=1h"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "stale-while-revalidate-not-if-the-client-forbids", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-while-revalidate=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "no-cache"]], "expected_type": "not_cached"}
            ]},
            {"id": "stale-while-revalidate-refreshes", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, stale-while-revalidate=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "response_headers": [["Cache-Control", "max-age=3600", false]], "setup": true},
                {"expected_response_headers": [["client-request-count", "2"]], "check_body": false}
            ]},
            {"id": "request-max-age-below-age", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-age=1"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-max-age-above-age", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-age=100"]], "expected_type": "cached"}
            ]},
            {"id": "request-min-fresh-aged", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1000"], ["Age", "500"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "min-fresh=1000"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-min-fresh-enough", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1000"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "min-fresh=10"]], "expected_type": "cached"}
            ]},
            {"id": "request-no-cache", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "no-cache"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-max-stale-exceeded", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-stale=1"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-max-stale-malformed", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-stale=many"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-max-stale-unlimited", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-stale"]], "expected_type": "cached"}
            ]},
            {"id": "request-max-stale-must-revalidate", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, must-revalidate"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-stale=100"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-max-stale-no-cache", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1, no-cache"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "max-stale=100"]], "expected_type": "not_cached"}
            ]},
            {"id": "request-only-if-cached-fresh", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "only-if-cached"]], "expected_type": "cached"}
            ]},
            {"id": "request-only-if-cached-stale", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=1"]], "setup": true, "pause_after": true},
                {"request_headers": [["Cache-Control", "only-if-cached"]], "expected_status": 504, "check_body": false}
            ]},
            {"id": "request-no-store-is-not-stored", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true,
                 "request_headers": [["Cache-Control", "no-store"]]},
                {"expected_type": "not_cached"}
            ]},
            {"id": "pragma-no-cache-in-request", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Pragma", "no-cache"]], "expected_type": "not_cached"}
            ]},
            {"id": "pragma-beside-cache-control", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"request_headers": [["Pragma", "no-cache"], ["Cache-Control", "max-age=100"]], "expected_type": "cached"}
            ]},
            {"id": "pragma-no-cache-in-response", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Pragma", "no-cache"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "cdn-no-max-age-over-cache-control", "requests": [
                {"response_headers": [["CDN-Cache-Control", "max-age=0", false], ["Cache-Control", "max-age=3600"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "cdn-aged", "requests": [
                {"response_headers": [["CDN-Cache-Control", "max-age=3600", false], ["Age", "7200"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "cdn-parameter", "kind": "optimal", "requests": [
                {"response_headers": [["CDN-Cache-Control", "max-age=3600;source=test", false], ["Cache-Control", "max-age=1"]],
                 "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "cdn-empty-is-absent", "kind": "optimal", "requests": [
                {"response_headers": [["CDN-Cache-Control", "", false], ["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "cdn-no-store-over-max-age", "requests": [
                {"response_headers": [["CDN-Cache-Control", "no-store", false], ["Cache-Control", "max-age=3600"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "cdn-hides-expires", "requests": [
                {"response_headers": [["CDN-Cache-Control", "max-age=1", false], ["Expires", 3600], ["Date", 0]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]}
        ]}]
        """#
}
