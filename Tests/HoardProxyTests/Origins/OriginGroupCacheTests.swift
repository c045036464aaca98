// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardTesting
import NIOCore
import Testing

@testable import HoardProxy

/// A group behind a shared cache.
@Suite(.timeLimit(.minutes(1)))
struct OriginGroupCacheTests {
    private static func cache() -> HTTPCache {
        var configuration = HTTPCache.Configuration()
        configuration.mode = .shared
        return HTTPCache(configuration: configuration)
    }

    /// Asks as the proxy does, for a client, and returns the text and the cache's report about it.
    private static func ask(
        _ cache: HTTPCache,
        _ group: OriginGroup,
        from address: String = "192.0.2.1",
        scheme: String = "http",
        _ fields: HTTPFields = [:]
    ) async throws -> String {
        let origin = try #require(group.links.first?.origin)
        let client = group.client(address: address, scheme: scheme, host: "public.test")
        let head = HTTPRequest(method: .get, scheme: scheme, authority: "public.test", path: "/", headerFields: fields)
        let request = ForwardedRequest.make(from: head, to: origin, version: "1.1", name: "test", client: client)
        let response = try await cache.respond(to: request, through: group.transport(for: client))
        return String(buffer: try await response.body.collect(upTo: 100))
    }

    @Test func clientsShareAnEntryWhateverTheyAreAndSay() async throws {
        let server = FakeServer { _ in .text("ok", fields: [.cacheControl: "max-age=60", .vary: "Accept, X-Forwarded-Proto, X-Forwarded-Host"]) }
        let (cache, group) = (Self.cache(), try OriginGroup.of([server]))
        for number in 0..<5 {
            let fields: HTTPFields = [
                .forwarded: "for=\(number)", .xForwardedFor: "\(number)", .xForwardedHost: "h\(number)", .xForwardedProto: "p\(number)",
            ]
            #expect(try await Self.ask(cache, group, from: "192.0.2.\(number)", fields) == "ok")
        }
        #expect(server.requests.count == 1)
        // A response that depends on the protocol is kept for each of the two protocols.
        for _ in 0..<3 { _ = try await Self.ask(cache, group, scheme: "https") }
        #expect(server.requests.count == 2)
        #expect(server.requests.map { $0.headerFields[.xForwardedProto] } == ["http", "https"])
        await cache.close()
    }

    @Test func clientCannotHaveTheProtocolRemovedThatSelectsTheResponse() async throws {
        let server = FakeServer { request in
            .text(request.headerFields[.xForwardedProto] ?? "none", fields: [.cacheControl: "max-age=60", .vary: "X-Forwarded-Proto"])
        }
        let (cache, group) = (Self.cache(), try OriginGroup.of([server]))
        for scheme in ["https", "http"] {
            #expect(try await Self.ask(cache, group, scheme: scheme, [.connection: "close, X-Forwarded-Proto"]) == scheme)
            #expect(try await Self.ask(cache, group, scheme: scheme) == scheme)
        }
        #expect(server.requests.count == 2)
        await cache.close()
    }

    @Test(arguments: ["Forwarded", "X-Forwarded-For"])
    func responseThatDependsOnTheClientsAddressIsForNobodyElse(_ vary: String) async throws {
        let server = FakeServer { request in
            .text(request.headerFields[.xForwardedFor] ?? "", fields: [.cacheControl: "max-age=60", .vary: vary])
        }
        let (cache, group) = (Self.cache(), try OriginGroup.of([server]))
        for address in ["192.0.2.1", "192.0.2.2", "192.0.2.1"] { #expect(try await Self.ask(cache, group, from: address) == address) }
        #expect(server.requests.count == 3)
        await cache.close()
    }

    @Test func storedResponseIsServedAtOnceWhileTheServerIsKnownToBeDead() async throws {
        let ticker = ManualTicker()
        let server = FakeServer { _ in .text("old", fields: [.cacheControl: "max-age=0, stale-if-error=600"]) }
        let (cache, group) = (Self.cache(), try OriginGroup.of([server], ticker: ticker))
        #expect(try await Self.ask(cache, group) == "old")
        server.behave { _ throws(TransportError) in throw .refused }
        for _ in 0..<10 { #expect(try await Self.ask(cache, group) == "old") }
        // Three tries have shown that it is dead; the rest were answered without one.
        #expect(server.requests.count == 4)
        ticker.advance(by: .seconds(1))
        server.behave { _ in .text("new", fields: [.cacheControl: "max-age=60"]) }
        #expect(try await Self.ask(cache, group) == "new")
        await cache.close()
    }
}
