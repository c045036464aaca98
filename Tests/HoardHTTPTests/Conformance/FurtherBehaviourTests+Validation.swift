// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension FurtherBehaviourTests {
    /// Conditional requests, and the stored responses that their answers update: RFC 9110
    /// §13, RFC 9111 §3.1, §3.2, §4.3.
    static let validation = #"""
        [{"id": "validation", "tests": [
            {"id": "conditional-lm-older-condition", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Last-Modified", -3000]], "setup": true,
                 "pause_after": true},
                {"request_headers": [["If-Modified-Since", -5000]], "expected_type": "cached", "magic_ims": true, "expected_status": 200}
            ]},
            {"id": "conditional-lm-invalid-date", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Last-Modified", -3000]], "setup": true,
                 "pause_after": true},
                {"request_headers": [["If-Modified-Since", "yesterday"]], "expected_type": "cached", "expected_status": 200}
            ]},
            {"id": "conditional-inm-no-match", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "\"ghi\""]], "expected_type": "cached", "expected_status": 200}
            ]},
            {"id": "conditional-inm-star", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "*"]], "expected_type": "cached", "expected_status": 304}
            ]},
            {"id": "conditional-inm-weak-comparison", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "W/\"abcdef\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "\"abcdef\""]], "expected_type": "cached", "expected_status": 304}
            ]},
            {"id": "conditional-inm-comma-in-tag", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a,b\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "\"x\", \"a,b\""]], "expected_type": "cached", "expected_status": 304}
            ]},
            {"id": "conditional-inm-part-of-a-tag", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"b\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "\"a,b\""]], "expected_type": "cached", "expected_status": 200}
            ]},
            {"id": "conditional-inm-over-ims", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["Last-Modified", -3000], ["ETag", "\"abcdef\""]],
                 "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "\"ghi\""], ["If-Modified-Since", -3000]], "expected_type": "cached",
                 "magic_ims": true, "expected_status": 200}
            ]},
            {"id": "conditional-inm-several-lines", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-None-Match", "\"x\""], ["If-None-Match", "\"abcdef\""]], "expected_type": "cached",
                 "expected_status": 304}
            ]},
            {"id": "conditional-304-carries-its-fields", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["ETag", "\"abcdef\""], ["Vary", "Foo"],
                     ["Content-Location", "/x"], ["Expires", 3600]], "setup": true, "pause_after": true, "request_headers": [["Foo", "1"]]},
                {"request_headers": [["Foo", "1"], ["If-None-Match", "\"abcdef\""]], "expected_type": "cached", "expected_status": 304,
                 "expected_response_headers": ["ETag", "Date", "Vary", "Content-Location", "Expires", "Cache-Control"]}
            ]},
            {"id": "conditional-lm-generate", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["Last-Modified", -3000]], "setup": true,
                 "pause_after": true},
                {"expected_type": "lm_validated", "expected_request_headers": ["If-Modified-Since"]}
            ]},
            {"id": "conditional-both-generated", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT"],
                     ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"expected_type": "etag_validated", "expected_request_headers": ["If-None-Match", "If-Modified-Since"]}
            ]},
            {"id": "conditional-new-response-replaces", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"new\""], ["Test-Header", "2"]], "setup": true,
                 "pause_after": true, "expected_type": "not_cached", "expected_request_headers": [["If-None-Match", "\"abcdef\""]]},
                {"expected_type": "cached", "expected_response_headers": [["ETag", "\"new\""], ["Test-Header", "2"]]}
            ]},
            {"id": "conditional-304-extends-the-lifetime", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true,
                 "expected_type": "etag_validated"},
                {"expected_type": "cached", "expected_response_headers": [["Cache-Control", "max-age=3600"]]}
            ]},
            {"id": "conditional-304-keeps-the-length", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""]], "setup": true,
                 "pause_after": true, "response_body": "0123456789"},
                {"expected_type": "etag_validated",
                 "response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""], ["Content-Length", "3", false]],
                 "setup_tests": ["expected_type"], "expected_response_text": "0123456789",
                 "expected_response_headers": [["Content-Length", "10"]]}
            ]},
            {"id": "conditional-304-keeps-the-coding", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""], ["Content-Encoding", "x-test"]],
                 "setup": true, "pause_after": true},
                {"expected_type": "etag_validated",
                 "response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""],
                     ["Content-Encoding", "gzip", false]], "setup_tests": ["expected_type"],
                 "expected_response_headers": [["Content-Encoding", "x-test"]]}
            ]},
            {"id": "conditional-304-restarts-the-age", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""], ["Age", "1"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "etag_validated",
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Date", 0], ["ETag", "\"abcdef\""]],
                 "setup_tests": ["expected_type"], "pause_after": true, "setup": true},
                {"expected_type": "cached", "expected_response_headers": [["Age", "3"]]}
            ]},
            {"id": "conditional-failed-validation-of-a-client", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"request_headers": [["If-Match", "\"other\""]], "expected_type": "not_cached", "response_status": [412, "Precondition Failed"]}
            ]},
            {"id": "head-other-tag-makes-stale", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"new\""]], "setup": true, "pause_after": true,
                 "request_method": "HEAD"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "head-other-length-makes-stale", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0]], "setup": true, "pause_after": true},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Content-Length", "3", false]], "setup": true, "pause_after": true,
                 "request_method": "HEAD"},
                {"expected_type": "not_cached"}
            ]},
            {"id": "head-same-tag-freshens", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=2"], ["Date", 0], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true},
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""], ["Test-Header", "2"]], "setup": true,
                 "pause_after": true, "request_method": "HEAD"},
                {"expected_type": "cached", "expected_response_headers": [["Test-Header", "2"]]}
            ]},
            {"id": "headers-store-Strict-Transport-Security", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Strict-Transport-Security", "max-age=1"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Strict-Transport-Security", "max-age=1"]],
                 "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-Link", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Link", "</x>; rel=preload"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Link", "</x>; rel=preload"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-Server-Timing", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Server-Timing", "a;dur=1"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Server-Timing", "a;dur=1"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-Alt-Svc", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Alt-Svc", "h2=\":443\""]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Alt-Svc", "h2=\":443\""]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-Warning", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Warning", "199 - \"x\""]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Warning", "199 - \"x\""]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-Content-Language", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Content-Language", "de"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Content-Language", "de"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-Vary", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Vary", "Foo"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Vary", "Foo"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-store-X-Cache", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["X-Cache", "HIT"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["X-Cache", "HIT"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-omit-Upgrade", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Upgrade", "test", false]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers_missing": [["Upgrade", "test"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-omit-Trailer", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Trailer", "test", false]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers_missing": [["Trailer", "test"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-omit-Proxy-Authentication-Info", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Proxy-Authentication-Info", "test", false]], "setup": true,
                 "pause_after": true},
                {"expected_type": "cached", "expected_response_headers_missing": [["Proxy-Authentication-Info", "test"]],
                 "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-omit-connection-options", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Connection", "close, X-Hop", false], ["X-Hop", "1", false],
                     ["X-End", "1"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["X-End", "1"]], "expected_response_headers_missing": ["X-Hop"],
                 "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-repeated-lines", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Set-Cookie", "a=1, b=2"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-bytes", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Test-Header", "\u00e4\u00ff"]], "setup": true, "pause_after": true},
                {"expected_type": "cached", "expected_response_headers": [["Test-Header", "\u00e4\u00ff"]], "setup_tests": ["expected_type"]}
            ]},
            {"id": "headers-no-cache-fields", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600, no-cache=\"Test-Header\""], ["Test-Header", "1"]], "setup": true,
                 "pause_after": true},
                {"expected_type": "cached", "expected_response_headers_missing": ["Test-Header"], "setup_tests": ["expected_type"]}
            ]},
            {"id": "interim-102-and-103", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true,
                 "interim_responses": [[102, []], [103, [["Link", "</a>; rel=preload"]]]],
                 "expected_interim_responses": [[102, []], [103, [["Link", "</a>; rel=preload"]]]]},
                {"expected_type": "cached", "expected_interim_responses": []}
            ]}
        ]}]
        """#
}
