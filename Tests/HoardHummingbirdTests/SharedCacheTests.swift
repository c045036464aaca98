// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHummingbird
import HoardTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// The user to whom a response belongs, and the name by which the cache knows the user.
@Suite(.timeLimit(.minutes(1)))
struct SharedCacheTests {
    private static let shared: HTTPFields = [.cacheControl: "s-maxage=60"]

    /// How often the handler was run for two requests like this one.
    private func runs(_ fields: HTTPFields, _ response: HTTPFields, form: Form) async throws -> Int {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("page", response)
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 {
                let answer = try await client.get("/page", fields)
                #expect(answer.text == "page")
                // The client gets the handler's response, whether it is stored or not.
                for field in response { #expect(answer.headers[field.name] == field.value) }
            }
        }
        return site.runs.count
    }

    @Test(arguments: Form.allCases)
    func whatIsForOneUserIsNotStored(form: Form) async throws {
        let lasting: HTTPFields = [.cacheControl: "max-age=60"]
        let credentials: HTTPFields = [.authorization: "Bearer a"]
        #expect(try await runs([:], lasting, form: form) == 1)
        #expect(try await runs([:], [.cacheControl: "private, max-age=60"], form: form) == 2)
        #expect(try await runs([:], [.cacheControl: "no-store"], form: form) == 2)
        #expect(try await runs(credentials, lasting, form: form) == 2)
        #expect(try await runs(credentials, [.cacheControl: "public, max-age=60"], form: form) == 1)
        #expect(try await runs([:], [.cacheControl: "max-age=60", .setCookie: "id=1", .vary: "Accept"], form: form) == 2)
        #expect(try await runs([:], [.cacheControl: "max-age=60, public", .setCookie: "theme=dark"], form: form) == 1)
        #expect(try await runs([:], [.cacheControl: "s-maxage=60", .setCookie: "theme=dark"], form: form) == 1)
    }

    @Test(arguments: Form.allCases)
    func handlerCanPreventStoringUnseen(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, context in
                site.runs.note(request)
                context.cacheNotes.preventStoring()
                return Response.text("page", Self.shared)
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 {
                let answer = try await client.get("/page")
                #expect(answer.headers[.vary] == nil && answer.headers[.cacheControl] == "s-maxage=60")
            }
        }
        #expect(site.runs.count == 2)
    }

    @Test(arguments: Form.allCases, [false, true])
    func tagsStayInTheServerUnlessToldOtherwise(form: Form, sendsTags: Bool) async throws {
        var options = HTTPCacheOptions<TestContext>()
        options.sendsTags = sendsTags
        let site = TestSite(options: options)
        let app = site.app(form) { routes in
            routes.get("page") { request, context in
                site.runs.note(request)
                context.cacheNotes.addTags(["c"])
                var response = Response.text("page", Self.shared)
                response.cacheTags = ["b", "a"]
                return response
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 {
                let answer = try await client.get("/page")
                #expect(answer.headers[values: cacheTagName] == (sendsTags ? ["a, b", "c"] : []))
            }
            for (tag, count) in [("a", 2), ("c", 3), ("x", 3)] {
                await site.cache.remove(taggedWith: tag)
                _ = try await client.get("/page")
                #expect(site.runs.count == count)
            }
        }
    }

    @Test
    func tagsOfAResponseAreThoseOfItsField() {
        var response = Response(status: .ok)
        #expect(response.cacheTags.isEmpty)
        response.cacheTags = ["b", "a"]
        #expect(response.headers[cacheTagName] == "a, b")
        response.headers.append(HTTPField(name: cacheTagName, value: "c ,d"))
        #expect(response.cacheTags == ["a", "b", "c", "d"])
        response.cacheTags = []
        #expect(response.headers[cacheTagName] == nil)
    }

    @Test(arguments: Form.allCases)
    func partitionsDoNotShare(form: Form) async throws {
        var options = HTTPCacheOptions<TestContext>()
        options.partition = { request, _ in request.headers[.userAgent] }
        let site = TestSite(options: options)
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text(request.headers[.userAgent] ?? "nobody", Self.shared)
            }
        }
        try await app.test(.router) { client async throws in
            for tenant in ["a", "b", "a", "b"] { #expect(try await client.get("/page", [.userAgent: tenant]).text == tenant) }
            #expect(try await client.get("/page").text == "nobody")
            #expect(site.runs.count == 3)
            await site.cache.removePartition("a")
            for tenant in ["a", "b"] { #expect(try await client.get("/page", [.userAgent: tenant]).text == tenant) }
            #expect(site.runs.count == 4)
        }
    }

    @Test(arguments: Form.allCases)
    func privateCacheIsOnlyForRequestsWithAPartition(form: Form) async throws {
        var options = HTTPCacheOptions<TestContext>()
        options.partition = { request, _ in request.headers[.userAgent] }
        let site = TestSite(.init(), options: options)
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("page", [.cacheControl: "private, max-age=60"])
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 { #expect(try await client.get("/page").cacheStatus == "hoard; fwd=bypass; fwd-status=200") }
            // An empty name belongs to no user.
            for _ in 0..<2 { #expect(try await client.get("/page", [.userAgent: ""]).cacheStatus == "hoard; fwd=bypass; fwd-status=200") }
            #expect(site.runs.count == 4)
            for _ in 0..<2 { _ = try await client.get("/page", [.userAgent: "a"]) }
            #expect(site.runs.count == 5)
        }
    }

    @Test(arguments: Form.allCases)
    func pathThatIsNotInNormalFormIsNotTakenForAnother(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("page", Self.shared)
            }
            routes.get("trap/:name/page") { request, _ in
                site.runs.note(request)
                return Response.text("trap at \(request.uri.path)", Self.shared)
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 { #expect(try await client.get("/trap/%2e%2e/page").text == "trap at /trap/%2e%2e/page") }
            #expect(try await client.get("/page").text == "page")
            #expect(try await client.get("/page").text == "page")
        }
        #expect(site.runs.count == 3)
    }

    @Test(arguments: Form.allCases)
    func answerToAPostIsNotStoredForAPathThatOnlyTheCacheTakesForItsOwn(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { _, _ in Response.text("page", Self.shared) }
            routes.post("trap/:name/page") { _, _ in
                Response.text("trap", [.cacheControl: "s-maxage=60", .contentLocation: "/page"])
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/trap/%2e%2e/page", method: .post).text == "trap")
            #expect(try await client.get("/page").text == "page")
        }
    }

    @Test(arguments: Form.allCases)
    func queryIsGivenToTheHandlerInTheFormOfTheKey(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text(request.uri.query ?? "none", Self.shared)
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page?a=%7e").text == "a=~")
            #expect(try await client.get("/page?a=~").text == "a=~")
            #expect(try await client.get("/page").text == "none")
        }
        #expect(site.runs.count == 2)
    }

    @Test(arguments: Form.allCases)
    func contentOfGetIsNotCachedAndUnannouncedContentIsNotSeen(form: Form) async throws {
        let site = TestSite()
        let app = site.app(form) { routes in
            routes.get("page") { request, _ in
                site.runs.note(request)
                return Response.text("got " + String(buffer: try await request.body.collect(upTo: 100)), Self.shared)
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/page").text == "got ")
            #expect(try await client.get("/page", body: ByteBuffer(string: "x")).text == "got x")
            #expect(try await client.get("/page").text == "got ")
        }
        #expect(site.runs.count == 2)
    }
}
