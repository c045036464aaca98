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

/// Partitions of one cache: no partition answers for another, and each leaves as a whole.
@Suite(.timeLimit(.minutes(5))) struct HTTPCachePartitionTests {
    /// Requests that are stored in every way there is.
    private static let requests: [(path: String, fields: HTTPFields)] = [
        ("/a", [:]), ("/vary", [.accept: "a"]), ("/vary", [.accept: "b"]), ("/search?x=1", [:]), ("/long", [:]), ("/etag", [:]),
        ("/a", [.authorization: "Bearer 1"]), ("/vary", [.accept: "a", .authorization: "Bearer 2"]),
    ]

    private func fill(_ harness: PartitionHarness, _ owners: [String?]) async throws {
        for owner in owners {
            for request in Self.requests { #expect(try await !harness.get(request.path, for: owner, request.fields).isFromCache) }
        }
        await harness.cache.flush()
    }

    /// How many of the requests are answered from the cache, each with an answer that is the owner's.
    private func hits(_ harness: PartitionHarness, _ owner: String?, evicting: Bool) async throws -> Int {
        var count = 0
        for request in Self.requests {
            if evicting { harness.evict() }
            var fields = request.fields
            fields[.cacheControl] = "only-if-cached"
            let reply = try await harness.get(request.path, for: owner, fields)
            guard reply.isFromCache else { continue }
            #expect(reply.text.hasPrefix("\(owner ?? "nobody") \(request.path.prefix(2))"), "\(owner ?? "nobody") got: \(reply.text.prefix(20))")
            count += 1
        }
        return count
    }

    @Test(arguments: [false, true]) func requestsOfOnePartitionAreNotAnsweredFromAnother(isEvicted: Bool) async throws {
        let harness = PartitionHarness()
        let owners = ["ann", "bob", nil, "Ann", "annann"]
        try await fill(harness, owners)
        for owner in owners { #expect(try await hits(harness, owner, evicting: isEvicted) == Self.requests.count) }
        #expect(try await hits(harness, "cy", evicting: isEvicted) == 0)
        #expect(harness.harness.requestCount == owners.count * Self.requests.count)
    }

    @Test(arguments: [false, true]) func removedPartitionIsGoneFromMemoryAndStoresAndOthersAreUntouched(isEvicted: Bool) async throws {
        let harness = PartitionHarness()
        try await fill(harness, ["ann", "bob", nil])
        await harness.cache.removePartition("ann")
        #expect(try await hits(harness, "ann", evicting: isEvicted) == 0)
        for owner in ["bob", nil] { #expect(try await hits(harness, owner, evicting: isEvicted) == Self.requests.count) }
        await harness.cache.removePartition("bob")
        #expect(try await hits(harness, "bob", evicting: isEvicted) == 0)
        #expect(try await hits(harness, nil, evicting: isEvicted) == Self.requests.count)
        #expect(harness.harness.openFenceCount == 0)
    }

    @Test func noRecordOfARemovedPartitionIsLeft() async throws {
        let time = TestTime()
        let store = SpyStore(clock: time)
        let harness = CacheHarness(stores: [store], time: time) { request in
            .text(String(repeating: "x", count: request.head.path == "/long" ? 700_000 : 10), fields: [.cacheControl: "max-age=60", .vary: "Accept"])
        }
        for owner in ["ann", "bob"] {
            for path in ["/a", "/long"] {
                _ = try await Reply(harness.cache.respond(to: .test(.get, path), partition: owner, through: harness.transport))
            }
        }
        await harness.cache.flush()
        let records = store.insertedRecords
        let counts = ["ann", "bob"].map { owner in records.values.count { $0.partition == owner } }
        #expect(counts[0] == counts[1])
        #expect(records.values.allSatisfy { $0.partition != nil }, "indexes and segments belong to it too")
        #expect(records.count == 2 * (2 + 2 + 3))
        #expect(!records.keys.contains { $0.description.contains("ann") }, "keys do not name it")
        await harness.cache.removePartition("ann")
        for (key, record) in records {
            let isGone = try await store.record(forKey: key) == nil
            #expect(isGone == (record.partition == "ann"), "\(key)")
        }
    }

    @Test func removalCostsOneCallOfTheStoreWhateverThereIs() async throws {
        let harness = PartitionHarness()
        for number in 0..<50 { try await harness.get("/\(number)", for: "ann") }
        await harness.cache.flush()
        let counts = { FaultyStore.Operation.all.map { harness.store.callCount($0) } }
        let before = counts()
        let memory = harness.cache.entries.memoryStatistics
        await harness.cache.removePartition("ann")
        let calls = zip(FaultyStore.Operation.all, zip(before, counts())).filter { $1.0 != $1.1 }
        #expect(calls.map(\.0) == [.removePartition])
        #expect(calls.allSatisfy { $1.1 == $1.0 + 1 })
        #expect(harness.cache.entries.memoryStatistics == memory)
        #expect(harness.harness.requestCount == 50)
    }

    @Test func namelessPartitionIsNone() async throws {
        let harness = PartitionHarness()
        #expect(try await !harness.get("/a", for: "").isFromCache)
        #expect(try await harness.get("/a").isFromCache)
        await harness.cache.removePartition("")
        #expect(try await harness.get("/a").isFromCache)
        #expect(harness.store.callCount(.removePartition) == 0)
    }

    @Test func configuredPartitionIsThatOfRequestsThatNameNone() async throws {
        let harness = PartitionHarness(partition: "ann")
        try await harness.get("/a")
        #expect(try await harness.get("/a", for: "ann").isFromCache)
        #expect(try await !harness.get("/a", for: "").isFromCache)
        #expect(try await !harness.get("/a", for: "bob").isFromCache)
        await harness.cache.flush()
        await harness.cache.removeAll()
        #expect(try await !harness.get("/a").isFromCache)
        #expect(try await harness.get("/a", for: "bob").isFromCache)
        #expect(try await harness.get("/a", for: "").isFromCache)
        #expect(harness.store.callCount(.removeAll) == 0)
    }

    @Test func cacheWithoutAPartitionRemovesThemAll() async throws {
        let harness = PartitionHarness()
        try await harness.get("/a")
        try await harness.get("/a", for: "ann")
        await harness.cache.removeAll()
        #expect(try await !harness.get("/a").isFromCache)
        #expect(try await !harness.get("/a", for: "ann").isFromCache)
    }

    /// The name of a partition and the credentials of a request are digested alike, and both are part of keys.
    @Test func partitionIsNotTakenForCredentials() async throws {
        let harness = PartitionHarness()
        try await harness.get("/a", for: nil, [.authorization: "Bearer 1"])
        #expect(try await !harness.get("/a", for: "Bearer 1\n").isFromCache)
        #expect(try await harness.get("/a", for: nil, [.authorization: "Bearer 1"]).isFromCache)
    }

    @Test func uriIsRemovedAndMarkedInOnePartition() async throws {
        let harness = PartitionHarness()
        try await fill(harness, ["ann", "bob"])
        await harness.cache.remove("http://example.com/a", partition: "ann")
        #expect(try await !harness.get("/a", for: "ann").isFromCache)
        #expect(try await !harness.get("/a", for: "ann", [.authorization: "Bearer 1"]).isFromCache)
        #expect(try await hits(harness, "bob", evicting: false) == Self.requests.count)
        await harness.cache.markStale("http://example.com/etag", partition: "bob")
        #expect(try await harness.get("/etag", for: "ann").cacheStatus.contains("; hit"))
        let requestCount = harness.harness.requestCount
        #expect(try await harness.get("/etag", for: "bob").text.hasPrefix("bob /etag"))
        #expect(harness.harness.requestCount == requestCount + 1, "it was confirmed")
        await harness.cache.remove("http://example.com/a")
        #expect(try await harness.get("/a", for: "bob").isFromCache, "nobody's is another one")
    }

    @Test func changeConcernsThePartitionOfItsRequest() async throws {
        let harness = PartitionHarness()
        for owner in ["ann", "bob", nil] { try await harness.get("/a", for: owner) }
        try await harness.post("/a", for: "ann")
        #expect(try await !harness.get("/a", for: "ann").isFromCache)
        #expect(try await harness.get("/a", for: "bob").isFromCache)
        #expect(try await harness.get("/a").isFromCache)
    }

    @Test func tagsReachEveryPartition() async throws {
        let harness = PartitionHarness()
        for owner in ["ann", "bob", nil] { try await harness.get("/etag", for: owner) }
        await harness.cache.remove(taggedWith: "all")
        for owner in ["ann", "bob", nil] { #expect(try await !harness.get("/etag", for: owner).isFromCache) }
    }

    @Test func explanationIsOfOnePartitionAndLeavesWithIt() async throws {
        let harness = PartitionHarness()
        try await harness.get("/a", for: "ann")
        let uri = "http://example.com/a"
        #expect(await harness.cache.explain(uri).stored == nil)
        #expect(await harness.cache.explain(uri, partition: "ann").stored != nil)
        #expect(await harness.cache.explain(uri, partition: "ann").lastDecision != nil)
        await harness.cache.removePartition("bob")
        #expect(await harness.cache.explain(uri, partition: "ann").lastDecision != nil)
        await harness.cache.removePartition("ann")
        #expect(await harness.cache.explain(uri, partition: "ann").stored == nil)
        #expect(await harness.cache.explain(uri, partition: "ann").lastDecision == nil)
    }

    @Test func clientPassesThePartitionOn() async throws {
        let harness = PartitionHarness()
        let client = CachingClient(transport: harness.transport, cache: harness.cache, ticker: harness.time)
        var options = RequestOptions()
        options.partition = "ann"
        _ = try await client.get("http://example.com/a", options: options).body.collect(upTo: 100)
        #expect(try await harness.get("/a", for: "ann").isFromCache)
        #expect(try await !harness.get("/a").isFromCache)
        options.keepsInMemoryOnly = true
        _ = try await client.get("http://example.com/secret", options: options).body.collect(upTo: 100)
        #expect(try await harness.get("/secret", for: "ann", inMemoryOnly: true).isFromCache)
        #expect(try await !harness.get("/secret", for: "ann").isFromCache)
    }

    @Test func sharedCacheHasPartitionsToo() async throws {
        let harness = PartitionHarness(mode: .shared)
        for owner in ["ann", "bob"] { try await harness.get("/vary", for: owner) }
        await harness.cache.removePartition("ann")
        #expect(try await !harness.get("/vary", for: "ann").isFromCache)
        #expect(try await harness.get("/vary", for: "bob").isFromCache)
    }

    // MARK: A store that fails

    @Test func storeThatHasMissedTheRemovalDoesNotBringItBack() async throws {
        let harness = PartitionHarness()
        try await fill(harness, ["ann", "bob"])
        harness.store.fail(.removePartition)
        await harness.cache.removePartition("ann")
        harness.evict()
        #expect(try await hits(harness, "ann", evicting: true) == 0)
        #expect(try await hits(harness, "bob", evicting: true) == Self.requests.count)
        harness.store.heal()
        #expect(try await hits(harness, "ann", evicting: true) == 0)
        await harness.time.sleepers(1)
        harness.time.advance(seconds: 10)
        while harness.cache.entries.storeHealth[0].pendingInvalidations > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        let later = CacheHarness(stores: [harness.base], time: harness.time) { _ in .text("none") }
        let response = try await later.cache.respond(to: .test(.get, "/a"), partition: "ann", through: later.transport)
        #expect(!response.isFromCache, "it is gone for others as well")
    }
}
