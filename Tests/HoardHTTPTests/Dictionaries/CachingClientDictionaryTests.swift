// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardCodings
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// A client that offers its stored responses as dictionaries (RFC 9842), against a cache that compresses with them.
@Suite("CachingClient with dictionaries", .timeLimit(.minutes(5)), .enabled(if: ContentCoding.available.contains(.zstandard)))
struct CachingClientDictionaryTests {
    /// The way from the client to the server's cache.
    private final class Wire: Transport {
        let server: CacheHarness
        /// Changes the server's content on its way.
        let damage = Mutex<(@Sendable (ByteBuffer) -> ByteBuffer)?>(nil)
        let seen = Mutex<[(asked: HTTPFields, coding: String?, length: Int)]>([])

        init(_ server: CacheHarness) { self.server = server }

        func send(
            _ request: HTTPRequest,
            body: HTTPBody,
            onInterimResponse: InterimResponseHandler?
        ) async throws(TransportError) -> TransportResponse {
            do {
                let response = try await server.cache.respond(to: request, through: server.transport)
                var content = try await response.body.collect(upTo: 1 << 24)
                await server.transfersEnd()
                await server.cache.flush()
                let coding = response.head.headerFields[.contentEncoding]
                if coding == "dcz", let damage = damage.withLock({ $0 }) { content = damage(content) }
                seen.withLock { [count = content.readableBytes] in $0.append((request.headerFields, coding, count)) }
                return TransportResponse(head: response.head, body: HTTPBody(content))
            } catch {
                throw TransportError(.failed, "\(error)")
            }
        }

        var codings: [String?] { seen.withLock { $0.map(\.coding) } }
    }

    private let time = TestTime()

    private func make(_ dictionary: String = "match=\"/app/*\", id=\"a\\\"b\"", lifetime: Int = 600) -> (client: CachingClient, wire: Wire) {
        let server = CacheHarness.coding(configure: { $0.contentCodings?.maximumDictionaryBytes = 8 << 20 }) { request in
            let path = request.head.path ?? ""
            let fields: HTTPFields = [
                .cacheControl: "max-age=\(path == "/app/1" ? 600 : lifetime)", .contentType: "text/javascript", .useAsDictionary: dictionary,
                .eTag: "\"\(path)\"",
            ]
            return .text(HTTPCacheDictionaryTests.text(Int(path.filter(\.isNumber)) ?? 0), fields: fields)
        }
        let wire = Wire(server)
        return (CachingClient(transport: wire, cache: HTTPCache(clock: time, ticker: time)), wire)
    }

    private func get(_ client: CachingClient, _ path: String, origin: String = "https://example.com", partition: String? = nil) async throws -> String
    {
        var options = RequestOptions()
        options.partition = partition
        let response = try await client.get(origin + path, options: options)
        return String(buffer: try await response.body.collect(upTo: 1 << 24))
    }

    @Test func theNextVersionCostsWhatIsNewOfIt() async throws {
        let (client, wire) = make()
        for version in 1...4 {
            for _ in 1...2 { #expect(try await get(client, "/app/\(version)") == HTTPCacheDictionaryTests.text(version)) }
        }
        #expect(wire.codings == ["br", "dcz", "dcz", "dcz"] || wire.codings == ["zstd", "dcz", "dcz", "dcz"])
        let seen = wire.seen.withLock { $0 }
        #expect(seen[1...].allSatisfy { $0.length < seen[0].length / 8 })
        #expect(seen[0].asked[.availableDictionary] == nil)
        #expect(seen[1].asked[.dictionaryID] == "\"a\\\"b\"")
    }

    @Test func aStoredResponseThatCameWithADictionaryIsConfirmedByItsTag() async throws {
        let (client, wire) = make(lifetime: 1)
        _ = try await get(client, "/app/1")
        _ = try await get(client, "/app/2")
        time.advance(seconds: 100)
        #expect(try await get(client, "/app/2") == HTTPCacheDictionaryTests.text(2))
        let last = try #require(wire.seen.withLock { $0.last })
        #expect(last.asked[.ifNoneMatch]?.hasPrefix("W/\"/app/2:dcz-") == true)
        #expect(last.length == 0)
    }

    @Test func nothingIsOfferedWhereItDoesNotFit() async throws {
        let (client, wire) = make()
        _ = try await get(client, "/app/1")
        for (path, origin, partition) in [
            ("/other/2", "https://example.com", nil), ("/app/2", "https://other.example", nil), ("/app/2", "http://example.com", nil),
            ("/app/2", "https://example.com", "ann"),
        ] as [(String, String, String?)] {
            _ = try await get(client, path, origin: origin, partition: partition)
            #expect(wire.seen.withLock { $0.last?.asked[.availableDictionary] } == nil, "\(origin)\(path)")
        }
        time.advance(seconds: 700)
        _ = try await get(client, "/app/3")
        #expect(wire.seen.withLock { $0.last?.asked[.availableDictionary] } == nil)
    }

    @Test(arguments: ["match=\"/app/*\", match-dest=(\"script\")", "match=\"/app/*\", type=zip"])
    func whatIsForOtherRequestsIsNotOffered(dictionary: String) async throws {
        let (client, wire) = make(dictionary)
        for version in 1...2 { _ = try await get(client, "/app/\(version)") }
        #expect(wire.seen.withLock { $0.allSatisfy { $0.asked[.availableDictionary] == nil } })
    }

    @Test func ofSeveralTheOneWithTheLongestPatternIsOfferedAndThenTheNewest() throws {
        let held = ClientDictionaries()
        func add(_ text: String, _ match: String) throws {
            let use = try #require(DictionaryUse([.useAsDictionary: "match=\"\(match)\""], of: "https://example.com/x"))
            held.add(
                .init(dictionary: CompressionDictionary(Array(text.utf8), use), freshUntil: .test(100)),
                of: "https://example.com/x",
                partition: nil
            )
        }
        for (text, match) in [("a", "/*"), ("b", "/long/*"), ("c", "/long/*"), ("d", "/*")] { try add(text, match) }
        func best(_ path: String) -> String? {
            held.best(for: "https://example.com\(path)", partition: nil, now: .test(0)).map { String(decoding: $0.content, as: UTF8.self) }
        }
        #expect(best("/long/1") == "c")
        #expect(best("/1") == "d")
        #expect(held.best(for: "https://example.com/1", partition: nil, now: .test(101)) == nil)
        for number in 0..<100 { try add("\(number)", "/*") }
        #expect(best("/1") == "99")
        #expect(best("/long/1") == "99")
    }

    @Test func contentWhoseReaderIsCancelledIsNoDictionary() async throws {
        let (body, _) = BodyFeed.makeBody()
        let count = Counter()
        let reader = Task {
            for try await _ in ObservedBody(body: body, maximumLength: 100, onEnd: { _ in count.increment() }) {}
        }
        reader.cancel()
        try await reader.value
        #expect(count.value == 0)
    }

    @Test func contentThatIsDamagedIsAnErrorAndTheNextTryGetsTheWhole() async throws {
        let damages: [@Sendable (ByteBuffer) -> ByteBuffer] = [
            { $0.getSlice(at: 0, length: 20) ?? $0 }, { $0.getSlice(at: 0, length: $0.readableBytes - 3) ?? $0 },
            { content in
                var content = content
                content.setInteger(0 as UInt64, at: 12)
                return content
            },
            { content in
                var content = content
                content.setInteger(0x1234_5678_9abc as UInt64, at: 60)
                return content
            },
        ]
        for damage in damages {
            let (client, wire) = make()
            _ = try await get(client, "/app/1")
            wire.damage.withLock { $0 = damage }
            await #expect(throws: TransportError.self) { try await get(client, "/app/2") }
            #expect(try await get(client, "/app/2") == HTTPCacheDictionaryTests.text(2))
            #expect(wire.codings.last != "dcz")
        }
    }

    @Test func aClientThatIsToldNotToUsesNone() async throws {
        let (client, wire) = make()
        var options = RequestOptions()
        options.decoding.usesDictionaries = false
        for version in 1...2 {
            _ = try await client.get("https://example.com/app/\(version)", options: options).body.collect(upTo: 1 << 20)
        }
        #expect(wire.seen.withLock { $0.allSatisfy { $0.asked[.availableDictionary] == nil && $0.coding != "dcz" } })
    }
}
