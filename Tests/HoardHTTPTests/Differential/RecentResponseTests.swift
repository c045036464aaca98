// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// A difference that ``DifferentialTests`` has found, as small as it can be.
@Suite struct RecentResponseTests {
    /// RFC 9111 §4: "When more than one suitable response is stored, a cache MUST use the most recent
    /// one (as determined by the Date header field)."
    ///
    /// The first response, whose Date lies ahead, stays for requests without a language. It is suitable
    /// for the third request too, and the more recent one by Date, but the second is used: it came last.
    @Test func ofTwoThatSuitTheOneWithTheLaterDateIsUsed() async throws {
        let start = 1_767_225_600
        let harness = CacheHarness { request in
            // Between its answers, the origin's clock has been put back.
            request.head.headerFields[.ifNoneMatch] == nil
                ? .text("one", fields: [.cacheControl: "max-age=10", .vary: "X-Tone", .date: PlainDate.text(start + 100), .eTag: "\"1\""])
                : .text("two", fields: [.cacheControl: "max-age=60", .vary: "X-Tone, Accept-Language", .date: PlainDate.text(start + 20)])
        }
        try await harness.get("/a", [.acceptLanguage: "sv"])
        harness.time.advance(seconds: 20)
        let second = try await harness.get("/a", [.acceptLanguage: "sv"])
        #expect(second.text == "two")
        // The first is still there.
        let other = try await harness.get("/a", [.cacheControl: "max-stale"])
        #expect(other.text == "one")
        #expect(harness.requestCount == 2)
        let third = try await harness.get("/a", [.acceptLanguage: "sv", .cacheControl: "max-stale"])
        withKnownIssue("Of stored responses, the one that came last is used.") {
            #expect(third.text == "one")
        }
    }
}
