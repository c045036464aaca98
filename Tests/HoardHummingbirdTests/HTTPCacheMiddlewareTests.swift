// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHummingbird
import HoardTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(1)))
struct HTTPCacheMiddlewareTests {
    @Test(arguments: Form.allCases)
    func storedResponseAnswersLaterRequests(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("run \(site.runs.count)", [.cacheControl: "s-maxage=60"])
            }
        }
        try await app.test(.router) { client async throws in
            let first = try await client.get("/page")
            #expect(first.text == "run 1" && first.cacheStatus.hasPrefix("hoard; fwd=uri-miss; fwd-status=200"))
            site.time.advance(by: .seconds(20))
            let second = try await client.get("/page")
            #expect(second.text == "run 1" && second.cacheStatus == "hoard; hit; ttl=40" && second.headers[.age] == "20")
            #expect(second.headers[.contentLength] == "5")
            site.time.advance(by: .seconds(41))
            #expect(try await client.get("/page").text == "run 2")
        }
        #expect(site.runs.count == 2)
        #expect(site.cache.statistics.hits == 1 && site.cache.statistics.misses == 2)
    }

    @Test(arguments: Form.allCases)
    func responseThatSaysNothingIsNotStored(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return "said"
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<3 { #expect(try await client.get("/page").text == "said") }
        }
        #expect(site.runs.count == 3)
    }

    @Test(arguments: Form.allCases)
    func hundredConcurrentMissesRunTheHandlerOnce(form: Form) async throws {
        let site = TestSite()
        let gate = Gate()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                await gate.pass()
                return Response.text("once", [.cacheControl: "s-maxage=60"])
            }
        }
        try await app.test(.router) { client async throws in
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<100 { group.addTask { try await client.get("/page") } }
                await gate.arrivals(1)
                gate.open()
                for try await response in group { #expect(response.text == "once") }
            }
        }
        #expect(site.runs.count == 1)
        let statistics = site.cache.statistics
        #expect(statistics.misses == 1 && statistics.collapsedHits + statistics.hits == 99)
    }

    @Test(arguments: [Form.middleware, .group])
    func requestsThatWaitShareOneFailure(form: Form) async throws {
        let site = TestSite()
        let gate = Gate()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ -> Response in
                site.runs.note(request)
                await gate.pass()
                throw HTTPError(.serviceUnavailable, message: "later")
            }
        }
        try await app.test(.router) { client async throws in
            try await withThrowingTaskGroup(of: TestResponse.self) { group in
                for _ in 0..<10 { group.addTask { try await client.get("/page") } }
                await gate.arrivals(1)
                try await site.followers(9, of: "http://localhost/page")
                gate.open()
                for try await response in group { #expect(response.status == .serviceUnavailable && response.text.contains("later")) }
            }
        }
        #expect(site.runs.count == 1)
        #expect(site.cache.statistics.failures == 10)
    }

    @Test(arguments: Form.allCases)
    func cacheAnswersConditionsRangesAndHead(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("0123456789", [.cacheControl: "s-maxage=60", .eTag: "\"a\""])
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").status == .ok)
            let unchanged = try await client.get("/page", [.ifNoneMatch: "\"a\""])
            #expect(unchanged.status == .notModified && unchanged.text.isEmpty && unchanged.headers[.contentLength] == nil)
            let part = try await client.get("/page", [.range: "bytes=2-4"])
            #expect(part.status == .partialContent && part.text == "234" && part.headers[.contentRange] == "bytes 2-4/10")
            let head = try await client.get("/page", method: .head)
            #expect(head.status == .ok && head.text.isEmpty && head.headers[.contentLength] == "10")
            #expect(try await client.get("/page", [.range: "bytes=20-"]).status == .rangeNotSatisfiable)
        }
        #expect(site.runs.count == 1)
    }

    @Test(arguments: Form.allCases)
    func headWithoutStoredResponseRunsTheHandlerAndSendsNoContent(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("0123456789", [.cacheControl: "s-maxage=60"])
            }
        }
        try await app.test(.router) { client async throws in
            let head = try await client.get("/page", method: .head)
            #expect(head.text.isEmpty && head.headers[.contentLength] == "10")
            #expect(try await client.get("/page").text == "0123456789")
        }
        #expect(site.runs.all.map(\.method) == [.head, .get])
    }

    @Test(arguments: Form.allCases)
    func responsesThatDifferByFieldsAreKeptApart(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                let language = request.headers[.acceptLanguage] ?? "none"
                return Response.text(language, [.cacheControl: "s-maxage=60", .vary: "Accept-Language"])
            }
        }
        try await app.test(.router) { client async throws in
            for language in ["de", "pt", "de", "pt"] { #expect(try await client.get("/page", [.acceptLanguage: language]).text == language) }
        }
        #expect(site.runs.count == 2)
    }

    @Test(arguments: Form.allCases)
    func unsafeMethodsInvalidateTheirURI(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("run \(site.runs.count)", [.cacheControl: "s-maxage=60"])
            }
            routes.put("page") { request, _ in
                let text = try await request.body.collect(upTo: 100)
                return text == ByteBuffer(string: "new") ? HTTPResponse.Status.noContent : .badRequest
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").text == "run 1")
            #expect(try await client.get("/page", method: .put, body: ByteBuffer(string: "old")).status == .badRequest)
            #expect(try await client.get("/page").text == "run 1")
            let changed = try await client.get("/page", method: .put, body: ByteBuffer(string: "new"))
            #expect(changed.status == .noContent && changed.headers[.contentLength] == nil)
            #expect(try await client.get("/page").text == "run 2")
        }
    }

    @Test(arguments: Form.allCases)
    func removedAndMarkedResponsesAreMadeAgain(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, context in
                site.runs.note(request)
                context.cacheNotes.addTags("a", "b")
                return Response.text("run \(site.runs.count)", [.cacheControl: "s-maxage=60"])
            }
            routes.post("purge") { request, _ in
                let uri = try #require(site.caching.uri(ofPath: "/page", like: request))
                await site.cache.remove(uri)
                return HTTPResponse.Status.noContent
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").text == "run 1")
            _ = try await client.get("/purge", method: .post)
            #expect(try await client.get("/page").text == "run 2")
            await site.cache.remove(taggedWith: "b")
            #expect(try await client.get("/page").text == "run 3")
            await site.cache.markStale(taggedWith: "a")
            #expect(try await client.get("/page").text == "run 4")
            #expect(try await client.get("/page").text == "run 4")
        }
    }
}

extension TestSite {
    /// Suspends until so many requests wait for the answer to another one.
    func followers(_ count: Int, of uri: String) async throws {
        let key = FlightKey(key: HTTPCacheKey(scope: cache.baseScope, targetURI: uri), variant: nil)
        let exchange = try #require(cache.flights.exchange(key))
        await exchange.followers(count)
    }
}
