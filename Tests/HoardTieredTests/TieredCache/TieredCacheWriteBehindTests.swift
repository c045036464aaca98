// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// Values that the cache writes behind, in batches.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheWriteBehindTests {
    private enum Caller {
        @TaskLocal static var name = "nobody"
    }

    private let store = ScriptedStore()

    /// A cache whose time stands still, so that no call takes too long.
    private func makeCache(_ policy: CachePolicy = CachePolicy()) -> TieredCache<String, String> {
        var policy = policy
        policy.storeWriting = .behind
        return TieredCache(configuration: .init(maximumCount: 100, policy: policy), stores: [store], codec: .json, ticker: ManualTicker())
    }

    @Test func oneCallWritesAtMostOneMebibyte() async {
        let cache = makeCache()
        let gate = store.hold("insert")
        await cache.insert("first", forKey: "first")
        await gate.arrivals(1)
        for key in ["a", "b", "c", "d", "e", "f", "g"] { await cache.insert(String(repeating: key, count: 300 << 10), forKey: key) }
        await cache.insert(String(repeating: "h", count: 2 << 20), forKey: "h")
        gate.open()
        await cache.flush()
        #expect(store.calls == ["insert(first)", "insertAll(a,b,c)", "insertAll(d,e,f)", "insert(g)", "insert(h)"])
        #expect(store.records.count == 9)
    }

    @Test func valuesGatherUntilTheirTimeIsOver() async throws {
        let ticker = ManualTicker()
        var configuration = TieredCache<String, String>.Configuration(maximumCount: 100, policy: CachePolicy().with { $0.storeWriting = .behind })
        configuration.writeGathering = .milliseconds(5)
        let cache = TieredCache<String, String>(configuration: configuration, stores: [store], codec: .json, ticker: ticker)
        for key in ["a", "b", "c"] { await cache.insert("1", forKey: key) }
        try await waitUntil { ticker.sleeperCount == 1 }
        #expect(store.calls.isEmpty)
        ticker.advance(by: .milliseconds(5))
        try await waitUntil { store.calls == ["insertAll(a,b,c)"] }
        await cache.flush()
        // A flush does not wait for the time.
        await cache.insert("2", forKey: "d")
        await cache.flush()
        #expect(store.calls == ["insertAll(a,b,c)", "insert(d)"])
    }

    @Test func flushDoesNotWaitForValuesThatAreWrittenLater() async throws {
        // Time stands still, so that no call takes too long.
        let policy = CachePolicy().with { $0.storeWriting = .behind }
        let cache = TieredCache<String, String>(
            configuration: .init(maximumCount: 100, policy: policy),
            stores: [store],
            codec: .json,
            ticker: ManualTicker()
        )
        let (earlier, later) = (Gate(), Gate())
        store.setScript { call in .init(gate: call.keys == ["a"] ? earlier : later) }
        await cache.insert("1", forKey: "a")
        await earlier.arrivals(1)
        let flush = Task { await cache.flush() }
        try await waitUntil { cache.writesBehind.waiterCount == 1 }
        await cache.insert("2", forKey: "b")
        earlier.open()
        await flush.value
        #expect(Set(store.records.keys) == ["a"])
        later.open()
        await cache.flush()
        #expect(Set(store.records.keys) == ["a", "b"])
    }

    @Test func writerInheritsNothingOfTheTaskThatStartsIt() async {
        let names = Shared<[String]>([])
        store.setScript { _ in
            names.update { $0.append(Caller.name) }
            return .pass
        }
        let cache = makeCache()
        await Caller.$name.withValue("ann") { await cache.insert("1", forKey: "a") }
        await cache.flush()
        #expect(names.value == ["nobody"])
    }

    // MARK: Guards of records that are written together

    /// A tier over a store that another process changes too.
    private struct SharedTier {
        let here: SharedMemoryStore.Connection
        let there: SharedMemoryStore.Connection
        let tier: StoreTier
        let refused = Shared<[String]>([])

        init() throws {
            let server = SharedMemoryStore()
            here = server.connect()
            there = server.connect()
            let cache = TieredCache<String, String>(configuration: .init(maximumCount: 1), stores: [here], codec: .json, ticker: ManualTicker())
            tier = try #require(cache.tiers.first)
        }

        func insertion(_ number: UInt8, _ key: RecordKey, since position: StorePosition?) -> StoreTier.Insertion {
            let guarded = position.map { StoreTier.Guard(position: $0) { [refused] in refused.update { $0.append(key.description) } } }
            return .init(key: key, record: StoreTierFixture.record(number), guarded: guarded) { .wanted }
        }

        func number(_ key: RecordKey) async throws -> UInt8? { try await here.record(forKey: key)?.payload.first }
    }

    @Test func oldestGuardOfABatchRefusesNoYoungerRecord() async throws {
        let shared = try SharedTier()
        let early = shared.here.position
        try await shared.there.insert(StoreTierFixture.record(1), forKey: "a")
        try await shared.there.insert(StoreTierFixture.record(1), forKey: "b")
        let late = shared.here.position
        await shared.tier.insert([
            shared.insertion(2, "a", since: early), shared.insertion(2, "b", since: late), shared.insertion(2, "c", since: early),
        ])
        #expect(try await shared.number("a") == 1)
        #expect(try await shared.number("b") == 2)
        #expect(try await shared.number("c") == 2)
        #expect(shared.refused.value == ["a"])
    }

    @Test func writeWithoutAGuardIsNotHeldToThatOfAnOlderLoad() async throws {
        let shared = try SharedTier()
        let early = shared.here.position
        try await shared.there.insert(StoreTierFixture.record(1), forKey: "a")
        await shared.tier.insert([shared.insertion(2, "a", since: early), shared.insertion(3, "a", since: nil)])
        #expect(try await shared.number("a") == 3)
        #expect(shared.refused.value.isEmpty)
    }
}
