// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(5))) struct DictionaryPatternTests {
    private static let own = "https://example.com/app/v1/main.js"

    @Test(arguments: [
        ("/app/*/main.js", "https://example.com/app/v2/main.js", true), ("/app/*/main.js", "https://example.com/app/v2/x/main.js", true),
        ("/app/:version/main.js", "https://example.com/app/v2/main.js", true),
        ("/app/:version/main.js", "https://example.com/app/v2/x/main.js", false),
        ("/app/:version/main.js", "https://example.com/app//main.js", false), ("/app/*/main.js", "https://example.com/app/v2/main.css", false),
        ("/app/*/main.js", "https://other.example/app/v2/main.js", false), ("/app/*/main.js", "http://example.com/app/v2/main.js", false),
        ("*.js", "https://example.com/app/v1/other.js", true), ("*.js", "https://example.com/app/other.js", false),
        ("/page?v=*", "https://example.com/page?v=2", true), ("/page?v=*", "https://example.com/page", false),
        ("/page", "https://example.com/page?a", true),
        ("https://example.com/*", "https://example.com/any/thing?x", true), ("https://example.com", "https://example.com/any", true),
        ("/*a*b", "https://example.com/xaxbab", true), ("/*a*b", "https://example.com/xb", false), ("/", "https://example.com/", true),
    ])
    func aPatternIsComparedWithUrls(pattern: String, uri: String, matches: Bool) throws {
        #expect(try #require(DictionaryPattern(pattern, of: Self.own)).matches(uri) == matches, "\(pattern) \(uri)")
    }

    @Test(arguments: [
        "https://other.example/*", "http://example.com/*", "/(a|b)", "/a?(x)", "/{a}?", "/a\\*", "/:", "/a+",
        "/" + String(repeating: "*a", count: 20),
        "/" + String(repeating: "a", count: 2_000),
    ])
    func whatCannotBeComparedIsNoPattern(pattern: String) {
        #expect(DictionaryPattern(pattern, of: Self.own) == nil)
    }

    @Test(arguments: [
        ("match=\"/a*\"", true), ("match=\"/a*\", id=\"x\", type=raw", true), ("match=\"/a*\", match-dest=(\"script\")", true), ("match=/a", false),
        ("id=\"x\"", false), ("match=\"/a*\", type=other", false), ("match=\"/a*\", type=\"raw\"", false), ("", false),
    ])
    func theFieldIsReadAsRFC9842HasIt(value: String, isUse: Bool) {
        #expect((DictionaryUse([.useAsDictionary: value], of: Self.own) != nil) == isUse)
    }
}
