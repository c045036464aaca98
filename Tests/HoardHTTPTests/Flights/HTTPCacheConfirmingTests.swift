// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Testing

@testable import HoardHTTP
@testable import HoardMessages

/// Stale responses that are confirmed by their bytes, beside the same ones that are confirmed by parsed heads.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheConfirmingTests {
    private static let uri = "http://example.com/a"
    private static let request = HTTPCache.Request(HTTPRequest.test(.get, "/a"))

    private static let storedFields: [(String, String)] = [
        ("Content-Type", "text/plain"), ("Server", "a"), ("X-Kept", "1"), ("Set-Cookie", "a=b"), ("Set-Cookie", "c=d"), ("Expires", "0"),
        ("Via", "1.0 x"),
        ("Cache-Tag", "a, b"), ("CDN-Cache-Control", "max-age=2"), ("Vary", "Accept"), ("Content-Encoding", "gzip"), ("Link", "</a>; rel=preload"),
        ("X-Empty", ""), ("etag", #""1""#), ("Last-Modified", "Mon, 13 Nov 2023 00:00:00 GMT"), ("No-Vary-Search", "params"), ("Age", "1"),
        ("ETag", #"W/"1""#), ("ETag", ""),
    ]
    private static let updates: [(String, String)] = [
        ("content-type", "text/html"), ("Server", "b"), ("X-Kept", "2"), ("X-New", "3"), ("Set-Cookie", "e=f"), ("Expires", "0"), ("ETag", #""1""#),
        ("ETag", #"W/"1""#), ("ETag", #""2""#), ("Last-Modified", "Mon, 13 Nov 2023 00:00:00 GMT"),
        ("Last-Modified", "Sun, 12 Nov 2023 00:00:00 GMT"),
        ("Last-Modified", "Monday, 13-Nov-23 00:00:00 GMT"), ("Content-Length", "7"), ("Content-Encoding", "br"), ("Cache-Tag", "c"),
        ("Vary", "Accept"),
        ("CDN-Cache-Control", "max-age=60"), ("cdn-cache-control", #"no-cache="x""#), ("Age", "3"), ("Surrogate-Key", "d e"),
        ("No-Vary-Search", "params"),
        ("Warning", "110 - x"), ("ETag", ""), ("Content-Range", "bytes 0-1/5"), ("Hoard-Policy", "x"),
    ]
    private static let directives = [
        "max-age=1", "max-age=2", "max-age=0", "no-cache", "max-age=1, must-revalidate", "s-maxage=3", #"max-age=1, no-cache="x-kept""#,
        #"private="set-cookie", max-age=1"#, "max-age=1, stale-while-revalidate=1", "no-store", "max-age=60", "public",
        "max-age=5, stale-if-error=60",
    ]

    private static func fields(_ choices: [(String, String)], _ base: HTTPFields, _ random: inout RandomSource) -> HTTPFields {
        var fields = base
        if !random.once(in: 8) { fields.append(HTTPField(name: .cacheControl, value: random.pick(directives))) }
        for _ in 0..<random.int(0...4) {
            let (name, value) = random.pick(choices)
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    @Test func bytesGiveWhatParsedHeadsGive() async throws {
        var confirmations = 0
        for _ in 1...1_500 { confirmations += try await run(seed: .random(in: 0 ... .max)) ? 1 : 0 }
        #expect(confirmations > 150)
    }

    /// - Returns: Whether the response was confirmed by its bytes.
    private func run(seed: UInt64) async throws -> Bool {
        var random = RandomSource(seed: seed)
        let time = TestTime()
        var stored = Self.fields(Self.storedFields, [.date: HTTPDate(time.now()).description, .contentLength: "5"], &random)
        if !random.once(in: 4) { stored[.eTag] = #""1""# }
        let transport = FakeTransport { [stored] _ in .text("hello", fields: stored) }
        let (plain, parsed) = (
            CacheHarness(mode: .shared, time: time, transport: transport), CacheHarness(mode: .shared, time: time, transport: transport)
        )
        for harness in [plain, parsed] { try await harness.get() }
        time.advance(seconds: Int64(random.int(0...4)))
        guard case .miss(let miss) = plain.cache.beginMiss(targetURI: Self.uri, selectingFields: { HTTPFields() }), miss.isOfStale else {
            return false
        }
        let other = try #require(parsed.cache.beginValidation(Self.request), "seed \(seed): \(stored)")
        #expect(String(decoding: miss.conditions, as: UTF8.self) == String(decoding: other.conditions, as: UTF8.self), "seed \(seed)")
        time.advance(seconds: Int64(random.int(0...1)))
        let date: HTTPFields = random.once(in: 8) ? [:] : [.date: HTTPDate(time.now()).description]
        let notModified = HTTPResponse(status: .notModified, headerFields: Self.fields(Self.updates, date, &random))
        guard let answer = plain.cache.confirm(miss, notModified) else {
            plain.cache.forget(miss)
            parsed.cache.forget(other)
            return false
        }
        let place = Comment(rawValue: "seed \(seed): \(stored) confirmed by \(notModified.headerFields)")
        guard case .response(let expected) = parsed.cache.answer(other, to: Self.request, with: notModified, ByteBuffer()) else {
            Issue.record("parsed, it gives another answer. \(place)")
            return true
        }
        #expect(answer.head.status == expected.head.status && answer.head.headerFields == expected.head.headerFields, place)
        #expect(String(buffer: answer.body.bytesAtHand ?? ByteBuffer()) == "hello" && answer.report?.outcome == expected.report?.outcome, place)
        #expect(answer.report?.tier == expected.report?.tier && plain.cache.statistics == parsed.cache.statistics, place)
        #expect(Self.response(in: plain) == Self.response(in: parsed) && Self.response(in: plain)?.tags == Self.response(in: parsed)?.tags, place)
        #expect(Self.response(in: plain)?.weight == Self.response(in: parsed)?.weight, place)
        return true
    }

    private static func response(in harness: CacheHarness) -> StoredResponse? {
        let key = HTTPCacheKey(scope: harness.cache.baseScope, targetURI: uri)
        guard case .response(let response)? = harness.cache.entries.memoryLookup(forKey: key)?.value else { return nil }
        return response
    }

    @Test func confirmationsDoNotAddFieldsWithoutEnd() throws {
        let date = HTTPDate(TestTime().now()).description
        var fields: HTTPFields = [.date: date]
        for _ in 1..<StoredResponse.maximumFieldCount { fields.append(HTTPField(name: .setCookie, value: "a=b")) }
        let wire = try #require(WireHead(HTTPResponse(status: .ok, headerFields: fields)))
        func fieldCount(after update: HTTPFields) -> Int? {
            HTTPResponse(status: .notModified, headerFields: update).withPlainHead { wire.updated(with: $0)?.fieldCount }
        }
        #expect(fieldCount(after: [.date: date]) == StoredResponse.maximumFieldCount)
        #expect(fieldCount(after: [.date: date, .server: "a"]) == nil)
    }

    @Test func removalKeepsAConfirmedResponseFromComingBack() async throws {
        let fields: HTTPFields = [.cacheControl: "max-age=1", .eTag: #""1""#, .contentLength: "5"]
        let harness = CacheHarness(mode: .shared) { _ in .text("hello", fields: fields) }
        var dated = HTTPResponse(status: .notModified, headerFields: [.cacheControl: "max-age=60"])
        try await harness.get()
        for removes in [true, false] {
            harness.time.advance(seconds: 2)
            dated.headerFields[.date] = HTTPDate(harness.time.now()).description
            guard case .miss(let miss) = harness.cache.beginMiss(targetURI: Self.uri, selectingFields: { HTTPFields() }) else {
                Issue.record("nothing has begun")
                return
            }
            #expect(String(decoding: miss.conditions, as: UTF8.self) == "If-None-Match: \"1\"\r\n")
            if removes { _ = await harness.cache.remove(Self.uri) }
            let answer = try #require(harness.cache.confirm(miss, dated))
            #expect(String(buffer: answer.body.bytesAtHand ?? ByteBuffer()) == "hello")
            #expect((Self.response(in: harness) == nil) == removes)
            if removes { try await harness.get() }
        }
        #expect(Self.response(in: harness)?.head.headerFields[.cacheControl] == "max-age=60")
    }
}
