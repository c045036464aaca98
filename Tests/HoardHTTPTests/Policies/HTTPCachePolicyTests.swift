// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import HoardHTTP

/// A site owner's policy for the cache, in addition to the directives of responses.
@Suite(.timeLimit(.minutes(5))) struct HTTPCachePolicyTests {
    /// A policy, made in place.
    private func policy(_ make: (inout HTTPCachePolicy) -> Void) -> HTTPCachePolicy {
        var policy = HTTPCachePolicy()
        make(&policy)
        return policy
    }

    private func harness(
        mode: CacheMode = .shared,
        stores: [any RecordStore] = [],
        time: TestTime = TestTime(),
        code: Int = 200,
        _ fields: HTTPFields
    ) -> CacheHarness {
        CacheHarness(mode: mode, stores: stores, time: time) { _ in .text("hello", status: .init(code: code), fields: fields) }
    }

    // MARK: Lifetime

    @Test(arguments: ["no-store", "private", "no-cache, max-age=0", "max-age=0, private, must-revalidate", "max-age=600"])
    func alwaysHidesWhatTheResponseSays(directives: String) async throws {
        let harness = harness([.cacheControl: directives, .expires: "0"])
        let minute = policy { $0.lifetime = .always(.seconds(60)) }
        #expect(try await harness.get(minute).cacheStatus == "hoard; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        harness.time.advance(seconds: 59)
        let hit = try await harness.get(minute)
        #expect(hit.cacheStatus == "hoard; hit; ttl=1")
        #expect(hit.head.headerFields[.cacheControl] == directives, "the client gets what the origin has said")
        harness.time.advance(seconds: 1)
        #expect(!(try await harness.get(minute).isFromCache))
    }

    @Test func alwaysComesBeforeTheOriginsTargetedField() async throws {
        let harness = harness([.cdnCacheControl: "no-store"])
        #expect(try await harness.get(policy { $0.lifetime = .always(.seconds(5)) }).cacheStatus.hasSuffix("ttl=5; stored"))
    }

    @Test func alwaysGivesNobodysCookieToAnother() async throws {
        let harness = harness([.cacheControl: "private", .setCookie: "session=1"])
        let minute = policy { $0.lifetime = .always(.seconds(60)) }
        for _ in 1...2 { #expect(try await harness.get(minute).cacheStatus.hasSuffix("detail=PRIVATE")) }
        #expect(harness.requestCount == 2)
    }

    @Test func aCookieDoesNotMatterInAPrivateCache() async throws {
        let harness = harness(mode: .private, [.setCookie: "session=1"])
        let minute = policy { $0.lifetime = .always(.seconds(60)) }
        try await harness.get(minute)
        #expect(try await harness.get(minute).isFromCache)
    }

    @Test func alwaysDoesNotShareWhatCredentialsGot() async throws {
        let harness = harness([:])
        let minute = policy { $0.lifetime = .always(.seconds(60)) }
        for _ in 1...2 {
            let reply = try await harness.get("/a", [.authorization: "Bearer ann"], minute)
            #expect(reply.cacheStatus.hasSuffix("detail=AUTHORIZATION"))
        }
    }

    @Test(arguments: [302, 403, 500, 503]) func aLifetimeIsNotMeantForErrors(code: Int) async throws {
        let harness = harness(code: code, [:])
        for lifetime in [HTTPCachePolicy.Lifetime.always(.seconds(60)), .ifUnspecified(.seconds(60))] {
            let policy = policy { $0.lifetime = lifetime }
            try await harness.get(policy)
            #expect(!(try await harness.get(policy).isFromCache))
        }
    }

    @Test func aDefaultLifetimeIsForResponsesThatSayNothing() async throws {
        let fallback = policy { $0.lifetime = .ifUnspecified(.seconds(30)) }
        let silent = harness([:])
        #expect(try await silent.get(fallback).cacheStatus.hasSuffix("ttl=30; stored"))
        #expect(try await silent.get(fallback).isFromCache)
        let explicit = harness([.cacheControl: "max-age=5"])
        #expect(try await explicit.get(fallback).cacheStatus.hasSuffix("ttl=5; stored"))
        let targeted = harness([.cdnCacheControl: "max-age=7"])
        #expect(try await targeted.get(fallback).cacheStatus.hasSuffix("ttl=7; stored"))
        let unstorable = harness([.cacheControl: "no-store"])
        #expect(try await unstorable.get(fallback).cacheStatus.hasSuffix("detail=NO-STORE"))
        let personal = harness([.setCookie: "a=b"])
        try await personal.get(fallback)
        #expect(!(try await personal.get(fallback).isFromCache))
    }

    @Test func aDefaultLifetimeTakesThePlaceOfTheHeuristic() async throws {
        let harness = harness([.lastModified: "Mon, 01 Jan 2001 00:00:00 GMT"])
        #expect(try await harness.get(policy { $0.lifetime = .ifUnspecified(.seconds(30)) }).cacheStatus.hasSuffix("ttl=30; stored"))
    }

    @Test func aConfirmedResponseHasTheLifetimeOfThePolicyInForceNow() async throws {
        let harness = CacheHarness(mode: .shared) { request in
            let isCurrent = request.head.headerFields[.ifNoneMatch] != nil
            return .text(isCurrent ? "" : "hello", status: isCurrent ? .notModified : .ok, fields: [.eTag: "\"1\"", .cacheControl: "no-store"])
        }
        try await harness.get(policy { $0.lifetime = .always(.seconds(10)) })
        harness.time.advance(seconds: 11)
        let confirmed = try await harness.get(policy { $0.lifetime = .always(.seconds(99)) })
        #expect(confirmed.cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=99; stored")
        harness.time.advance(seconds: 100)
        // Without a policy the response is judged by its own fields.
        #expect(try await harness.get().cacheStatus == "hoard; fwd=stale; fwd-status=304; ttl=0")
        #expect(try await harness.get().cacheStatus.hasPrefix("hoard; fwd=uri-miss"))
    }

    @Test func thePolicySurvivesInAStoreAndNeverLeavesTheCache() async throws {
        let time = TestTime()
        let store = MemoryStore(clock: time)
        let origin: FakeTransport.Handler = { _ in .text("hello", fields: [.cacheControl: "no-store", .hoardPolicy: "max-age=9999"]) }
        let policy = policy {
            $0.lifetime = .always(.seconds(60))
            $0.staleIfError = .seconds(5)
            $0.tags = ["catalogue"]
        }
        let first = CacheHarness(mode: .shared, stores: [store], time: time, origin: origin)
        #expect(try await first.get(policy).head.headerFields[.hoardPolicy] == nil)
        await first.cache.flush()
        let second = CacheHarness(mode: .shared, stores: [store], time: time, origin: origin)
        time.advance(seconds: 30)
        let hit = try await second.get(policy)
        #expect(hit.cacheStatus == "hoard; hit; ttl=30")
        #expect(hit.head.headerFields[.hoardPolicy] == nil)
        let explanation = await second.cache.explain("http://example.com/a", policy: policy)
        #expect(explanation.stored?.lifetimeSource == "policy")
        #expect(explanation.stored?.tags == ["catalogue"])
        await second.cache.remove(taggedWith: "catalogue")
        #expect(!(try await second.get(policy).isFromCache))
    }

    @Test func whatAnOriginSendsUnderTheNameOfTheFieldIsDropped() async throws {
        let harness = harness([.hoardPolicy: "max-age=60", .eTag: "\"1\""])
        let miss = try await harness.get()
        #expect(miss.head.headerFields[.hoardPolicy] == nil)
        #expect(miss.cacheStatus.hasSuffix("ttl=0; stored"))
        #expect(!(try await harness.get().isFromCache))
    }

    // MARK: Grace

    @Test func staleWhileRevalidateIsForResponsesThatSayNothingOfIt() async throws {
        let harness = harness([.cacheControl: "max-age=10"])
        let grace = policy { $0.staleWhileRevalidate = .seconds(20) }
        try await harness.get(grace)
        harness.time.advance(seconds: 15)
        #expect(try await harness.get(grace).cacheStatus.hasSuffix("detail=STALE-WHILE-REVALIDATE"))
        let strict = self.harness([.cacheControl: "max-age=10, stale-while-revalidate=0"])
        try await strict.get(grace)
        strict.time.advance(seconds: 15)
        #expect(!(try await strict.get(grace).isFromCache))
    }

    @Test func staleIfErrorStandsInForAnOriginThatFails() async throws {
        let isDown = Mutex(false)
        let harness = CacheHarness(mode: .shared) { _ in
            isDown.withLock { $0 } ? .text("down", status: .serviceUnavailable) : .text("hello", fields: [.cacheControl: "max-age=10"])
        }
        let grace = policy { $0.staleIfError = .seconds(20) }
        try await harness.get(grace)
        isDown.withLock { $0 = true }
        harness.time.advance(seconds: 15)
        #expect(try await harness.get(grace).text == "hello")
        harness.time.advance(seconds: 16)
        #expect(try await harness.get(grace).code == 503)
    }

    @Test func mustRevalidatePrevailsOverGrace() async throws {
        let harness = harness([.cacheControl: "max-age=10, must-revalidate"])
        let grace = policy { $0.staleWhileRevalidate = .seconds(20) }
        try await harness.get(grace)
        harness.time.advance(seconds: 15)
        #expect(!(try await harness.get(grace).isFromCache))
    }

    // MARK: Keys

    @Test func ignoredParametersShareAnEntryAndReachTheOrigin() async throws {
        let harness = harness([.cacheControl: "max-age=60"])
        let policy = policy { $0.ignoredQueryParameters = ["utm_*"] }
        try await harness.get("/a?x=1&utm_source=mail", [:], policy)
        #expect(harness.transport.requests.first?.head.path == "/a?x=1&utm_source=mail")
        #expect(try await harness.get("/a?utm_source=news&x=1", [:], policy).isFromCache)
        #expect(try await harness.get("/a?x=1", [:], policy).isFromCache)
        #expect(!(try await harness.get("/a?x=2", [:], policy).isFromCache))
        let explanation = await harness.cache.explain("http://example.com/a?x=1&utm_campaign=z", policy: policy)
        #expect(explanation.uri == "http://example.com/a?x=1")
        #expect(explanation.outcome == .answered)
    }

    @Test func removingAndMarkingStaleFindWhatAPolicyHasShaped() async throws {
        let harness = harness([.cacheControl: "max-age=60"])
        let policy = policy { $0.ignoredQueryParameters = ["utm_*"] }
        try await harness.get("/a?utm_source=mail", [:], policy)
        #expect(await harness.cache.remove("http://example.com/a?utm_source=other", policy: policy))
        #expect(!(try await harness.get("/a", [:], policy).isFromCache))
        #expect(await harness.cache.markStale("http://example.com/a?utm_source=other", policy: policy))
        #expect(!(try await harness.get("/a", [:], policy).isFromCache))
    }

    @Test func aChangeRemovesWhatAPolicyHasShaped() async throws {
        let harness = CacheHarness(mode: .shared) { request in
            let location: HTTPFields = request.head.method == .post ? [.location: "/b?utm_source=1"] : [:]
            return .text("hello", fields: [.cacheControl: "max-age=60"] + location)
        }
        let policy = policy { $0.ignoredQueryParameters = ["utm_*"] }
        for path in ["/a", "/b"] { try await harness.get(path, [:], policy) }
        try await harness.send(.post, "/a?utm_source=2", [:], policy)
        for path in ["/a", "/b"] { #expect(!(try await harness.get(path, [:], policy).isFromCache), "\(path)") }
    }

    @Test func requestsThatDifferByIgnoredParametersShareOneExchange() async throws {
        let transport = FakeTransport { _ in .text("hello", fields: [.cacheControl: "max-age=60"]) }
        let harness = CacheHarness(mode: .shared, transport: transport)
        let policy = policy { $0.ignoredQueryParameters = ["*"] }
        let hold = transport.hold()
        async let first = harness.get("/a?1", [:], policy)
        await hold.arrivals(1)
        async let second = harness.get("/a?2", [:], policy)
        try await harness.followers(1, of: "/a")
        hold.release()
        #expect(try await first.text == "hello")
        #expect(try await second.cacheStatus.hasSuffix("collapsed"))
        #expect(harness.requestCount == 1)
    }

    @Test func keyFieldsSelectAsIfTheyWereInVary() async throws {
        let harness = CacheHarness(mode: .shared) { request in
            .text(request.head.headerFields[.acceptLanguage] ?? "-", fields: [.cacheControl: "max-age=60"])
        }
        let policy = policy { $0.keyFields = [.acceptLanguage] }
        for language in ["fi", "sv"] { try await harness.get("/a", [.acceptLanguage: language], policy) }
        for language in ["fi", "sv"] {
            let hit = try await harness.get("/a", [.acceptLanguage: language], policy)
            #expect(hit.isFromCache)
            #expect(hit.text == language)
            #expect(hit.head.headerFields[.vary] == nil)
        }
        #expect(harness.requestCount == 2)
    }

    // MARK: Bypass

    @Test func bypassedRequestsNeitherGetNorLeaveAnything() async throws {
        let harness = harness([.cacheControl: "max-age=60"])
        let bypass = policy { $0.isBypassed = true }
        try await harness.get()
        let reply = try await harness.get(bypass)
        #expect(reply.cacheStatus == "hoard; fwd=bypass; fwd-status=200")
        #expect(try await harness.get("/b", [:], bypass).cacheStatus.hasPrefix("hoard; fwd=bypass"))
        #expect(!(try await harness.get("/b").isFromCache))
        #expect(harness.cache.responseFromMemory(to: .init(.test(.get, "/a"), policy: CompiledHTTPCachePolicy(bypass))) == nil)
        let explanation = await harness.cache.explain("http://example.com/a", policy: bypass)
        #expect(explanation.outcome == .forwarded)
        #expect(explanation.reason.token == "POLICY-BYPASS")
    }

    @Test func aChangeOnABypassedRouteStillRemovesWhatIsStored() async throws {
        let harness = harness([.cacheControl: "max-age=60"])
        try await harness.get()
        try await harness.send(.post, "/a", [:], policy { $0.isBypassed = true })
        #expect(!(try await harness.get().isFromCache))
    }
}

extension CacheHarness {
    @discardableResult
    fileprivate func send(_ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields, _ policy: HTTPCachePolicy) async throws -> Reply {
        try await Reply(cache.respond(to: .test(method, path, fields), policy: policy, through: transport))
    }

    @discardableResult
    fileprivate func get(_ path: String, _ fields: HTTPFields, _ policy: HTTPCachePolicy) async throws -> Reply {
        try await send(.get, path, fields, policy)
    }

    @discardableResult
    fileprivate func get(_ policy: HTTPCachePolicy) async throws -> Reply {
        try await get("/a", [:], policy)
    }
}
