// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hoard
import HoardHTTPTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

/// Responses that are kept in memory only.
@Suite(.timeLimit(.minutes(5))) struct HTTPCacheMemoryOnlyTests {
    private let harness = PartitionHarness()

    private func get(_ path: String = "/a", for owner: String? = nil, _ fields: HTTPFields = [:]) async throws -> Reply {
        try await harness.get(path, for: owner, fields, inMemoryOnly: true)
    }

    /// The calls of the store, except reads.
    private var changeCount: Int {
        [
            FaultyStore.Operation.insert, .insertMany, .removeRecord, .removeMany, .removeTagged, .removePartition, .removeAll, .markStale,
            .markTaggedStale,
        ]
        .reduce(0) { $0 + harness.store.callCount($1) }
    }

    @Test(arguments: ["ann", nil]) func responsesOfAllKindsStayInMemoryAndTheStoreIsToldNothing(owner: String?) async throws {
        let requests: [(String, HTTPFields)] = [
            ("/a", [:]), ("/vary", [.accept: "a"]), ("/vary", [.accept: "b"]), ("/search?x=1", [:]), ("/long", [:]), ("/etag", [:]),
            ("/a", [.authorization: "Bearer 1"]),
        ]
        for (path, fields) in requests {
            #expect(try await !get(path, for: owner, fields).isFromCache)
            await harness.cache.flush()
            #expect(try await get(path, for: owner, fields).isFromCache, "\(path)")
        }
        #expect(changeCount == 0)
        #expect(try await harness.base.statistics().count == 0)
        harness.evict()
        for (path, fields) in requests { #expect(try await !get(path, for: owner, fields).isFromCache) }
    }

    @Test func theyAndStoredOnesDoNotAnswerForEachOther() async throws {
        #expect(try await !get("/a").isFromCache)
        #expect(try await !harness.get("/a").isFromCache)
        await harness.cache.flush()
        #expect(try await get("/a").isFromCache)
        #expect(try await harness.get("/a").isFromCache)
        #expect(harness.harness.requestCount == 2)
        #expect(try await get("/a").text != harness.get("/a").text)
    }

    @Test(arguments: [false, true]) func olderCopyInAStoreIsNotUsedAndIsRemoved(isEvicted: Bool) async throws {
        let fields: [HTTPFields] = [[:], [.accept: "b"]]
        for path in ["/a", "/vary", "/search?x=1", "/long"] {
            for fields in fields { try await harness.get(path, for: "ann", fields) }
            try await harness.get(path, for: "bob")
            await harness.cache.flush()
            if isEvicted { harness.evict() }
            #expect(try await !get(path, for: "ann").isFromCache)
            await harness.cache.flush()
            harness.evict()
            for var fields in fields {
                fields[.cacheControl] = "only-if-cached"
                #expect(try await !harness.get(path, for: "ann", fields).isFromCache, "\(path)")
            }
            #expect(try await harness.get(path, for: "bob").isFromCache, "another's is left alone")
        }
    }

    @Test func requestThatIsOnlyForwardedRemovesTheCopyToo() async throws {
        try await harness.get("/a", for: "ann")
        await harness.cache.flush()
        harness.evict()
        #expect(try await !get("/a", for: "ann", [.cacheControl: "no-store"]).isFromCache)
        await harness.cache.flush()
        #expect(try await !harness.get("/a", for: "ann", [.cacheControl: "only-if-cached"]).isFromCache)
        #expect(try await harness.base.statistics().count == 0)
    }

    /// The copy waits to be written, and memory no longer has it.
    @Test func copyThatIsAboutToBeWrittenIsRemovedToo() async throws {
        let gate = harness.store.hold(.insert)
        try await harness.get("/a", for: "ann")
        await gate.arrivals(1)
        harness.store.heal()
        harness.evict()
        async let reply = get("/a", for: "ann")
        gate.open()
        _ = try await reply
        await harness.cache.flush()
        #expect(try await harness.base.statistics().count == 0)
    }

    @Test func copyWithAndWithoutCredentialsIsRemoved() async throws {
        let credentials: HTTPFields = [.authorization: "Bearer 1"]
        try await harness.get("/a", for: "ann")
        try await harness.get("/a", for: "ann", credentials)
        await harness.cache.flush()
        #expect(try await !get("/a", for: "ann", credentials).isFromCache)
        #expect(try await !harness.get("/a", for: "ann").isFromCache)
        #expect(try await !harness.get("/a", for: "ann", credentials).isFromCache)
    }

    @Test func whatIsOnItsWayIntoTheStoreDoesNotArriveThere() async throws {
        let hold = harness.transport.hold()
        async let early = harness.get("/a", for: "ann")
        await hold.arrivals(1)
        async let late = get("/a", for: "ann")
        await hold.arrivals(2)
        hold.release()
        _ = try await (early, late)
        await harness.cache.flush()
        #expect(try await harness.base.statistics().count == 0)
        #expect(try await get("/a", for: "ann").isFromCache)
    }

    @Test func storeThatCannotBeAskedIsToldToRemoveTheCopy() async throws {
        try await harness.get("/a", for: "ann")
        await harness.cache.flush()
        harness.evict()
        harness.store.fail(.record)
        #expect(try await !get("/a", for: "ann").isFromCache)
        #expect(try await harness.base.statistics().count == 0)
    }

    @Test func bodyThatIsTooLongForMemoryIsForwardedOnly() async throws {
        let harness = PartitionHarness(maximumMemoryBytes: 8 << 20)
        // A sixteenth of memory is less than the body.
        let reply = try await harness.get("/long", for: "ann", inMemoryOnly: true)
        #expect(reply.text.utf8.count == PartitionHarness.longLength)
        await harness.cache.flush()
        #expect(try await !harness.get("/long", for: "ann", inMemoryOnly: true).isFromCache)
        #expect(harness.cache.entries.memoryCount == 0)
        #expect(harness.store.callCount(.insert) == 0)
    }

    /// Neither announced nor at hand: its length is found out while it comes.
    @Test(arguments: [1, 40]) func bodyInPartsIsKeptInOnePieceOrNotAtAll(partCount: Int) async throws {
        let store = FaultyStore(MemoryStore())
        let part = String(repeating: "x", count: 100_000)
        let harness = CacheHarness(stores: [store], configure: { $0.maximumMemoryBytes = 16 << 20 }) { _ in
            .parts(Array(repeating: part, count: partCount), fields: [.cacheControl: "max-age=60"])
        }
        func get() async throws -> Reply {
            try await Reply(harness.cache.respond(to: .test(.get, "/a"), keepsInMemoryOnly: true, through: harness.transport))
        }
        #expect(try await get().text.utf8.count == partCount * 100_000)
        await harness.transfersEnd()
        #expect(try await get().isFromCache == (partCount == 1))
        #expect(harness.cache.entries.memoryCount == (partCount == 1 ? 1 : 0))
        #expect(store.callCount(.insert) + store.callCount(.insertMany) == 0)
        #expect(harness.cache.budget.take(harness.cache.configuration.maximumBytesInFlight), "nothing is held any more")
        // The task of the transfer may be about to let go of the flight, which then closes its fences one after the other.
        try await waitUntil { harness.openFenceCount == 0 }
    }

    @Test func theyAreConfirmedInMemory() async throws {
        _ = try await get("/etag", for: "ann")
        harness.time.advance(seconds: 100)
        let confirmed = try await get("/etag", for: "ann")
        #expect(confirmed.text.hasPrefix("ann /etag"))
        #expect(harness.transport.requests.last?.head.headerFields[.ifNoneMatch] == "\"v\"")
        #expect(try await get("/etag", for: "ann").cacheStatus.contains("hit"))
        #expect(harness.harness.requestCount == 2)
        await harness.cache.flush()
        #expect(changeCount == 0)
    }

    enum Removal: CaseIterable { case partition, uri, tag, everything, change, changeInMemoryOnly }

    @Test(arguments: Removal.allCases) func theyAreRemovedAsOthersAre(_ removal: Removal) async throws {
        _ = try await get("/etag", for: "ann")
        _ = try await get("/etag", for: "ann", [.authorization: "Bearer 1"])
        switch removal {
        case .partition: await harness.cache.removePartition("ann")
        case .uri: await harness.cache.remove("http://example.com/etag", partition: "ann")
        case .tag: await harness.cache.remove(taggedWith: "all")
        case .everything: await harness.cache.removeAll()
        case .change: try await harness.post("/etag", for: "ann")
        case .changeInMemoryOnly: try await harness.post("/etag", for: "ann", inMemoryOnly: true)
        }
        #expect(try await !get("/etag", for: "ann").isFromCache)
        #expect(try await !get("/etag", for: "ann", [.authorization: "Bearer 1"]).isFromCache)
    }

    @Test func theyAreMarkedStaleAsOthersAre() async throws {
        _ = try await get("/etag", for: "ann")
        await harness.cache.markStale("http://example.com/etag", partition: "ann")
        let requestCount = harness.harness.requestCount
        #expect(try await get("/etag", for: "ann").text.hasPrefix("ann /etag"))
        #expect(harness.harness.requestCount == requestCount + 1)
    }

    @Test func responseThatArrivesAfterTheRemovalOfItsPartitionIsNotKept() async throws {
        let hold = harness.transport.hold()
        async let early = get("/a", for: "ann")
        await hold.arrivals(1)
        await harness.cache.removePartition("ann")
        hold.release()
        #expect(try await early.text.hasPrefix("ann /a"))
        #expect(try await !get("/a", for: "ann").isFromCache)
        // A publication ends in the background when there are stores.
        await harness.cache.flush()
        #expect(harness.harness.openFenceCount == 0)
    }
}
