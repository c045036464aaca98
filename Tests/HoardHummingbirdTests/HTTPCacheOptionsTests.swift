// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTesting
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import HoardHummingbird

/// The requests of a site's owner to the cache.
@Suite(.timeLimit(.minutes(1)))
struct HTTPCacheOptionsTests {
    @Test(arguments: Form.allCases)
    func policyGivesALifetimeToResponsesWithoutOne(form: Form) async throws {
        var policy = HTTPCachePolicy()
        policy.lifetime = .ifUnspecified(.seconds(30))
        policy.ignoredQueryParameters = ["utm_*"]
        policy.tags = ["site"]
        var options = HTTPCacheOptions<TestContext>()
        options.policy = HTTPCachePolicy.matching(["/pages/**": policy])
        let site = TestSite(options: options)
        let app = site.app(form) { routes in
            routes.get("pages/:name") { request, _ in
                site.runs.note(request)
                return "page"
            }
            routes.get("other") { request, _ in
                site.runs.note(request)
                return "other"
            }
        }
        try await app.test(.router) { client async throws in
            #expect(try await client.get("/pages/1").text == "page")
            #expect(try await client.get("/pages/1?utm_source=x").cacheStatus.hasPrefix("hoard; hit; ttl=30"))
            #expect(try await client.get("/pages/1?page=2").cacheStatus.contains("fwd=uri-miss"))
            #expect(site.runs.count == 2)
            await site.cache.remove(taggedWith: "site")
            #expect(try await client.get("/pages/1").cacheStatus.contains("fwd="))
            for _ in 0..<2 { #expect(try await client.get("/other").cacheStatus.contains("fwd=")) }
        }
        #expect(site.runs.count == 5)
    }

    @Test(arguments: Form.allCases)
    func bypassIsDecidedFromTheContext(form: Form) async throws {
        var options = HTTPCacheOptions<TestContext>()
        options.policy = { _, context in
            var policy = HTTPCachePolicy()
            policy.isBypassed = context.parameters.get("name") == "preview"
            return policy
        }
        let site = TestSite(options: options)
        let app = site.app(form) { routes in
            routes.get("pages/:name") { request, _ in
                site.runs.note(request)
                return Response.text("page", [.cacheControl: "s-maxage=60"])
            }
        }
        try await app.test(.router) { client async throws in
            for _ in 0..<2 { #expect(try await client.get("/pages/preview").text == "page") }
            // Around a whole responder nothing has been routed yet.
            #expect(site.runs.count == (form == .responder ? 1 : 2))
            for _ in 0..<2 { _ = try await client.get("/pages/1") }
        }
        #expect(site.runs.count == (form == .responder ? 2 : 3))
    }

    @Test
    func policyOfAGroupIsThatOfItsRoutes() async throws {
        let site = TestSite()
        var policy = HTTPCachePolicy()
        policy.lifetime = .always(.seconds(30))
        let router = Router(context: TestContext.self)
        router.group("a", cache: site.caching, policy: policy)
            .get("page") { request, _ -> String in
                site.runs.note(request)
                return "a"
            }
        router.group("b", cache: site.caching)
            .get("page") { request, _ -> String in
                site.runs.note(request)
                return "b"
            }
        try await Application(responder: router.buildResponder()).test(.router) { client async throws in
            for _ in 0..<2 { #expect(try await client.get("/a/page").text == "a") }
            #expect(site.runs.count == 1)
            for _ in 0..<2 { #expect(try await client.get("/b/page").text == "b") }
        }
        #expect(site.runs.count == 3)
    }

    @Test
    func middlewaresOfAGroupStandBehindTheCache() async throws {
        let site = TestSite()
        let router = Router(context: TestContext.self)
        router.group(cache: site.caching)
            .add(middleware: Stamp(runs: site.runs))
            .get("page") { _, _ in Response.text("page", [.cacheControl: "s-maxage=60"]) }
        try await Application(responder: router.buildResponder()).test(.router) { client async throws in
            for _ in 0..<2 { #expect(try await client.get("/page").headers[.server] == "stamp 1") }
        }
        #expect(site.runs.count == 1)
    }

    @Test
    func patternsMatchAsRoutesDo() {
        func matches(_ pattern: RouterPath, _ path: String) -> Bool { PathPattern(pattern).matches(path.split(separator: "/")) }
        #expect(matches("/a/b", "/a/b") && !matches("/a/b", "/a") && !matches("/a/b", "/a/b/c") && !matches("/a/b", "/a/c"))
        #expect(matches("/a/*", "/a/b") && !matches("/a/*", "/a") && !matches("/a/*", "/a/b/c"))
        #expect(matches("/a/:id/c", "/a/b/c") && matches("/a/*.css", "/a/x.css") && !matches("/a/*.css", "/a/x.js"))
        #expect(matches("/a/**", "/a/b") && matches("/a/**", "/a/b/c") && !matches("/a/**", "/a") && !matches("/a/**", "/b/c"))
        #expect(matches("/", "/") && !matches("/", "/a"))
    }

    @Test
    func policiesAreCompiledOnceAndBounded() {
        let policies = CompiledPolicies()
        #expect(policies.compiled(HTTPCachePolicy()) == nil)
        var policy = HTTPCachePolicy()
        policy.tags = ["first"]
        let first = policies.compiled(policy)
        #expect(first != nil && policies.compiled(policy) === first)
        for number in 0..<(2 * CompiledPolicies.maximumCount) {
            policy.tags = ["\(number)"]
            #expect(policies.compiled(policy)?.policy == policy)
        }
        #expect(policies.compiled(policy) !== policies.compiled(policy))
    }
}

private struct Stamp: RouterMiddleware {
    let runs: Runs

    func handle(_ request: Request, context: TestContext, next: (Request, TestContext) async throws -> Response) async throws -> Response {
        runs.note(request)
        var response = try await next(request, context)
        response.headers[.server] = "stamp \(runs.count)"
        return response
    }
}
