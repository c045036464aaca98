// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(5))) struct FieldNormalizationTests {
    @Test(arguments: [
        ("de", "DE", true), ("de", "de-AT", false), ("de*", "de-AT, en", true), ("*mobile*", "Foo Mobile/1", true), ("*mobile*", "mobil", false),
        ("*bot", "GoogleBot", true), ("*bot", "bots", false), ("*", "", true), ("*", "any", true), ("a*b", "a*b", true), ("a*b", "axb", false),
    ])
    func aValueIsComparedWithoutRegardToCase(pattern: String, value: String, isAbout: Bool) {
        #expect(FieldNormalization(.accept, values: [pattern], replacement: "x").isAbout(Array(value.utf8)) == isAbout)
    }

    @Test func aRuleIsReadAsItIsWritten() throws {
        let rule = try #require(FieldNormalization("Accept-Language :de*,  DE->de"))
        #expect(rule == FieldNormalization(.acceptLanguage, values: ["de*", "DE"], replacement: "de"))
        #expect(FieldNormalization(rule.text) == rule)
        #expect(FieldNormalization("Cookie: * ->")?.replacement == "")
        for text in ["", "Accept", "Accept: de", "Accept: -> de", "Acc ept: a -> b", ": a -> b", "Accept: a,, b -> c", "Accept: a -> b\n"] {
            #expect(FieldNormalization(text) == nil, "\(text)")
        }
    }

    @Test func valuesThatMeanTheSameShareAVariantAndTheOriginGetsTheOneThatStandsForThem() async throws {
        let harness = CacheHarness(mode: .shared) { request in
            let language = request.head.headerFields[.acceptLanguage] ?? "none"
            return .text(language, fields: [.cacheControl: "max-age=600", .vary: "Accept-Language"])
        }
        var policy = HTTPCachePolicy()
        policy.normalizations = [
            FieldNormalization(.acceptLanguage, values: ["de", "de-*"], replacement: "de"),
            FieldNormalization(.acceptLanguage, values: ["x-none"], replacement: ""),
            FieldNormalization(.acceptLanguage, values: ["fr*"], replacement: "fr"),
        ]
        let answers = ["de": "de", "DE": "de", "de-AT, de;q=0.5": "de", "fr-FR": "fr", "fr": "fr", "en": "en", "x-none": "none"]
        for _ in 1...2 {
            for (accepted, answer) in answers.sorted(by: { $0.key < $1.key }) {
                let request = HTTPRequest.test(.get, "/a", [.acceptLanguage: accepted])
                let reply = try await Reply(harness.cache.respond(to: request, policy: policy, through: harness.transport))
                #expect(reply.text == answer)
            }
        }
        #expect(harness.requestCount == 4)
    }

    @Test func linesOfOneFieldAreComparedAsOne() {
        var fields: HTTPFields = [.accept: "a"]
        fields.append(HTTPField(name: .accept, value: " b "))
        [FieldNormalization(.accept, values: ["a, b"], replacement: "c")].apply(to: &fields)
        #expect(fields[values: .accept] == ["c"])
    }
}
