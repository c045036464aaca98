// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport

extension DecisionScenario {
    private static let fresh = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10")
    private static let noCache = StoredResponse.test(200, "Cache-Control: max-age=60, no-cache", "ETag: \"1\"")
    private static let bare = StoredResponse.test(200, "Cache-Control: max-age=60")
    private static let part = StoredResponse.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Length: 10", parts: [0..<4])
    private static let lenient = StoredResponse.test(200, "Cache-Control: max-age=60, stale-if-error=1000", "ETag: \"1\"")
    private static let revalidating = StoredResponse.test(200, "Cache-Control: max-age=60, stale-while-revalidate=1000", "ETag: \"1\"")
    private static let strict = StoredResponse.test(200, "Cache-Control: max-age=60, stale-if-error=1000, must-revalidate", "ETag: \"1\"")
    private static let cachable = response(200, "Cache-Control: max-age=60")
    private static let head = request(method: "HEAD")

    /// Every state, every event in it, and every decision.
    static let all = starts + lookups + joins + responses + storing + validations + parts + failures

    private static let starts: [Self] = [
        Self("GET or HEAD", request()),
        Self("another method", request(method: "OPTIONS")),
        Self("an unsafe method", request(method: "PUT")),
        Self("request with content", request(), hasContent: true),
        Self("request with If-Match or If-Unmodified-Since", request("If-Match: \"1\"")),
        Self("request with no-store", request("Cache-Control: no-store")),
        Self("mode no-store", request(), mode: .noStore),
        Self("a policy that bypasses the cache", request(), policy: .bypass),
        Self("any of these with only-if-cached", request("Cache-Control: no-store, only-if-cached")),
    ]

    private static let lookups: [Self] = [
        Self("nothing stored", request(), .lookedUp(nil)),
        Self("only other variants stored", request(), .lookedUp(nil, isVaryMiss: true)),
        Self("nothing stored, only-if-cached", request("Cache-Control: only-if-cached"), .lookedUp(nil)),
        Self("fresh", request(), .lookedUp(fresh, at: 5)),
        Self("fresh, HEAD", head, .lookedUp(fresh, at: 5)),
        Self("fresh, the client's If-None-Match holds", request("If-None-Match: \"1\""), .lookedUp(fresh, at: 5)),
        Self("fresh, range", request("Range: bytes=0-1"), .lookedUp(fresh, at: 5)),
        Self("fresh, range, If-Range does not hold", request("Range: bytes=0-1", "If-Range: \"2\""), .lookedUp(fresh, at: 5)),
        Self("fresh, range beyond the end", request("Range: bytes=50-"), .lookedUp(fresh, at: 5)),
        Self("stale, has validators", request(), .lookedUp(fresh, at: 100)),
        Self("stale, has none", request(), .lookedUp(bare, at: 100)),
        Self("stale, HEAD", head, .lookedUp(fresh, at: 100)),
        Self("stale, only-if-cached", request("Cache-Control: only-if-cached"), .lookedUp(fresh, at: 100)),
        Self("fresh, response no-cache", request(), .lookedUp(noCache, at: 5)),
        Self("fresh, request no-cache", request("Cache-Control: no-cache"), .lookedUp(fresh, at: 5)),
        Self("fresh, older than the request's max-age", request("Cache-Control: max-age=0"), .lookedUp(fresh, at: 5)),
        Self("fresh for less than the request's min-fresh", request("Cache-Control: min-fresh=58"), .lookedUp(fresh, at: 5)),
        Self("stale, within the request's max-stale", request("Cache-Control: max-stale=50"), .lookedUp(fresh, at: 100)),
        Self("stale, within stale-while-revalidate", request(), .lookedUp(revalidating, at: 100)),
        Self("mode reload", request(), mode: .reload, .lookedUp(fresh, at: 5)),
        Self("mode no-cache", request(), mode: .noCache, .lookedUp(fresh, at: 5)),
        Self("mode force-cache, stale", request(), mode: .forceCache, .lookedUp(strict, at: 100)),
        Self("mode only-if-cached, nothing stored", request(), mode: .onlyIfCached, .lookedUp(nil)),
        Self("a part stored, plain GET", request(), .lookedUp(part, at: 5)),
        Self(
            "a part stored without strong validator, plain GET",
            request(),
            .lookedUp(.test(200, "Cache-Control: max-age=60", parts: [0..<4]), at: 5)
        ),
        Self("a part stored, range within it", request("Range: bytes=0-1"), .lookedUp(part, at: 5)),
        Self("a part stored, range beyond it", request("Range: bytes=2-7"), .lookedUp(part, at: 5)),
    ]

    private static let joins: [Self] = [
        Self("a collapsed request's leader got a fresh response", request(), .lookedUp(nil), .joined(bare)),
        Self("the leader's response is not fresh", request(), .lookedUp(nil), .joined(noCache)),
        Self(
            "the leader selects another variant",
            request("Accept: a"),
            .lookedUp(nil),
            .joined(.test(200, "Cache-Control: max-age=60", "Vary: Accept"))
        ),
    ]

    private static let responses: [Self] = [
        Self("storable", request(), .lookedUp(nil), .received(cachable)),
        Self("storable, another response was stored", request(), .lookedUp(bare, at: 100), .received(cachable)),
        Self("not storable, another response was stored", request(), .lookedUp(bare, at: 100), .received(response(200, "Cache-Control: no-store"))),
        Self("503 to a request with a stored response, nothing permits that", request(), .lookedUp(bare, at: 100), .received(response(503))),
        Self("503, within stale-if-error, but must-revalidate", request(), .lookedUp(strict, at: 100), .received(response(503))),
        Self("unsafe method succeeds", request(method: "PUT"), .received(response(204, "Location: /b"))),
        Self("unsafe method fails", request(method: "PUT"), .received(response(409, "Location: /b"))),
        Self(
            "POST with explicit lifetime and its own Content-Location",
            request(method: "POST"),
            .received(response(200, "Cache-Control: max-age=60", "Content-Location: /a"))
        ),
        Self("304 to the client's own condition", request("If-None-Match: \"9\""), .lookedUp(nil), .received(response(304))),
        Self(
            "404 to the client's own condition",
            request("If-None-Match: \"9\""),
            .lookedUp(nil),
            .received(response(404, "Cache-Control: max-age=60"))
        ),
        Self("HEAD, confirms what is stored", head, .lookedUp(fresh, at: 100), .received(response(200, "ETag: \"1\""))),
        Self("HEAD, contradicts what is stored", head, .lookedUp(fresh, at: 100), .received(response(200, "ETag: \"2\""))),
        Self("HEAD, says nothing of what is stored", head, .lookedUp(fresh, at: 100), .received(response(404))),
    ]

    /// The reasons of the rules for storing, in their order.
    private static let storing: [Self] = [
        Self("HEAD", head, .lookedUp(nil), .received(cachable)),
        Self("request no-store", request("Cache-Control: no-store"), .received(cachable)),
        Self("304 although nobody asked", request(), .lookedUp(nil), .received(response(304))),
        Self("416 to the client's range", request("Range: bytes=90-"), .lookedUp(nil), .received(response(416, "Cache-Control: max-age=60"))),
        Self("206 although nobody asked", request(), .lookedUp(nil), .received(response(206, "Cache-Control: max-age=60"))),
        Self(
            "unknown status with must-understand",
            request(),
            .lookedUp(nil),
            .received(response(299, "Cache-Control: max-age=60, must-understand"))
        ),
        Self("response no-store", request(), .lookedUp(nil), .received(response(200, "Cache-Control: no-store"))),
        Self(
            "private, shared cache",
            request(),
            rules: .test(.shared),
            .lookedUp(nil),
            .received(response(200, "Cache-Control: max-age=60, private"))
        ),
        Self("Authorization, shared cache", request("Authorization: x"), rules: .test(.shared), .lookedUp(nil), .received(cachable)),
        Self("Vary: *", request(), .lookedUp(nil), .received(response(200, "Cache-Control: max-age=60", "Vary: *"))),
        Self("neither lifetime nor validator", request(), .lookedUp(nil), .received(response(200))),
        Self("a length that is none", request(), .lookedUp(nil), .received(response(200, "Cache-Control: max-age=60", "Content-Length: -1"))),
        Self(
            "in a coding nobody knows",
            request(),
            .lookedUp(nil),
            .received(response(200, "Cache-Control: max-age=60", "Transfer-Encoding: gzip, chunked"))
        ),
        Self("too long", request(), .lookedUp(nil), .received(response(200, "Cache-Control: max-age=60", "Content-Length: 1001"))),
        Self(
            "a tag that is too long",
            request(),
            .lookedUp(nil),
            .received(response(200, "Cache-Control: max-age=60", "Cache-Tag: \(String(repeating: "x", count: 1_025))"))
        ),
    ]

    private static let validations: [Self] = [
        Self("304 that confirms", request(), .lookedUp(fresh, at: 100), .received(response(304, "ETag: \"1\""))),
        Self("304 that confirms, range", request("Range: bytes=0-1"), .lookedUp(fresh, at: 100), .received(response(304))),
        Self("304 that confirms and says no-store", request(), .lookedUp(fresh, at: 100), .received(response(304, "Cache-Control: no-store"))),
        Self("304 with another strong validator", request(), .lookedUp(fresh, at: 100), .received(response(304, "ETag: \"2\""))),
        Self("200", request(), .lookedUp(fresh, at: 100), .received(cachable)),
        Self("404, not storable", request(), .lookedUp(fresh, at: 100), .received(response(404))),
        Self("429, not storable", request(), .lookedUp(fresh, at: 100), .received(response(429))),
        Self("503, within stale-if-error", request(), .lookedUp(lenient, at: 100), .received(response(503))),
        Self("304 in the background", request(), .lookedUp(revalidating, at: 100), .received(response(304))),
        Self("503 in the background", request(), .lookedUp(revalidating, at: 100), .received(response(503))),
    ]

    private static let piece = response(206, "Cache-Control: max-age=60", "ETag: \"1\"", "Content-Range: bytes 4-9/10")

    private static let parts: [Self] = [
        Self("206 to the client's range", request("Range: bytes=4-"), .lookedUp(nil), .received(piece)),
        Self("206, other parts of the same stored", request("Range: bytes=4-"), .lookedUp(part, at: 5), .received(piece)),
        Self("206 with the missing range", request(), .lookedUp(part, at: 5), .received(piece)),
        Self("206 with another validator", request(), .lookedUp(part, at: 5), .received(response(206, "ETag: \"2\"", "Content-Range: bytes 4-9/10"))),
        Self("416", request(), .lookedUp(part, at: 5), .received(response(416))),
        Self("200", request(), .lookedUp(part, at: 5), .received(cachable)),
    ]

    private static let failures: [Self] = [
        Self("no response, nothing stored", request(), .lookedUp(nil), .failed(isUnreachable: true)),
        Self("no response, within stale-if-error", request(), .lookedUp(lenient, at: 100), .failed(isUnreachable: false)),
        Self(
            "no response, must-revalidate",
            request(),
            rules: .test(staleIfUnreachable: 1_000),
            .lookedUp(strict, at: 100),
            .failed(isUnreachable: true)
        ),
        Self(
            "origin unreachable, within the configured time",
            request(),
            rules: .test(staleIfUnreachable: 1_000),
            .lookedUp(fresh, at: 100),
            .failed(isUnreachable: true)
        ),
        Self(
            "a part stored, origin unreachable",
            request(),
            rules: .test(staleIfUnreachable: 1_000),
            .lookedUp(part, at: 100),
            .failed(isUnreachable: true)
        ),
    ]
}

extension HTTPCachePolicy {
    fileprivate static var bypass: Self {
        var policy = Self()
        policy.isBypassed = true
        return policy
    }
}
