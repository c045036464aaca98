// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import Testing

@testable import HoardHTTP

/// Responses that wait for others before they are written to a store.
@Suite(.timeLimit(.minutes(1))) struct HTTPCacheGatheringTests {
    private let time = TestTime()

    private func harness(_ store: any RecordStore) -> CacheHarness {
        CacheHarness(mode: .shared, stores: [store], time: time, configure: { $0.writeGathering = .milliseconds(5) }) { _ in
            .text("hello", fields: [.cacheControl: "public, max-age=60"])
        }
    }

    private func count(_ store: any RecordStore) async throws -> Int { try await store.statistics().count }

    @Test func responsesGatherUntilTheirTimeIsOver() async throws {
        let store = MemoryStore(clock: time)
        let harness = harness(store)
        for path in ["/a", "/b", "/c"] { try await harness.get(path) }
        await time.ticker.sleepers(1)
        #expect(try await count(store) == 0)
        // Memory has them meanwhile.
        #expect(try await harness.get("/a").isFromCache)
        time.ticker.advance(by: .milliseconds(5))
        try await waitUntil { try await count(store) == 3 }
        #expect(harness.requestCount == 3)
    }

    @Test func callerOfFlushDoesNotWaitForTheTime() async throws {
        let store = MemoryStore(clock: time)
        let harness = harness(store)
        try await harness.get("/a")
        await harness.cache.flush()
        #expect(try await count(store) == 1)
    }

    /// A removal that comes while a response gathers keeps it out of the store.
    @Test func removedResponseIsNotWrittenLater() async throws {
        let store = MemoryStore(clock: time)
        let harness = harness(store)
        try await harness.get("/a")
        try await harness.get("/b")
        await time.ticker.sleepers(1)
        await harness.cache.remove("http://example.com/a")
        time.ticker.advance(by: .milliseconds(5))
        await harness.cache.flush()
        #expect(try await count(store) == 1)
    }

    @Test func responsesForAStoreThatOthersReadDoNotGather() async throws {
        let store = SharedMemoryStore(clock: time, ticker: time).connect()
        let harness = harness(store)
        try await harness.get("/a")
        // Time stands still.
        try await waitUntil { try await count(store) == 1 }
    }
}
