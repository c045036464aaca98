// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// A response for one user is for that user only: `HTTPCacheSharingTests` has credentials and partitions, this has cookies and logging out.
@Suite(.timeLimit(.minutes(5))) struct UserSeparationTests {
    private static func page(_ fields: HTTPFields) -> FakeTransport.Handler {
        { request in .text("page of \(request.head.headerFields[.cookie] ?? "nobody")", fields: fields) }
    }

    @Test func pageForACookieIsNotSharedWithoutPermission() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.page([.setCookie: "session=1"]))
        for user in ["ann", "bob", "ann"] {
            #expect(try await harness.get("/a", [.cookie: user]).text == "page of \(user)")
        }
        #expect(harness.requestCount == 3)
    }

    @Test func lifetimeIsNotGuessedForACookie() async throws {
        let fields: HTTPFields = [.setCookie: "session=1", .lastModified: "Wed, 01 Jan 2020 00:00:00 GMT"]
        let harness = CacheHarness(mode: .shared, origin: Self.page(fields))
        for user in ["ann", "bob"] { #expect(try await harness.get("/a", [.cookie: user]).text == "page of \(user)") }
    }

    @Test func pageThatVariesByCookieIsKeptApart() async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.page([.cacheControl: "max-age=60", .vary: "Cookie"]))
        for _ in 1...2 {
            for user in ["ann", "bob"] { #expect(try await harness.get("/a", [.cookie: user]).text == "page of \(user)") }
            #expect(try await harness.get().text == "page of nobody")
        }
        #expect(harness.requestCount == 3)
    }

    @Test(arguments: ["max-age=60, private=\"Set-Cookie\"", "max-age=60, no-cache=\"Set-Cookie\"", "max-age=60, private=\"set-cookie, x\""])
    func cookieThatIsNamedAsPrivateIsNotShared(directives: String) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.page([.cacheControl: directives, .setCookie: "session=ann"]))
        #expect(try await harness.get().head.headerFields[.setCookie] == "session=ann")
        let shared = try await harness.get()
        #expect(shared.isFromCache)
        #expect(!shared.head.headerFields.contains(.setCookie))
    }

    @Test(arguments: ["private, max-age=60", "no-store", "no-store, max-age=60, public"])
    func cookieIsNotSharedIfTheResponseIsNot(directives: String) async throws {
        let harness = CacheHarness(mode: .shared, origin: Self.page([.cacheControl: directives, .setCookie: "session=ann"]))
        for _ in 1...2 { #expect(try await !harness.get().isFromCache) }
    }

    @Test func confirmationForOneUserIsNotStoredForAll() async throws {
        // A 304 that is private stops the sharing of the response that it confirms.
        let harness = CacheHarness(mode: .shared) { request in
            request.head.headerFields.contains(.ifNoneMatch)
                ? .text(status: .notModified, fields: [.eTag: "\"1\"", .cacheControl: "private, max-age=60", .setCookie: "session=ann"])
                : .text("page", fields: [.eTag: "\"1\"", .cacheControl: "max-age=1"])
        }
        try await harness.get()
        harness.time.advance(seconds: 2)
        try await harness.get()
        let later = try await harness.get()
        #expect(!later.isFromCache || later.cacheStatus.contains("fwd="))
        #expect(harness.requestCount == 3)
    }

    @Test func nothingIsLeftAfterLoggingOut() async throws {
        let harness = CacheHarness(origin: Self.page([.cacheControl: "max-age=60"]))
        for path in ["/a", "/b"] { try await harness.get(path, [.cookie: "ann"]) }
        try await harness.get("/c", [.authorization: "ann"])
        await harness.cache.removeAll()
        for path in ["/a", "/b", "/c"] { #expect(try await harness.get(path).text == "page of nobody") }
        #expect(try await !harness.get("/c", [.authorization: "ann"]).isFromCache)
    }

    @Test func pageThatMustBeConfirmedIsNotShownAfterLoggingOut() async throws {
        let harness = CacheHarness { request in
            request.head.headerFields.contains(.cookie)
                ? .text("page", fields: [.cacheControl: "no-cache", .eTag: "\"1\""]) : .text("log in", status: .forbidden)
        }
        try await harness.get("/a", [.cookie: "ann"])
        #expect(try await harness.get().text == "log in")
    }
}
