// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardCodings
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// Answers to requests of which nothing but the URI is known. The tests of the proxy check
/// that they are the right ones.
@Suite struct HTTPCacheFreshHitTests {
    private let clock = ManualTicker()

    private func cache(_ fields: HTTPFields, content: String = "hello", path: String = "/a") async throws -> HTTPCache {
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        let cache = HTTPCache(configuration: configuration, clock: clock, ticker: clock)
        var all = fields
        all[.date] = HTTPDate(clock.now()).description
        let transport = FakeTransport { [all] _ in .text(content, fields: all) }
        let request = HTTPRequest(method: .get, scheme: "http", authority: "origin.example", path: path)
        _ = try await cache.respond(to: request, through: transport).body.collect(upTo: 1_000_000)
        return cache
    }

    private func hit(_ uri: String, in cache: HTTPCache) -> FreshHit? {
        Array(uri.utf8).withUnsafeBytes { cache.freshHit(targetURI: $0, now: clock.now()) }
    }

    @Test func freshResponseIsGivenWithItsAge() async throws {
        let cache = try await cache([.cacheControl: "max-age=60"])
        clock.advance(by: .milliseconds(7_900))
        let found = try #require(hit("http://origin.example/a", in: cache))
        #expect(found.age == 7)
        #expect(found.timeToLive == 53)
        #expect(found.status == 200)
        #expect(String(buffer: found.body.bytesAtHand ?? ByteBuffer()) == "hello")
        #expect(cache.freshHitStatusPrefix == "hoard; hit; ttl=")
    }

    @Test(arguments: ["http://origin.example/b", "http://origin.example/a?", "http://origin.example/", "http://origin.example/aa", ""])
    func otherKeysAreNotMistakenForIt(_ uri: String) async throws {
        let cache = try await cache([.cacheControl: "max-age=60"])
        #expect(hit(uri, in: cache) == nil)
    }

    @Test func whatHasExpiredOrVariesOrMustBeConfirmedIsNotGiven() async throws {
        for fields: HTTPFields in [
            [.cacheControl: "max-age=60, no-cache"], [.cacheControl: "max-age=60", .vary: "Accept"], [.cacheControl: "max-age=60", .age: "1"],
            [.cacheControl: "max-age=0"],
        ] {
            let cache = try await cache(fields)
            #expect(hit("http://origin.example/a", in: cache) == nil)
            #expect(cache.statistics.hits == 0)
        }
        let cache = try await cache([.cacheControl: "max-age=60"])
        clock.advance(by: .seconds(60))
        #expect(hit("http://origin.example/a", in: cache) == nil)
    }

    @Test func longContentIsLeftToOthers() async throws {
        let cache = try await cache([.cacheControl: "max-age=60"], content: String(repeating: "x", count: 300_000))
        #expect(hit("http://origin.example/a", in: cache) == nil)
    }

    /// A hit counts once, in the cache and in its memory. A declined request counts when it is made again.
    @Test func hitsAreCounted() async throws {
        let fresh = try await cache([.cacheControl: "max-age=60"])
        let before = (fresh.statistics.hits, fresh.tierStatistics.memoryHits, fresh.tierStatistics.misses)
        for _ in 0..<3 { _ = hit("http://origin.example/a", in: fresh) }
        #expect(fresh.statistics.hits == before.0 + 3)
        #expect(fresh.tierStatistics.memoryHits == before.1 + 3)
        for _ in 0..<3 { _ = hit("http://origin.example/none", in: fresh) }
        #expect(fresh.tierStatistics.misses == before.2)

        let declined = try await cache([.cacheControl: "max-age=60, no-cache"])
        let hits = declined.tierStatistics.memoryHits
        _ = hit("http://origin.example/a", in: declined)
        #expect(declined.tierStatistics.memoryHits == hits)
    }

    /// A response that is asked for in this way stays, though other responses come.
    @Test func hitsAreUses() async throws {
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        configuration.maximumMemoryBytes = 60_000
        let cache = HTTPCache(configuration: configuration, clock: clock, ticker: clock)
        let transport = FakeTransport { [clock] _ in
            .text(String(repeating: "x", count: 1_000), fields: [.cacheControl: "max-age=600", .date: HTTPDate(clock.now()).description])
        }
        func load(_ number: Int) async throws {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "origin.example", path: "/\(number)")
            _ = try await cache.respond(to: request, through: transport).body.collect(upTo: 10_000)
        }
        try await load(0)
        for number in 1..<400 {
            #expect(hit("http://origin.example/0", in: cache) != nil, "after \(number) others")
            try await load(number)
        }
    }

    @Test func keysAreEqualIfTheirBytesAre() {
        let key = HTTPCacheKey(scope: "http-shared", targetURI: "http://a/é")
        #expect(key == HTTPCacheKey(scope: "http-shared", targetURI: "http://a/é"))
        #expect(key != HTTPCacheKey(scope: "http-shared", targetURI: "http://a/e\u{301}"))
        #expect(key != HTTPCacheKey(scope: "http-shared", targetURI: "http://a/é", variant: ""))
        let uri = Array("http://a/é".utf8)
        uri.withUnsafeBytes { bytes in
            #expect(HTTPCacheKey.hashValue(scope: "http-shared", targetURI: bytes) == key.hashValue)
            #expect(key.isKey(scope: "http-shared", targetURI: bytes))
            #expect(!key.isKey(scope: "http-private", targetURI: bytes))
        }
    }

    @Test func aHitOfAFormThatHasBeenMadeIsGivenLikeAnyOther() async throws {
        var configuration = HTTPCache.Configuration()
        (configuration.mode, configuration.contentCodings) = (.shared, .init())
        let cache = HTTPCache(configuration: configuration, clock: clock, ticker: clock)
        let fields: HTTPFields = [.cacheControl: "max-age=60", .contentType: "text/css", .date: HTTPDate(clock.now()).description]
        let transport = FakeTransport { _ in .text(CodedPage.text(), fields: fields) }
        func ask(_ accepted: String) async throws -> ByteBuffer {
            let request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: "origin.example",
                path: "/a",
                headerFields: [.acceptEncoding: accepted]
            )
            return try await cache.respond(to: request, through: transport).body.collect(upTo: 1_000_000)
        }
        func hit(_ accepted: String?, codes: Bool = true) -> FreshHit? {
            Array("http://origin.example/a".utf8).withUnsafeBytes { uri in
                guard let accepted else { return cache.freshHit(targetURI: uri, codesContent: codes, now: clock.now()) }
                return Array(accepted.utf8).withUnsafeBytes {
                    cache.freshHit(targetURI: uri, acceptEncoding: $0, codesContent: codes, now: clock.now())
                }
            }
        }
        _ = try await ask("identity")
        #expect(hit("gzip") == nil)
        #expect(hit(nil)?.contentByteCount == CodedPage.text().utf8.count)
        let coded = try await ask("gzip")
        let found = try #require(hit("deflate, gzip;q=0.5"))
        #expect(found.body.bytesAtHand == coded && found.head.contentLength == coded.readableBytes)
        #expect(found.head.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.contains("\r\nContent-Encoding: gzip\r\n"))
        #expect(hit("gzip", codes: false)?.contentByteCount == CodedPage.text().utf8.count)
        #expect(hit("br") == nil || !ContentCoding.available.contains(.brotli))
    }
}
