// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import Testing

@testable import HoardProxy

@Suite struct MessageTemplateTests {
    private static let request = RuledRequest(
        head: HTTPRequest(method: .get, scheme: "http", authority: "WWW.Example.com:8080", path: "/%61pi/x/../y?%71=1&r"),
        authority: "WWW.Example.com:8080",
        client: .init(address: "192.0.2.7", scheme: "https"),
        pathPrefix: "/api/",
        outcome: .hit
    )

    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("https://{host}{path}{query}", "https://www.example.com/api/y?q=1&r"), ("/new/{rest}", "/new/y"),
        ("{client} {scheme} {cache}", "192.0.2.7 https hit"), ("{{host}} }}", "{host} }"), ("{{{host}}}", "{www.example.com}"),
    ])
    func textHasWhatTheRequestSays(_ text: String, _ expected: String) throws {
        let template = try MessageTemplate(text)
        #expect(template.text(Self.request) == expected)
        #expect(template.description == text)
        #expect(try MessageTemplate(template.description) == template)
        #expect((template.constant != nil) == !template.parts.contains { if case .variable = $0 { true } else { false } })
    }

    @Test(arguments: [
        ("{hots}", "nothing is called {hots}; did you mean {host}?"), ("{", "a brace has no other one"), ("a } b", "a brace has no other one"),
        ("{host", "a brace has no other one"), ("{zebra}", "there are {host}, {path}"), ("{}", "nothing is called {}"),
    ])
    func whatMakesNoSenseIsSaid(_ text: String, _ words: String) throws {
        let error = try #require(throws: ProxyError.self) { try MessageTemplate(text) }
        #expect(error.message.contains(words), "\(error.message)")
    }

    @Test(arguments: [
        "https://example.com", "https://example.com/", "https://example.com{path}{query}", "https://{host}{path}", "https://{host}:8443{path}",
        "{scheme}://{host}/x", "{scheme}://example.com{query}", "/new/{rest}", "{path}", "http://example.com/{host}", "https://example.com?{query}",
        "https://example.com{query}/x",
    ])
    func placeThatNamesItsSiteIsOne(_ text: String) throws {
        let objection = try MessageTemplate(text).objectionToLocation
        #expect(objection == nil, "\(objection ?? "")")
    }

    /// A client must not decide where other clients are sent.
    @Test(arguments: [
        "{rest}", "{host}", "{query}", "https://{rest}", "https://example.com{rest}", "https://{host}{rest}", "https://{host}.example.com",
        "example.com",
        "//example.com", "/\\example.com", "ftp://example.com", "https:///x", "{scheme}:{rest}", "https://{path}", "javascript:alert(1)", "/{cache}",
        "https://example.com/ä", "https://example.com{query}{rest}", "https://{host}{query}.evil.example", "https://exa mple.com",
        "https://{host}:{rest}",
    ])
    func placeThatAClientCouldChooseIsNone(_ text: String) throws {
        #expect(try MessageTemplate(text).objectionToLocation != nil)
    }

    @Test(arguments: [
        ("/{rest}", "/a//evil.example", "/evil.example"), ("/{rest}", "/a/\\evil.example", "/evil.example"),
        ("{path}", "//evil.example/x", "/evil.example/x"),
        ("/x{path}", "//evil.example", "/x//evil.example"),
    ])
    func pathNeverBecomesAnotherHost(_ text: String, _ path: String, _ expected: String) throws {
        var request = Self.request
        request = RuledRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: path),
            authority: "a",
            client: request.client,
            pathPrefix: path.hasPrefix("/a/") ? "/a/" : "/"
        )
        let place = try MessageTemplate(text).location(request)
        #expect(!place.hasPrefix("//") && !place.hasPrefix("/\\"), "\(place)")
        #expect(place == expected || place.contains("%5C"), "\(place)")
    }
}
