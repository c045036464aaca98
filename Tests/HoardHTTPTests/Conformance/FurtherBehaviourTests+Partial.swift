// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension FurtherBehaviourTests {
    /// Ranges of stored responses, and parts: RFC 9110 §14, §13.1.5, §15.3.7, RFC 9111 §3.3, §3.4.
    static let partial = #"""
        [{"id": "partial", "tests": [
            {"id": "part-reused-same", "kind": "optimal", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"request_headers": [["Range", "bytes=5-9"]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "56789"}
            ]},
            {"id": "part-reused-inner", "kind": "optimal", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"request_headers": [["Range", "bytes=6-8"]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "678"}
            ]},
            {"id": "part-reused-rest", "kind": "optimal", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"request_headers": [["Range", "bytes=7-"]], "expected_type": "cached", "expected_status": 206, "expected_response_text": "789"}
            ]},
            {"id": "part-reused-suffix", "kind": "optimal", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"request_headers": [["Range", "bytes=-3"]], "expected_type": "cached", "expected_status": 206, "expected_response_text": "789"}
            ]},
            {"id": "part-not-for-other-ranges", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 0-4/10", false]], "response_body": "01234",
                 "request_headers": [["Range", "bytes=0-4"]], "expected_type": "not_cached", "expected_status": 206,
                 "expected_response_text": "01234"}
            ]},
            {"id": "part-not-for-overlapping-ranges", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 3-7/10", false]], "response_body": "34567",
                 "request_headers": [["Range", "bytes=3-7"]], "expected_type": "not_cached", "expected_status": 206,
                 "expected_response_text": "34567"}
            ]},
            {"id": "part-not-for-whole", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"expected_type": "not_cached", "response_body": "0123456789", "response_headers": [["Cache-Control", "max-age=3600"]],
                 "expected_status": 200, "expected_request_headers_missing": ["Range"]}
            ]},
            {"id": "part-with-weak-tag-not-completed", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "W/\"a\""], ["Content-Range", "bytes 5-9/10", false]],
                 "response_body": "56789", "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"expected_type": "not_cached", "response_body": "0123456789", "response_headers": [["Cache-Control", "max-age=3600"]],
                 "expected_status": 200, "expected_request_headers_missing": ["Range"]}
            ]},
            {"id": "part-completed", "kind": "optimal", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 5-9/10", false]],
                 "response_body": "56789", "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 0-4/10", false]],
                 "response_body": "01234", "expected_status": 200, "expected_response_text": "0123456789",
                 "expected_request_headers": [["Range", "bytes=0-4"], ["If-Range", "\"a\""]]}
            ]},
            {"id": "part-completed-is-stored", "kind": "optimal", "depends_on": ["part-completed"], "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 5-9/10", false]],
                 "response_body": "56789", "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 0-4/10", false]],
                 "response_body": "01234", "expected_status": 200, "expected_response_text": "0123456789", "setup": true},
                {"expected_type": "cached", "expected_status": 200, "expected_response_text": "0123456789",
                 "expected_response_headers_missing": ["Content-Range"]}
            ]},
            {"id": "part-superseded-while-completed", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 5-9/10", false]],
                 "response_body": "56789", "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"expected_type": "not_cached", "response_body": "new",
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"b\""]], "expected_status": 200}
            ]},
            {"id": "parts-combined", "kind": "optimal", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 5-9/10", false]],
                 "response_body": "56789", "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 0-4/10", false]],
                 "response_body": "01234", "request_headers": [["Range", "bytes=0-4"]], "setup": true, "expected_response_text": "01234"},
                {"expected_type": "cached", "expected_status": 200, "expected_response_text": "0123456789"}
            ]},
            {"id": "parts-of-different-tags-not-combined", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""], ["Content-Range", "bytes 5-9/10", false]],
                 "response_body": "56789", "request_headers": [["Range", "bytes=5-9"]], "setup": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"b\""], ["Content-Range", "bytes 0-4/10", false]],
                 "response_body": "abcde", "request_headers": [["Range", "bytes=0-4"]], "setup": true, "expected_response_text": "abcde"},
                {"expected_type": "not_cached", "response_body": "whole", "expected_status": 200,
                 "response_headers": [["Cache-Control", "max-age=3600"]]}
            ]},
            {"id": "part-stale-not-reused", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=2"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "56789",
                 "request_headers": [["Range", "bytes=5-9"]], "setup": true, "pause_after": true, "expected_response_text": "56789"},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 5-9/10", false]], "response_body": "fghij",
                 "request_headers": [["Range", "bytes=5-9"]], "expected_type": "not_cached", "expected_response_text": "fghij"}
            ]},
            {"id": "part-with-wrong-length-not-reused", "requests": [
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 4-9/10", false]], "response_body": "01234",
                 "request_headers": [["Range", "bytes=4-9"]], "setup": true, "check_body": false},
                {"response_status": [206, "Partial Content"],
                 "response_headers": [["Cache-Control", "max-age=3600"], ["Content-Range", "bytes 4-9/10", false]], "response_body": "456789",
                 "request_headers": [["Range", "bytes=4-9"]], "expected_type": "not_cached", "expected_response_text": "456789"}
            ]},
            {"id": "range-of-whole-first", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-0"]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "0", "expected_response_headers": ["Content-Range"]}
            ]},
            {"id": "range-of-whole-last", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=-1"]], "expected_type": "cached", "expected_status": 206, "expected_response_text": "9",
                 "expected_response_headers": ["Content-Range"]}
            ]},
            {"id": "range-of-whole-beyond", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=8-100"]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "89", "expected_response_headers": ["Content-Range"]}
            ]},
            {"id": "range-of-whole-all", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-"]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "0123456789", "expected_response_headers": ["Content-Range"]}
            ]},
            {"id": "range-of-whole-long-suffix", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=-100"]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "0123456789", "expected_response_headers": ["Content-Range"]}
            ]},
            {"id": "range-of-whole-numbers", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=2-4"]], "expected_type": "cached", "setup_tests": ["expected_type"],
                 "expected_status": 206, "expected_response_text": "234",
                 "expected_response_headers": [["Content-Range", "bytes 2-4/10"], ["Content-Length", "3"]]}
            ]},
            {"id": "range-unsatisfiable", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=10-"]], "expected_status": 416, "check_body": false,
                 "expected_response_headers": [["Content-Range", "bytes */10"]]}
            ]},
            {"id": "range-of-several-parts", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true,

                     "response_body": "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"},
                {"request_headers": [["Range", "bytes=0-1,110-119"]], "expected_type": "cached", "expected_status": 206, "check_body": false,
                 "expected_response_headers_missing": ["Content-Range"]}
            ]},
            {"id": "range-ignored-unit", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "lines=1-2"]], "expected_type": "cached", "expected_status": 200,
                 "expected_response_text": "0123456789"}
            ]},
            {"id": "range-ignored-syntax", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=a-b"]], "expected_type": "cached", "expected_status": 200,
                 "expected_response_text": "0123456789"}
            ]},
            {"id": "range-ignored-reversed", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=5-2"]], "expected_type": "cached", "expected_status": 200,
                 "expected_response_text": "0123456789"}
            ]},
            {"id": "range-ignored-empty", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes="]], "expected_type": "cached", "expected_status": 200,
                 "expected_response_text": "0123456789"}
            ]},
            {"id": "range-if-range-match", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true,
                 "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-1"], ["If-Range", "\"abcdef\""]], "expected_type": "cached", "expected_status": 206,
                 "expected_response_text": "01"}
            ]},
            {"id": "range-if-range-mismatch", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true,
                 "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-1"], ["If-Range", "\"other\""]], "response_body": "0123456789",
                 "expected_status": 200, "expected_response_text": "0123456789"}
            ]},
            {"id": "range-if-range-weak", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "W/\"abcdef\""]], "setup": true, "pause_after": true,
                 "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-1"], ["If-Range", "W/\"abcdef\""]], "response_body": "0123456789",
                 "expected_status": 200, "expected_response_text": "0123456789"}
            ]},
            {"id": "range-condition-first", "kind": "optimal", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"abcdef\""]], "setup": true, "pause_after": true,
                 "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-1"], ["If-None-Match", "\"abcdef\""]], "expected_type": "cached",
                 "expected_status": 304}
            ]},
            {"id": "range-head-has-no-content", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true, "response_body": "0123456789"},
                {"request_headers": [["Range", "bytes=0-1"]], "request_method": "HEAD", "expected_status": 200}
            ]},
            {"id": "range-multipart-not-combined", "requests": [
                {"response_headers": [["Cache-Control", "max-age=3600"], ["Content-Type", "multipart/byteranges; boundary=x"]], "setup": true,
                 "pause_after": true, "response_status": [206, "Partial Content"], "response_body": "--x--",
                 "request_headers": [["Range", "bytes=0-1,3-4"]], "expected_response_text": "--x--"},
                {"expected_type": "not_cached", "response_body": "0123456789", "expected_status": 200}
            ]}
        ]}]
        """#
}
