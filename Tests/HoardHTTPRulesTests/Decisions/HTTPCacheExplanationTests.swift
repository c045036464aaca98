// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct HTTPCacheExplanationTests {
    static func explanation(
        of stored: StoredResponse?,
        at seconds: Double = 10,
        isVaryMiss: Bool = false,
        lastDecision: HTTPDecision? = nil,
        rules: HTTPCacheRules = .test()
    ) -> HTTPCacheExplanation {
        HTTPCacheExplanation(
            request: request(),
            stored: stored,
            isVaryMiss: isVaryMiss,
            lastDecision: lastDecision,
            now: time(seconds),
            rules: rules
        )
    }

    @Test func freshResponseIsExplained() {
        let stored = StoredResponse.test(
            200,
            "Cache-Control: max-age=60, must-revalidate",
            "ETag: \"1\"",
            "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT",
            "Vary: Accept, Cookie",
            "Cache-Tag: b, a"
        )
        let explanation = Self.explanation(of: stored)
        #expect(explanation.outcome == .answered)
        #expect(explanation.reason.token == "FRESH")
        #expect(
            explanation.description == """
                http://example.com/a
                Stored: a response with status 200, received or confirmed on Thu, 01 Jan 2026 00:00:00 GMT.
                Age: 10 s of 60 s, from max-age (RFC 9111 §4.2.1). Fresh for another 50 s.
                Never stale: The response says must-revalidate, so it may not be used stale. (RFC 9111 §5.2.2.2)
                Validators: ETag "1", Last-Modified Wed, 31 Dec 2025 00:00:00 GMT (RFC 9110 §8.8).
                Selected by: Accept, Cookie (RFC 9111 §4.1).
                Tags: a, b.
                Content: all 10 bytes.
                A GET would be answered from the cache: The stored response is younger than its lifetime, and the request does not ask for more. (RFC 9111 §4.2)
                """
        )
    }

    @Test func missIsExplainedByTheLastDecision() {
        let explanation = Self.explanation(of: nil, lastDecision: HTTPDecision(.noStore))
        #expect(explanation.stored == nil)
        #expect(explanation.outcome == .forwarded)
        #expect(
            explanation.description == """
                http://example.com/a
                Nothing that the request selects is stored.
                A GET would be sent to the origin: Nothing is stored for the URI. (RFC 9111 §4)
                The last response: The response says no-store. (RFC 9111 §5.2.2.5)
                """
        )
        #expect(Self.explanation(of: nil, isVaryMiss: true).reason.token == "VARY-MISS")
    }

    static let outcomes: [(stored: StoredResponse, outcome: HTTPCacheExplanation.Outcome, token: String)] = [
        (.test(200, "Cache-Control: max-age=5", "ETag: \"1\""), .validated, "STALE"),
        (.test(200, "Cache-Control: max-age=5"), .forwarded, "STALE"),
        (.test(200, "Cache-Control: max-age=5, stale-while-revalidate=9"), .answeredAndRefreshed, "STALE-WHILE-REVALIDATE"),
        (.test(200, "Cache-Control: max-age=60", "ETag: \"1\"", parts: [0..<3]), .completed, "INCOMPLETE"),
        (.test(200, "Cache-Control: max-age=60, no-cache", "ETag: \"1\""), .validated, "RESPONSE-NO-CACHE"),
    ]

    @Test(arguments: outcomes)
    func outcomeIsThatOfAPlainGet(example: (stored: StoredResponse, outcome: HTTPCacheExplanation.Outcome, token: String)) {
        let explanation = Self.explanation(of: example.stored)
        #expect(explanation.outcome == example.outcome)
        #expect(explanation.reason.token == example.token)
        #expect(explanation.description.contains(explanation.reason.section))
    }

    @Test func partsAndGuessesAreNamed() {
        let part = StoredResponse.test(200, "Last-Modified: Wed, 31 Dec 2025 00:00:00 GMT", parts: [0..<3], length: nil)
        let explanation = Self.explanation(of: part)
        #expect(explanation.stored?.lifetimeSource == "heuristic")
        #expect(explanation.description.contains("Age: 10 s of 8640 s, guessed from Last-Modified (RFC 9111 §4.2.2)."))
        #expect(explanation.description.contains("Content: 3 bytes of an unknown number of bytes (RFC 9111 §3.3)."))
        let bare = Self.explanation(of: .test(200, "ETag: \"1\""))
        #expect(bare.description.contains("since nothing says how long it is fresh"))
        #expect(bare.description.contains("Stale for 10 s."))
    }

    @Test func responseWithoutValidatorSaysSo() {
        let explanation = Self.explanation(of: .test(200, "Cache-Control: s-maxage=60", rules: .test(.shared)), rules: .test(.shared))
        #expect(explanation.description.contains("Validators: none, so it cannot be revalidated."))
        #expect(explanation.stored?.lifetimeSource == "s-maxage")
        #expect(explanation.stored?.staleProhibition?.token == "s-maxage")
    }

    @Test func explanationIsData() throws {
        let explanation = Self.explanation(of: Self.outcomes[0].stored, lastDecision: .stored)
        let data = try JSONEncoder().encode(explanation)
        #expect(try JSONDecoder().decode(HTTPCacheExplanation.self, from: data) == explanation)
    }
}
