// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension FurtherBehaviourTests {
    /// Methods, keys and variants: RFC 9110 §9, RFC 9111 §2, §3.5, §4.1, §4.4.
    static let selection = #"""
        [{"id": "selection", "tests": [
            {"id": "method-head-is-not-stored-for-get", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "request_method": "HEAD"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "method-head-is-answered-from-get", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "request_method": "HEAD"}
            ]},
            {"id": "method-put-is-not-stored", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "request_method": "PUT",
                 "request_body": "a"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "method-options-is-not-stored", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "request_method": "OPTIONS"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "method-post-without-content-location", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "request_method": "POST",
                 "request_body": "a"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "method-post-other-content-location", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Content-Location", "other"]], "setup": true, "pause_after": true,
                 "request_method": "POST", "request_body": "a", "magic_locations": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "method-post-is-not-answered", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached", "request_method": "POST", "request_body": "a"}
            ]},
            {"id": "method-unknown-is-not-answered", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached", "request_method": "FROBNICATE"}
            ]},
            {"id": "query-different", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "query_arg": "a=1"},
                {"expected_type": "not_cached", "query_arg": "a=2"}
            ]},
            {"id": "query-absent", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "query_arg": "a=1"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "query-order-matters", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "query_arg": "a=1&b=2"},
                {"expected_type": "not_cached", "query_arg": "b=2&a=1"}
            ]},
            {"id": "path-case-matters", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "A"},
                {"expected_type": "not_cached", "filename": "a"}
            ]},
            {"id": "path-escapes-of-letters-are-letters", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "%61"},
                {"expected_type": "cached", "filename": "a"}
            ]},
            {"id": "path-escaped-slash-is-no-slash", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "a%2Fb"},
                {"expected_type": "not_cached", "filename": "a/b"}
            ]},
            {"id": "cookie-does-not-matter", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true,
                 "request_headers": [["Cookie", "a=1"]]},
                {"request_headers": [["Cookie", "a=2"]], "expected_type": "cached"}
            ]},
            {"id": "authorization-s-maxage", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "s-maxage=3600"]], "setup": true, "pause_after": true,
                 "request_headers": [["Authorization", "one"]]},
                {"expected_type": "cached"}
            ]},
            {"id": "authorization-other-credentials", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true,
                 "request_headers": [["Authorization", "one"]]},
                {"request_headers": [["Authorization", "two"]], "expected_type": "not_cached"}
            ]},
            {"id": "vary-omitted", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"expected_type": "not_cached"}
            ]},
            {"id": "vary-both-absent", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true},
                {"expected_type": "cached"}
            ]},
            {"id": "vary-empty-is-not-absent", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", ""]]},
                {"expected_type": "not_cached"}
            ]},
            {"id": "vary-name-case", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "fOO", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"request_headers": [["foo", "1"]], "expected_type": "cached"}
            ]},
            {"id": "vary-value-case", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "a"]]},
                {"request_headers": [["Foo", "A"]], "expected_type": "not_cached"}
            ]},
            {"id": "vary-keeps-variants", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "2"]], "expected_type": "not_cached"},
                {"request_headers": [["Foo", "1"]], "expected_type": "cached"}
            ]},
            {"id": "vary-two-lines", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false], ["Vary", "Bar", false]],
                 "setup": true, "pause_after": true, "request_headers": [["Foo", "1"], ["Bar", "1"]]},
                {"request_headers": [["Foo", "1"], ["Bar", "2"]], "expected_type": "not_cached"}
            ]},
            {"id": "vary-star", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "*", false]], "setup": true, "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "vary-star-in-a-list", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo, *", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"request_headers": [["Foo", "1"]], "expected_type": "not_cached"}
            ]},
            {"id": "vary-star-in-second-line", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false], ["Vary", "*", false]],
                 "setup": true, "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"request_headers": [["Foo", "1"]], "expected_type": "not_cached"}
            ]},
            {"id": "vary-star-behind-empty-members", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", ", ,*", false]], "setup": true,
                 "pause_after": true},
                {"expected_type": "not_cached"}
            ]},
            {"id": "vary-no-field-name", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo Bar", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"request_headers": [["Foo", "1"]], "expected_type": "not_cached"}
            ]},
            {"id": "vary-accept-spaces", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Accept-Encoding", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Accept-Encoding", "gzip, br"]]},
                {"request_headers": [["Accept-Encoding", "gzip ,br"]], "expected_type": "cached"}
            ]},
            {"id": "vary-invalidated-with-all-variants", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Vary", "Foo", false]], "setup": true,
                 "pause_after": true, "request_headers": [["Foo", "2"]]},
                {"setup": true, "pause_after": true, "request_method": "POST", "request_body": "a"},
                {"request_headers": [["Foo", "1"]], "expected_type": "not_cached"}
            ]},
            {"id": "invalidate-PATCH", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "PATCH", "request_body": "a"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "invalidate-FROBNICATE", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "FROBNICATE", "request_body": "a"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "invalidate-MKCOL", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "MKCOL", "request_body": "a"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "invalidate-not-OPTIONS", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "OPTIONS"},
                {"expected_type": "cached"}
            ]},
            {"id": "invalidate-not-TRACE", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "TRACE"},
                {"expected_type": "cached"}
            ]},
            {"id": "invalidate-redirected-post", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "POST", "request_body": "a", "response_status": [303, "See Other"]},
                {"expected_type": "not_cached"}
            ]},
            {"id": "invalidate-not-after-client-error", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
                {"setup": true, "request_method": "POST", "request_body": "a", "response_status": [404, "Not Found"]},
                {"expected_type": "cached"}
            ]},
            {"id": "invalidate-POST-Location", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "t"},
                {"response_headers": [["Location", "t"]], "setup": true, "request_method": "POST", "request_body": "a", "magic_locations": true},
                {"expected_type": "not_cached", "filename": "t"}
            ]},
            {"id": "invalidate-DELETE-Location", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "t"},
                {"response_headers": [["Location", "t"]], "setup": true, "request_method": "DELETE", "magic_locations": true},
                {"expected_type": "not_cached", "filename": "t"}
            ]},
            {"id": "invalidate-failed-PUT-Location", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "t"},
                {"response_headers": [["Location", "t"]], "setup": true, "request_method": "PUT", "request_body": "a",
                 "magic_locations": true, "response_status": [500, "Internal Server Error"]},
                {"expected_type": "cached", "filename": "t"}
            ]},
            {"id": "invalidate-POST-Content-Location", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "t"},
                {"response_headers": [["Content-Location", "t"]], "setup": true, "request_method": "POST", "request_body": "a",
                 "magic_locations": true},
                {"expected_type": "not_cached", "filename": "t"}
            ]},
            {"id": "invalidate-DELETE-Content-Location", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "t"},
                {"response_headers": [["Content-Location", "t"]], "setup": true, "request_method": "DELETE", "magic_locations": true},
                {"expected_type": "not_cached", "filename": "t"}
            ]},
            {"id": "invalidate-failed-PUT-Content-Location", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "filename": "t"},
                {"response_headers": [["Content-Location", "t"]], "setup": true, "request_method": "PUT", "request_body": "a",
                 "magic_locations": true, "response_status": [500, "Internal Server Error"]},
                {"expected_type": "cached", "filename": "t"}
            ]},
            {"id": "invalidate-not-other-queries", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "query_arg": "a=1"},
                {"setup": true, "request_method": "POST", "request_body": "a"},
                {"expected_type": "cached", "query_arg": "a=1"}
            ]},
            {"id": "invalidate-query", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "query_arg": "a=1"},
                {"setup": true, "request_method": "POST", "request_body": "a", "query_arg": "a=1"},
                {"expected_type": "not_cached", "query_arg": "a=1"}
            ]}
        ]}]
        """#
}
