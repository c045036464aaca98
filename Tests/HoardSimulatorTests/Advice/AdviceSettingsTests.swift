// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite struct AdviceSettingsTests {
    private func advice(_ kind: Advice.Kind, _ path: String?, _ name: String, _ value: String) -> Advice {
        Advice(kind, path: path, "", evidence: "", .likely, settings: [.init(path: path, name: name, value: value)])
    }

    @Test func aRouteThatPassesTheCacheByHasNoOptionsForStoredResponses() {
        let settings = AdviceSettings([
            advice(.ignoredParameters, "/", "ignore-query", "[sid]"),
            advice(.staleIfError, "/search/", "stale-if-error", "1h"),
            advice(.bypass, "/search/", "bypass", "yes"),
            advice(.variants, "/search/", "request-set", "[\"User-Agent: any\"]"),
            advice(.longerLifetime, "/search/top/", "lifetime", "1h"),
        ])
        #expect(
            settings.text == """
                routes:
                  - path: /search/top/
                    ignore-query: [sid]
                    lifetime: 1h
                    request-set: ["User-Agent: any"]
                    stale-if-error: 1h
                  - path: /search/
                    bypass: yes
                    request-set: ["User-Agent: any"]
                  - path: /
                    ignore-query: [sid]

                """
        )
    }

    @Test func theLastRouteTakesAllOtherPaths() {
        let pages = advice(.ignoredParameters, "/pages/", "ignore-query", "[sid]")
        #expect(AdviceSettings([pages]).text == "routes:\n  - path: /pages/\n    ignore-query: [sid]\n  - path: /\n")
        #expect(AdviceSettings([]).text.isEmpty)
    }

    @Test func anOptionOfTheCacheStandsThereOnce() {
        let setting = Advice.Setting(path: nil, name: "collapse-timeout", value: "5s")
        let advice = ["/a/", "/b/"].map { Advice(.collapsing, path: $0, "", evidence: "", .certain, settings: [setting]) }
        #expect(AdviceSettings(advice).text == "cache:\n  collapse-timeout: 5s\n")
    }
}
