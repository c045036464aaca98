// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct StorabilityTests {
    private func judge(_ response: HTTPResponse, to request: HTTPRequest = request(), mode: CacheMode = .shared) -> Storability {
        let freshness = ResponseFreshness(of: response, requestTime: newYear2026, responseTime: newYear2026, rules: HTTPCacheRules(mode: mode))
        return Storability(of: response, to: request, freshness: freshness, rules: HTTPCacheRules(mode: mode))
    }

    @Test func storesGETAndQUERYOnly() {
        let fresh = response(200, "Cache-Control: max-age=60")
        for method in ["GET", "QUERY"] { #expect(judge(fresh, to: request(method: method)) == .storable) }
        for method in ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "M-SEARCH", "get"] {
            #expect(judge(fresh, to: request(method: method)) == .notStorable(.method))
        }
    }

    @Test(arguments: [
        200, 201, 202, 203, 204, 205, 299, 300, 301, 302, 303, 307, 308, 399, 400, 403, 404, 410, 418, 451, 499, 500, 502, 503, 504, 599, 999,
    ])
    func storesEveryFinalStatusWithExplicitFreshness(status: Int) {
        for line in ["Cache-Control: max-age=60", "Cache-Control: s-maxage=60", "Expires: Thu, 01 Jan 2026 00:01:00 GMT", "Expires: 0"] {
            #expect(judge(response(status, line)) == .storable, "\(line)")
        }
    }

    @Test(
        arguments: [(100, Storability.Reason.status), (103, .status), (199, .status), (206, .partial), (304, .status)] as [(Int, Storability.Reason)]
    )
    func neverStoresInterimPartialAndNotModifiedResponses(status: Int, reason: Storability.Reason) {
        #expect(judge(response(status, "Cache-Control: max-age=60, public")) == .notStorable(reason))
    }

    @Test(arguments: [("chunked", true), ("Chunked", true), ("br", false), ("gzip, chunked", false), ("x-own", false), ("identity", false)])
    func storesNothingInATransferCodingThatNobodyKnows(coding: String, isStored: Bool) {
        #expect(
            judge(response(200, "Cache-Control: max-age=60", "Transfer-Encoding: \(coding)"))
                == (isStored ? .storable : .notStorable(.transferCoding))
        )
    }

    @Test func obeysNoStoreOnBothSides() {
        #expect(judge(response(200, "Cache-Control: no-store")) == .notStorable(.noStore))
        #expect(judge(response(200, "Cache-Control: max-age=10000, no-store", "Expires: Fri, 01 Jan 2027 00:00:00 GMT")) == .notStorable(.noStore))
        #expect(judge(response(200, "Cache-Control: no-store, max-age=60"), mode: .private) == .notStorable(.noStore))
        let fresh = response(200, "Cache-Control: max-age=60")
        #expect(judge(fresh, to: request("Cache-Control: no-store")) == .notStorable(.requestNoStore))
        #expect(judge(fresh, to: request("Cache-Control: no-cache")) == .storable)
    }

    @Test func ignoresNoStoreWhereItUnderstandsTheStatus() {
        #expect(judge(response(200, "Cache-Control: max-age=3600, no-store, must-understand")) == .storable)
        #expect(judge(response(599, "Cache-Control: max-age=3600, no-store, must-understand")) == .notStorable(.notUnderstood))
        #expect(judge(response(599, "Cache-Control: max-age=3600, must-understand")) == .notStorable(.notUnderstood))
        #expect(judge(response(200, "Cache-Control: max-age=3600, no-store, must-understand;x")) == .notStorable(.noStore))
        #expect(judge(response(206, "Cache-Control: max-age=3600, must-understand")) == .notStorable(.partial))
    }

    @Test func keepsPrivateResponsesOutOfSharedCachesOnly() {
        #expect(judge(response(200, "Cache-Control: private, max-age=3600")) == .notStorable(.private))
        #expect(judge(response(200, "Cache-Control: private, max-age=3600"), mode: .private) == .storable)
        #expect(judge(response(200, "Cache-Control: public, private, s-maxage=3600")) == .notStorable(.private))
        // The named fields are left out: see StoredFields.
        #expect(judge(response(200, "Cache-Control: private=\"a\", max-age=3600")) == .storable)
        #expect(judge(response(200, "Cache-Control: private=\"vary\", max-age=3600")) == .notStorable(.private))
    }

    @Test(arguments: ["public", "must-revalidate", "s-maxage=60"])
    func sharesAuthenticatedResponsesOnlyIfTheOriginSaysSo(directive: String) {
        let authenticated = request("Authorization: FOO")
        #expect(judge(response(200, "Cache-Control: max-age=60, \(directive)"), to: authenticated) == .storable)
        #expect(judge(response(200, "Cache-Control: max-age=60"), to: authenticated) == .notStorable(.authorization))
        #expect(judge(response(200, "Cache-Control: max-age=60, proxy-revalidate"), to: authenticated) == .notStorable(.authorization))
        #expect(judge(response(200, "Cache-Control: max-age=60"), to: authenticated, mode: .private) == .storable)
    }

    @Test func countsAuthorizationEvenIfConnectionNamesIt() {
        #expect(
            judge(response(200, "Cache-Control: max-age=60"), to: request("Authorization: FOO", "Connection: authorization"))
                == .notStorable(.authorization)
        )
    }

    @Test(arguments: ["*", ", *", "*, *", "*, Foo", "Foo, *", "Foo Bar", "Foo/Bar"])
    func neverStoresWhatNoRequestSelects(vary: String) {
        #expect(judge(response(200, "Cache-Control: max-age=5000", "Vary: \(vary)")) == .notStorable(.varyStar))
        #expect(judge(response(200, "Cache-Control: max-age=5000", "Vary: Foo", "Vary: \(vary)")) == .notStorable(.varyStar))
        #expect(judge(response(200, "Cache-Control: max-age=5000", "Vary: Foo, Bar")) == .storable)
    }

    @Test func needsALifetimeOrAValidator() {
        #expect(judge(response(200)) == .notStorable(.noExplicitFreshness))
        #expect(judge(response(200, "Cache-Control: public")) == .notStorable(.noExplicitFreshness))
        #expect(judge(response(200, "Cache-Control: no-cache")) == .notStorable(.noExplicitFreshness))
        #expect(judge(response(200, "Cache-Control: max-age=0")) == .storable)
        #expect(judge(response(200, "ETag: \"a\"")) == .storable)
        #expect(judge(response(200, "Cache-Control: no-cache", "ETag: \"a\"")) == .storable)
        #expect(judge(response(200, "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT")) == .storable)
        #expect(judge(response(200, "Pragma: no-cache", "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT")) == .storable)
    }

    @Test(arguments: [201, 202, 302, 303, 307, 400, 403, 500, 503, 599])
    func needsMoreThanAValidatorForStatusesNotHeuristicallyCacheable(status: Int) {
        let validators = ["ETag: \"a\"", "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT"]
        #expect(judge(response(status, validators)) == .notStorable(.status))
        #expect(judge(response(status, validators + ["Cache-Control: public"])) == .storable)
        #expect(judge(response(status, validators + ["Cache-Control: private"]), mode: .private) == .storable)
        #expect(judge(response(status, validators + ["Cache-Control: s-maxage=60"]), mode: .private) == .notStorable(.status))
    }

    @Test func storesResponsesWithCookies() {
        #expect(judge(response(200, "Cache-Control: max-age=3600", "Set-Cookie: a=c")) == .storable)
    }

    @Test(arguments: ["/a", "http://example.com/a", "HTTP://EXAMPLE.com:80/b/../a", "//example.com/%61", "", "?", "a", "#x"])
    func storesAnAnswerToPOSTThatAnswersALaterGET(location: String) {
        let client = request(method: "POST", path: location == "?" ? "/a?" : "/a")
        #expect(judge(response(200, "Cache-Control: max-age=60", "Content-Location: \(location)"), to: client) == .storable)
    }

    @Test func storesNoOtherAnswerToPOST() {
        func judgePOST(_ status: Int = 200, _ lines: String..., mode: CacheMode = .shared) -> Storability {
            judge(response(status, lines), to: request(method: "POST"), mode: mode)
        }
        let here = "Content-Location: /a"
        #expect(judgePOST(200, "Cache-Control: max-age=60") == .notStorable(.method))
        #expect(judgePOST(200, "Cache-Control: max-age=60", "Content-Location: /b") == .notStorable(.method))
        #expect(judgePOST(200, "Cache-Control: max-age=60", "Content-Location: /a?") == .notStorable(.method))
        #expect(judgePOST(200, "Cache-Control: max-age=60", "Content-Location: https://example.com/a") == .notStorable(.method))
        #expect(judgePOST(200, "Cache-Control: max-age=60", here, "Content-Location: /b") == .notStorable(.method))
        #expect(judgePOST(200, here, "ETag: \"a\"", "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT") == .notStorable(.method))
        #expect(judgePOST(200, "Cache-Control: s-maxage=60", here, mode: .private) == .notStorable(.method))
        #expect(judgePOST(201, "Cache-Control: max-age=60", here) == .notStorable(.method))
        #expect(judgePOST(404, "Cache-Control: max-age=60", here) == .notStorable(.method))
        #expect(judgePOST(200, "Cache-Control: max-age=60, no-store", here) == .notStorable(.noStore))
        #expect(judge(response(200, "Cache-Control: max-age=60", here), to: request(method: "PUT")) == .notStorable(.method))
    }

    @Test func storesAPartThatWasAskedFor() {
        func judgePart(_ client: HTTPRequest, _ lines: String..., bodyLength: Int? = nil) -> Storability {
            let message = response(206, ["Cache-Control: max-age=60"] + lines)
            let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: HTTPCacheRules(mode: .shared))
            return Storability(of: message, to: client, freshness: freshness, rules: HTTPCacheRules(mode: .shared), bodyLength: bodyLength)
        }
        let client = request("Range: bytes=4-9")
        #expect(judgePart(client, "Content-Range: bytes 4-9/10") == .storable)
        #expect(judgePart(client, "Content-Range: bytes 4-9/10", bodyLength: 6) == .storable)
        #expect(judgePart(client, "Content-Range: bytes 4-9/10", bodyLength: 5) == .notStorable(.partial))
        #expect(judgePart(client, "Content-Range: bytes 4-9/10", "Content-Type: multipart/byteranges; boundary=x") == .notStorable(.partial))
        #expect(judgePart(client, "Content-Range: x") == .notStorable(.partial))
        #expect(judgePart(client) == .notStorable(.partial))
        #expect(judgePart(request(), "Content-Range: bytes 4-9/10") == .notStorable(.partial))
    }

    @Test(arguments: [412, 416, 417])
    func neverStoresWhatConcernsOneRequestOnly(status: Int) {
        #expect(judge(response(status, "Cache-Control: max-age=60, public")) == .notStorable(.unmetDemand))
    }

    @Test(arguments: [428, 429, 431, 511])
    func neverStoresAStatusOfWhichThatIsForbidden(status: Int) {
        #expect(judge(response(status, "Cache-Control: max-age=60, public")) == .notStorable(.neverStored))
    }

    @Test func storesNothingThatIsTooLarge() {
        func judgeLarge(_ lines: String..., bodyLength: Int? = nil) -> Storability {
            let message = response(200, ["Cache-Control: max-age=60"] + lines)
            let rules = HTTPCacheRules(mode: .shared, maximumObjectBytes: 100)
            let freshness = ResponseFreshness(of: message, requestTime: newYear2026, responseTime: newYear2026, rules: rules)
            return Storability(of: message, to: request(), freshness: freshness, rules: rules, bodyLength: bodyLength)
        }
        #expect(judgeLarge(bodyLength: 100) == .storable)
        #expect(judgeLarge(bodyLength: 101) == .notStorable(.tooLarge))
        #expect(judgeLarge("Content-Length: 101") == .notStorable(.tooLarge))
        #expect(judgeLarge("Content-Length: 99999999999999999999") == .notStorable(.tooLarge))
        #expect(judgeLarge("Content-Length: 101", bodyLength: 1) == .storable)
        #expect(judgeLarge() == .storable)
    }

    @Test func givesEveryReasonATokenASectionAndASentence() {
        let reasons = Storability.Reason.allReasons
        #expect(Set(reasons.map(\.token)).count == reasons.count)
        for reason in reasons {
            #expect(
                CacheStatus(cacheName: "c", .forwarded(.init(.uriMiss)), detail: reason.token).fieldValue == "c; fwd=uri-miss; detail=\(reason.token)"
            )
            #expect(reason.section.hasPrefix("RFC 911") || reason == .neverStored)
            #expect(reason.explanation.hasSuffix(".") && !reason.explanation.contains("|"))
        }
        #expect(Storability.Reason.noStore.description == "NO-STORE (RFC 9111 §5.2.2.5)")
    }
}
