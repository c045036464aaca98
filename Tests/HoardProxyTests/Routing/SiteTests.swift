// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardNIO
import HoardNIOTestSupport
import HoardTesting
import NIOCore
import NIOPosix
import Testing

@testable import HoardProxy

/// Routes that are counted and limited together.
@Suite(.timeLimit(.minutes(1))) struct SiteTests {
    private static let routes = """
        origin: ORIGIN
        routes:
          - hosts: [shop.example]
            site: shop
          - hosts: [blog.example]
            path: /old/
            site: blog
            redirect: https://blog.example/new/
          - hosts: [blog.example]
            site: blog
          - path: /

        """

    private func counts(_ site: RuledSite) async -> [String] {
        let view = site.proxy.recorder.statistics.snapshot(.init(sites: site.proxy.routes.current.siteNumbers.all))
        return (view.sites ?? []).map { "\($0.name): \($0.requests) requests, \($0.hits) hits" }
    }

    @Test func requestsAreCountedForTheSiteOfTheirRoute() async throws {
        try await RuledSite.with(Self.routes) { site in
            for host in ["shop.example", "shop.example", "blog.example", "other.example"] { _ = try await site.get("/a", host: host) }
            #expect(try await site.get("/old/", host: "blog.example").status == 308)
            // One that has to be parsed.
            _ = try await site.get("/a", host: "shop.example", "Range: bytes=0-0\r\n")
            try await waitUntil { await counts(site) == ["shop: 3 requests, 2 hits", "blog: 2 requests, 1 hits"] }
            // The request that belongs to no site may be noted last, as each connection has a thread of its own.
            try await waitUntil { site.proxy.recorder.statistics.snapshot().requests.total >= 6 }
            #expect(site.proxy.recorder.statistics.snapshot().requests.total == 6)
        }
    }

    @Test func aReloadGoesOnCounting() async throws {
        try await RuledSite.with(Self.routes) { site in
            _ = try await site.get("/a", host: "blog.example")
            var configuration = site.proxy.configuration
            configuration.routes.removeFirst()
            configuration.routes[2].site = "rest"
            #expect(try await site.proxy.reload(configuration) == [])
            for host in ["blog.example", "shop.example"] { _ = try await site.get("/a", host: host) }
            try await waitUntil { await counts(site) == ["shop: 0 requests, 0 hits", "blog: 2 requests, 1 hits", "rest: 1 requests, 1 hits"] }
        }
    }

    @Test(arguments: ["    site: shop\n", ""])
    func aReloadKeepsThePlacesOfRequestsInProgress(_ name: String) async throws {
        try await RuledSite.with("origin: ORIGIN\nroutes:\n  - path: /\n    requests: 1\n\(name)") { site in
            let old = try #require(site.proxy.routes.current.routes[0].site)
            #expect(old.enter())
            #expect(try await site.proxy.reload(site.proxy.configuration) == [])
            #expect(try await site.get("/a").status == 503)
            old.leave()
            #expect(try await site.get("/b").status == 200)
        }
    }

    @Test func moreRequestsThanASiteMayHaveAreAnsweredAtOnce() async throws {
        let (gate, arrivals) = (Gate(), Counter())
        let handler: HTTPServer.Handler = { request in
            arrivals.increment()
            await gate.pass()
            return .text("late", .ok, [.cacheControl: "max-age=60"])
        }
        try await withServer(handler: handler) { origin in
            var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:\(origin.port)"))
            configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
            configuration.routes[0].pathPrefix = "/limited/"
            configuration.routes[0].maximumRequestCount = 2
            configuration.routes.append(.init(upstream: "origin"))
            let upstreams = try Upstreams(configuration.upstreams, threads: NIOSingletons.posixEventLoopGroup, logger: KeptMessages().logger)
            let cache = HTTPCache()
            let proxy = ProxyHandler(
                routes: CurrentRoutes(try upstreams.table(of: configuration)),
                name: "t",
                cache: cache,
                logger: KeptMessages().logger
            )
            @Sendable func get(_ path: String) async -> HTTPServerResponse {
                let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: path)
                return await proxy.respond(to: HTTPServerRequest(head: head, remoteAddress: "192.0.2.1"))
            }
            async let first = get("/limited/1")
            async let second = get("/limited/2")
            try await waitUntil { arrivals.value == 2 }
            let refused = await get("/limited/3")
            #expect(refused.head.status.code == 503 && refused.head.headerFields[.retryAfter] == "1")
            async let other = get("/other")
            try await waitUntil { arrivals.value == 3 }
            gate.open()
            for response in [await first, await second, await other] {
                #expect(response.head.status == .ok)
                #expect(String(buffer: try await response.body.collect(upTo: 100)) == "late")
            }
            // The places are free again, and memory needs none.
            for path in ["/limited/3", "/limited/1"] {
                let response = await get(path)
                #expect(response.head.status == .ok)
                _ = try await response.body.collect(upTo: 100)
            }
            await cache.close()
            await upstreams.shutdown()
        }
    }

    @Test func aPlaceIsKeptUntilTheEndOfTheContent() async throws {
        let site = Site(number: 1, maximumRequestCount: 1)
        #expect(site.enter())
        #expect(!site.enter())
        let (body, feed) = BodyFeed.makeBody()
        var response: HTTPServerResponse? = site.keepingPlace(of: HTTPServerResponse(head: HTTPResponse(status: .ok), body: body))
        #expect(!site.enter())
        // The content is given up unread.
        response = nil
        #expect(response == nil && site.enter())
        feed.finish()
        site.leave()
        _ = site.keepingPlace(of: .text("at hand"))
        #expect(site.enter())
    }

    @Test func routesOfASiteHaveOneLimit() throws {
        let text = "origin: http://a.test\nroutes:\n  - path: /a/\n    site: x\n    requests: 5\n  - site: x\n"
        let error = #expect(throws: ProxyError.self) { try ProxySettings(.init(file: ("hoard.yaml", text))).configuration() }
        #expect(error?.message.contains("The routes of the site “x” differ in “requests”") == true)
        let equal = try ProxySettings(.init(file: ("hoard.yaml", text + "    requests: 5\n"))).configuration()
        #expect(equal.routes.map(\.maximumRequestCount) == [5, 5] && equal.routes.map(\.site) == ["x", "x"])
    }

    @Test func numbersAreForGoodAndNotEndless() {
        let numbers = SiteNumbers()
        #expect(["a", "b", "a"].map { numbers.number(of: $0) } == [1, 2, 1])
        for number in 2..<SiteNumbers.maximumCount { _ = numbers.number(of: "\(number)") }
        #expect(numbers.number(of: "one more") == 0 && numbers.number(of: "b") == 2)
        var note = ExchangeNote(AnswerReport(.miss, tier: .origin, isStored: true, foundUnusable: true))
        note.site = SiteNumbers.maximumCount
        #expect(note.site == SiteNumbers.maximumCount)
        #expect(note.report == AnswerReport(.miss, tier: .origin, isStored: true, foundUnusable: true))
        #expect(ExchangeNote.empty.report == nil && ExchangeNote.empty.site == 0)
    }
}
