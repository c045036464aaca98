// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ResponseCacheTests {
    private let time = TestTime()

    private func cache(lifetimeIfUnknown: Duration? = nil) -> ResponseCache {
        ResponseCache(cache: HTTPCache(clock: time, ticker: time), lifetimeIfUnknown: lifetimeIfUnknown)
    }

    private static func get(_ url: String = "http://example.com/a", _ headers: HTTPFields = [:], token: String? = nil) -> NetworkRequest {
        NetworkRequest(.get, url, headers: headers, token: token)
    }

    private static func reply(_ text: String, _ headers: HTTPFields = [.cacheControl: "max-age=60"]) -> NetworkResponse {
        NetworkResponse(headers: headers, body: Data(text.utf8))
    }

    private func text(_ response: NetworkResponse?) -> String? { response.map { String(decoding: $0.body, as: UTF8.self) } }

    @Test func responseIsFoundUntilItIsStale() async {
        let cache = cache()
        #expect(await cache[Self.get()] == nil)
        await cache.store(Self.reply("hello"), for: Self.get())
        time.advance(seconds: 59)
        let found = await cache[Self.get("HTTP://EXAMPLE.com:80/b/../a#part")]
        #expect(text(found) == "hello")
        #expect(found?.isFromCache == true)
        #expect(found?.headers[.age] == "59")
        #expect(found?.url == "http://example.com/a")
        time.advance(seconds: 1)
        #expect(await cache[Self.get()] == nil)
    }

    @Test func headIsAnsweredWithoutContent() async {
        let cache = cache()
        await cache.store(Self.reply("hello"), for: Self.get())
        let found = await cache.fetch(NetworkRequest(.head, "http://example.com/a"))
        #expect(found?.status == .ok)
        #expect(found?.body.isEmpty == true)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func otherMethodsAreNeitherKeptNorAnswered(method: HTTPRequest.Method) async {
        let cache = cache()
        await cache.store(Self.reply("hello"), for: NetworkRequest(method, "http://example.com/a"))
        #expect(await cache[Self.get()] == nil)
        await cache.store(Self.reply("hello"), for: Self.get())
        #expect(await cache[NetworkRequest(method, "http://example.com/a")] == nil)
        #expect(text(await cache[Self.get()]) == "hello", "And asking does no harm.")
    }

    @Test func requestsThatDifferInWhatCountsAreKeptApart() async {
        let cache = cache()
        await cache.store(Self.reply("hello"), for: Self.get())
        #expect(await cache[Self.get("http://example.com/b")] == nil)
        #expect(await cache[Self.get("http://example.com/a?q")] == nil)
        #expect(await cache[Self.get("https://example.com/a")] == nil)
        #expect(await cache[Self.get(token: "one")] == nil)
        #expect(await cache[Self.get("http://example.com/a", [.accept: "text/plain"])] != nil, "The response does not vary.")
    }

    @Test func fieldsThatTheResponseNamesSelect() async {
        let cache = cache()
        for language in ["en", "de"] {
            let reply = Self.reply(language, [.cacheControl: "max-age=60", .vary: "Accept-Language"])
            await cache.store(reply, for: Self.get("http://example.com/a", [.acceptLanguage: language]))
        }
        for language in ["en", "de"] {
            #expect(text(await cache[Self.get("http://example.com/a", [.acceptLanguage: language])]) == language)
        }
        #expect(await cache[Self.get("http://example.com/a", [.acceptLanguage: "fr"])] == nil)
    }

    @Test func twoTokensNeverShareAReply() async {
        let cache = cache()
        for token in ["one", "two"] { await cache.store(Self.reply(token), for: Self.get(token: token)) }
        for token in ["one", "two"] { #expect(text(await cache[Self.get(token: token)]) == token) }
        #expect(await cache[Self.get()] == nil)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0", "no-store, max-age=60"])
    func whatMayNotBeReusedIsNotReturned(directives: String) async {
        let cache = cache(lifetimeIfUnknown: .seconds(60))
        await cache.store(Self.reply("secret", [.cacheControl: directives]), for: Self.get())
        #expect(await cache[Self.get()] == nil)
    }

    /// No request would be sent that revalidates it.
    @Test func responseThatMayBeServedStaleIsNotReturnedStale() async {
        let cache = cache()
        await cache.store(Self.reply("hello", [.cacheControl: "max-age=60, stale-while-revalidate=60", .eTag: "\"1\""]), for: Self.get())
        time.advance(seconds: 59)
        #expect(text(await cache[Self.get()]) == "hello")
        time.advance(seconds: 1)
        #expect(await cache[Self.get()] == nil)
    }

    @Test func responseThatSaysNothingIsKeptForAsLongAsTheOwnerSays() async {
        await cache().store(Self.reply("hello", [:]), for: Self.get())
        #expect(await cache()[Self.get()] == nil)
        let cache = cache(lifetimeIfUnknown: .seconds(10))
        await cache.store(Self.reply("hello", [:]), for: Self.get())
        time.advance(seconds: 9)
        #expect(text(await cache[Self.get()]) == "hello")
        time.advance(seconds: 1)
        #expect(await cache[Self.get()] == nil)
    }

    @Test func responseThatIsCutOffIsNotKept() async {
        let cache = cache()
        var reply = Self.reply("hel")
        reply.isTruncated = true
        await cache.store(reply, for: Self.get())
        #expect(await cache[Self.get()] == nil)
    }

    @Test func removalForgetsTheURLForEveryToken() async {
        let cache = cache()
        let other = NetworkRequest(.get, "http://example.com/other", token: "one")
        await cache.store(Self.reply("hello"), for: other)
        for token in ["one", "two", nil] { await cache.store(Self.reply("hello"), for: Self.get(token: token)) }
        await cache.remove(Self.get(token: "one"))
        for token in ["one", "two", nil] { #expect(await cache[Self.get(token: token)] == nil) }
        #expect(await cache[other] != nil)
    }

    @Test func removalOfAllForgetsEveryUser() async {
        let cache = cache()
        for token in ["one", nil] { await cache.store(Self.reply("hello"), for: Self.get(token: token)) }
        await cache.removeAll()
        for token in ["one", nil] { #expect(await cache[Self.get(token: token)] == nil) }
    }

    @Test func laterResponseTakesThePlaceOfAnEarlierOne() async {
        let cache = cache()
        for text in ["first", "second"] { await cache.store(Self.reply(text), for: Self.get()) }
        #expect(text(await cache[Self.get()]) == "second")
    }

    @Test func requestThatCannotBeSentIsNeverFound() async {
        let cache = cache()
        await cache.store(Self.reply("hello"), for: Self.get("ftp://example.com/"))
        #expect(await cache[Self.get("ftp://example.com/")] == nil)
        await cache.remove(Self.get("ftp://example.com/"))
    }

    @Test func storesOfTheCacheAreUsed() async {
        let store = MemoryStore()
        let first = ResponseCache(cache: HTTPCache(stores: [store]))
        await first.store(Self.reply("hello"), for: Self.get())
        await first.cache.flush()
        #expect(text(await ResponseCache(cache: HTTPCache(stores: [store]))[Self.get()]) == "hello")
    }

    @Test func partitionsAreKeptApart() async {
        let cache = cache()
        var ann = Self.get()
        ann.options.partition = "ann"
        await cache.store(Self.reply("ann's"), for: ann)
        #expect(await cache[Self.get()] == nil)
        #expect(text(await cache[ann]) == "ann's")
        await cache.remove(Self.get())
        #expect(text(await cache[ann]) == "ann's")
        await cache.remove(ann)
        #expect(await cache[ann] == nil)
    }

    @Test func whatIsKeptInMemoryOnlyReachesNoStore() async throws {
        let store = MemoryStore()
        let cache = ResponseCache(cache: HTTPCache(stores: [store]))
        var secret = Self.get()
        secret.options.keepsInMemoryOnly = true
        await cache.store(Self.reply("secret"), for: secret)
        await cache.cache.flush()
        #expect(text(await cache[secret]) == "secret")
        #expect(try await store.statistics().count == 0)
        await cache.remove(secret)
        #expect(await cache[secret] == nil)
    }

    @Test func managerAndCacheCanShareWhatTheyKeep() async throws {
        let cache = cache()
        let transport = FakeTransport { _ in .text("fetched", fields: [.cacheControl: "max-age=60"]) }
        let manager = NetworkManager(client: CachingClient(transport: transport, cache: cache.cache))
        _ = try await manager.fetch(Self.get())
        #expect(text(await cache[Self.get()]) == "fetched")
        await cache.store(Self.reply("put there"), for: Self.get("http://example.com/b"))
        #expect(text(try await manager.fetch(Self.get("http://example.com/b"))) == "put there")
    }
}
