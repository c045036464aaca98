// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// An attacker cannot make the cache give other clients a response that was made for another request.
@Suite(.timeLimit(.minutes(5))) struct CachePoisoningTests {
    /// An origin that repeats the request's target, and lets it be kept.
    @Sendable private static func echo(_ request: FakeTransport.Request) -> FakeTransport.Answer {
        .text("\(request.head.authority ?? "") \(request.head.path ?? "")", fields: [.cacheControl: "max-age=60"])
    }

    /// Ways to write targets that some server, proxy or framework reads differently from another.
    private static let spellings = [
        "/", "//", "/a", "/a/", "/a//b", "/a/./b", "/a/../b", "/a/%2e%2e/b", "/a/%2E./b", "/a/..%2fb", "/a%2fb", "/a%5cb", "/a\\b", "/A", "/%61",
        "/a;x=1", "/a%3bx=1", "/a?b", "/a%3fb", "/a?", "/a?b=1&b=2", "/a?b=2&b=1", "/a?b=1;b=2", "/a?b=1%26b=2", "/a?b=%31", "/a#b", "/a%23b",
        "/a%00", "/a%0d%0aX", "/a%20", "/a+", "/a%2b", "/a%", "/a%4", "/a%zz", "/a\u{E9}", "/a%C3%A9", "/a%c3%a9", "/a e\u{301}", "/.", "/..", "/a/.",
    ]

    @Test(arguments: [CacheMode.private, .shared])
    func everySpellingOfATargetGetsWhatItWouldGetWithoutACache(mode: CacheMode) async throws {
        let warm = CacheHarness(mode: mode, origin: Self.echo)
        for path in Self.spellings + Self.spellings.reversed() { try await warm.get(path) }
        for path in Self.spellings {
            let cold = CacheHarness(mode: mode, origin: Self.echo)
            #expect(try await warm.get(path).text == cold.get(path).text, "\(path)")
        }
    }

    @Test func whatIsForwardedHoldsNoControlCharacters() async throws {
        let harness = CacheHarness(origin: Self.echo)
        for path in Self.spellings + ["/a\r\nX-Evil: 1", "/a\0b", "/a\tb", "/a?\r\n\r\nGET / HTTP/1.1"] {
            try await harness.get(path)
        }
        for request in harness.transport.requests {
            #expect(request.head.path?.utf8.allSatisfy { (0x21..<0x7F).contains($0) } == true, "\(request.head.path ?? "")")
        }
    }

    @Test func everyOriginHasItsOwnResponses() async throws {
        let harness = CacheHarness(origin: Self.echo)
        for (scheme, authority) in [
            ("http", "a.example"), ("http", "b.example"), ("http", "a.example:8080"), ("http", "a.example."), ("https", "a.example"),
        ] {
            let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/a")
            let reply = try await Reply(harness.cache.respond(to: request, through: harness.transport))
            #expect(reply.text == "\(authority) /a")
            #expect(!reply.isFromCache)
        }
        // These are one origin: RFC 9110 §4.2.3.
        for authority in ["A.EXAMPLE", "a.example:80"] {
            let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/a")
            #expect(try await Reply(harness.cache.respond(to: request, through: harness.transport)).isFromCache)
        }
    }

    @Test(arguments: [
        "user@a.example", "a.example/x", "a.example?x", "a.example#x", "a.example\\x", "a b", "", "a.example:99999", "[::1", "a\r\nX: 1",
    ])
    func authorityThatCouldBeReadInTwoWaysIsRefused(authority: String) async throws {
        let harness = CacheHarness(origin: Self.echo)
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/a")
        await #expect(throws: HTTPCacheError.self) { try await harness.cache.respond(to: request, through: harness.transport) }
        #expect(harness.requestCount == 0)
    }

    @Test func contentOfAGetNeverDecidesWhatOthersGet() async throws {
        let harness = CacheHarness { request in .text("asked for \(String(buffer: request.body))", fields: [.cacheControl: "max-age=60"]) }
        #expect(try await harness.send(.get, body: HTTPBody("evil")).text == "asked for evil")
        #expect(try await harness.get().text == "asked for ")
        #expect(try await harness.send(.get, body: HTTPBody("evil")).text == "asked for evil")
    }

    @Test(arguments: [400, 403, 404, 405, 413, 414, 416, 431, 500, 501, 502, 503, 504])
    func errorThatARequestProvokedIsNotKeptUnlessTheOriginSaysSo(code: Int) async throws {
        let harness = CacheHarness(mode: .shared) { request in
            request.head.headerFields.contains(.expect)
                ? .text("broken", status: .init(code: code)) : .text("fine", fields: [.cacheControl: "max-age=60"])
        }
        #expect(try await harness.get("/a", [.expect: "\u{1}"]).text == "broken")
        #expect(try await harness.get().text == "fine")
    }

    @Test func requestCannotHaveItsSelectingFieldsRemovedOnTheWay() async throws {
        // `Connection` removes a field before it reaches the origin, which then answers for its absence.
        let harness = CacheHarness(mode: .shared) { request in
            .text(request.head.headerFields[.acceptLanguage] ?? "none", fields: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        }
        #expect(try await harness.get("/a", [.acceptLanguage: "de", .connection: "Accept-Language"]).text == "none")
        #expect(try await harness.get("/a", [.acceptLanguage: "de"]).text == "de")
        #expect(try await harness.get().text == "none")
    }

    @Test(arguments: ["private, max-age=60", "no-store, max-age=60", "no-cache, max-age=60"])
    func connectionFieldOfAResponseRemovesNoRestriction(directives: String) async throws {
        let harness = CacheHarness(mode: .shared) { _ in
            .text("mine", fields: [.cacheControl: directives, .connection: "Cache-Control, Vary, Set-Cookie"])
        }
        try await harness.get()
        #expect(try await !harness.get().isFromCache)
        #expect(harness.requestCount == 2)
    }

    @Test func lineFeedsInFieldsNeverComeOut() async throws {
        let value = Array("a\r\nSet-Cookie: evil=1\r\n\r\n<script>\0".utf8)
        let harness = CacheHarness { _ in
            .text("x", fields: [.cacheControl: "max-age=60"] + HTTPFields(HTTPField(name: .server, lenientValue: value)))
        }
        for _ in 1...2 {
            let reply = try await harness.get()
            for field in reply.head.headerFields {
                #expect(!field.valueBytes.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 }, "\(field.name)")
            }
            #expect(!reply.head.headerFields.contains(.setCookie))
        }
    }
}
