// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import HoardTesting
import Testing

/// Counters, and the lengths that an explanation gives.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheStatisticsTests {
    @Test func everyRequestToTheOriginAndEveryStoredResponseCounts() async throws {
        let harness = CacheHarness { request in
            if request.head.headerFields[.ifNoneMatch] != nil { return .response(.test(304, [.cacheControl: "max-age=60", .eTag: "\"1\""])) }
            let isStored = request.head.path == "/a"
            return .text("hello", fields: [.cacheControl: isStored ? "max-age=60" : "no-store", .eTag: "\"1\""])
        }
        func expect(_ originRequests: Int, _ storedResponses: Int, _ storableBytes: Int, _ location: SourceLocation = #_sourceLocation) {
            let statistics = harness.cache.statistics
            #expect(statistics.originRequests == originRequests, sourceLocation: location)
            #expect(statistics.storedResponses == storedResponses, sourceLocation: location)
            #expect(statistics.storableBytes == storableBytes, sourceLocation: location)
        }
        expect(0, 0, 0)
        try await harness.get()
        expect(1, 1, 5)
        try await harness.get()
        expect(1, 1, 5)
        try await harness.get("/never-stored")
        expect(2, 1, 5)
        harness.time.advance(seconds: 61)
        // The origin confirms it: it is stored again, and the cache receives no content.
        try await harness.get()
        expect(3, 2, 5)
        #expect(harness.cache.statistics.validatedHits == 1)
    }

    @Test func explanationSaysHowMuchIsStoredOfHowMuch() async throws {
        let harness = CacheHarness { request in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]
            guard request.head.path == "/part" else { return .text("hello", fields: fields) }
            return .parts(["abc"], length: 10, breakingOffWith: TransportError(.connectionClosed, "Closed."), fields: fields)
        }
        try await harness.get("/whole")
        await #expect(throws: (any Error).self) { try await harness.get("/part") }
        await harness.transfersEnd()
        let whole = try #require(await harness.cache.explain("http://example.com/whole").stored)
        #expect((whole.storedBytes, whole.completeBytes, whole.isComplete) == (5, 5, true))
        let part = try #require(await harness.cache.explain("http://example.com/part").stored)
        #expect((part.storedBytes, part.completeBytes, part.isComplete) == (3, 10, false))
    }
}
