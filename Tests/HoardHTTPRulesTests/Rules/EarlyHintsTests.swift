// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(1))) struct EarlyHintsTests {
    private static func hints(_ links: [String], _ cacheControl: String = "no-cache") -> [String]? {
        var fields: HTTPFields = [.cacheControl: cacheControl]
        for link in links { fields.append(HTTPField(name: .link, value: link)) }
        let now = Date(timeIntervalSince1970: 0)
        let stored = StoredResponse(
            head: HTTPResponse(status: .ok, headerFields: fields),
            requestTime: now,
            responseTime: now,
            rules: HTTPCacheRules(mode: .shared)
        )
        let response = EarlyHints.response(of: stored)
        if let response { #expect(response.status.code == 103 && response.headerFields.allSatisfy { $0.name == .link }) }
        return response?.headerFields.map(\.value)
    }

    @Test(arguments: [
        (["</a.css>; rel=preload; as=style"], ["</a.css>; rel=preload; as=style"]),
        (
            ["</a>;rel=\"next preload\", <https://b.example>; rel = PreConnect"],
            ["</a>;rel=\"next preload\"", "<https://b.example>; rel = PreConnect"]
        ),
        (["</a,b;c>; title=\"x, y; rel=preload\"; rel=prefetch"], ["</a,b;c>; title=\"x, y; rel=preload\"; rel=prefetch"]),
        (["</page>; rel=next, </b.js>; rel=modulepreload", "</c>; rel=canonical"], ["</b.js>; rel=modulepreload"]),
    ])
    func linksToBeFetchedAreTold(_ links: [String], _ expected: [String]) {
        #expect(Self.hints(links) == expected)
    }

    @Test(arguments: [
        [], ["</a>; rel=next"], ["/a; rel=preload"], ["</a>; title=\"rel=preload\""], ["</a>"], ["</a>; rel=\"unclosed preloading"], ["<"], ["\"\\"],
    ])
    func otherLinksAreNot(_ links: [String]) {
        #expect(Self.hints(links) == nil)
    }

    /// Such a response may be one to a request with `Authorization`.
    @Test(arguments: ["public, no-cache", "must-revalidate, max-age=0", "s-maxage=0"]) func linksThatMayBeOfSomebodyElseAreNot(_ cacheControl: String)
    {
        #expect(Self.hints(["</a>; rel=preload"], cacheControl) == nil)
        #expect(Self.hints(["</a>; rel=preload"], "max-age=0") != nil)
    }

    @Test func thereAreNotTooMany() {
        #expect(Self.hints((0..<100).map { "</\($0)>; rel=preload" })?.count == EarlyHints.maximumCount)
    }

    // MARK: In the cache

    @Test(arguments: [true, false]) func clientIsToldWhileTheOriginIsAsked(wantsThem: Bool) async throws {
        let time = ManualTicker()
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        let cache = HTTPCache(configuration: configuration, clock: time, ticker: time)
        let told = Shared<[HTTPResponse]>([])
        let toldWhenAsked = Shared<[Int]>([])
        let transport = FakeTransport { _ in
            toldWhenAsked.update { $0.append(told.value.count) }
            return .text(
                "page",
                fields: [.cacheControl: "no-cache", .eTag: "\"1\"", .link: "</a.css>; rel=preload", .date: HTTPDate(time.now()).description]
            )
        }
        let head = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/")
        for _ in 1...2 {
            let request = HTTPCache.Request(head, wantsEarlyHints: wantsThem)
            let response = try await cache.respond(to: request, through: transport) { interim in told.update { $0.append(interim) } }
            _ = try await response.body.collect(upTo: 100)
        }
        // Nothing is stored at first. Then the client knows before the origin is asked.
        #expect(toldWhenAsked.value == [0, wantsThem ? 1 : 0])
        #expect(told.value.map { $0.headerFields[.link] } == (wantsThem ? ["</a.css>; rel=preload"] : []))
        await cache.close()
    }
}
