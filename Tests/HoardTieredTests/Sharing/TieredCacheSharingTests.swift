// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Hoard
@testable import HoardTesting

/// Caches over a store that other processes change: the changes that the caches hear of, the values that they
/// publish, and the copies in their other tiers.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheSharingTests {
    private let time = ManualTicker()

    private func makeCache(
        _ stores: [any RecordStore],
        name: String? = nil,
        policy: CachePolicy = CachePolicy()
    ) -> TieredCache<String, Int> {
        TieredCache(
            name: name,
            configuration: .init(maximumCount: 100, policy: policy),
            stack: StoreStack(stores, ticker: time),
            ownsStack: true,
            codec: .json,
            recordKey: { RecordKey($0) },
            keyOfRecord: { $0.description },
            clock: time,
            ticker: time,
            observer: nil,
            onEvent: { _ in }
        )
    }

    private func server() -> SharedMemoryStore { SharedMemoryStore(clock: time, ticker: time) }

    private func number(_ store: any RecordStore, _ key: RecordKey) async throws -> Int? {
        try await store.record(forKey: key).map { try JSONDecoder().decode(Int.self, from: $0.payload) }
    }

    // MARK: Hearing of changes

    @Test func changeByAnotherLeavesMemoryBeforeItsDeliveryEnds() async {
        let server = server()
        let here = server.connect(delivery: .onRequest)
        let (cache, other) = (makeCache([here]), makeCache([server.connect()]))
        await cache.insert(1, forKey: "a", tags: ["t"], partition: "p")
        await cache.insert(2, forKey: "b")
        await other.insert(3, forKey: "a")
        #expect(await cache.value(forKey: "a") == 1)
        here.deliverAll()
        #expect(cache.memoryLookup(forKey: "a") == nil)
        #expect(cache.memoryLookup(forKey: "b")?.value == 2)
        #expect(await cache.value(forKey: "a") == 3)
    }

    @Test(arguments: [nil, "users"])
    func removalsByTagPartitionAndOfEverythingLeaveMemory(name: String?) async {
        let server = server()
        let (cache, other) = (makeCache([server.connect()], name: name), makeCache([server.connect()], name: name))
        func fill() async {
            await cache.insert(1, forKey: "t", tags: ["t"])
            await cache.insert(2, forKey: "p", partition: "p")
            await cache.insert(3, forKey: "c")
        }
        func inMemory() -> Set<String> { Set(["t", "p", "c"].filter { cache.memoryLookup(forKey: $0) != nil }) }
        await fill()
        await other.removeValues(taggedWith: "t")
        #expect(inMemory() == ["p", "c"])
        await other.removePartition("p")
        #expect(inMemory() == ["c"])
        await other.removeAll()
        #expect(inMemory().isEmpty)
        await fill()
        await other.markStale(taggedWith: "t")
        #expect(inMemory() == ["p", "c"])
        #expect(await cache.lookup(forKey: "t")?.isFresh == false)
        await other.markAllStale()
        #expect(inMemory().isEmpty)
        #expect(await cache.lookup(forKey: "c")?.isFresh == false)
    }

    @Test func namedCachesHearOfTheirOwnPartitionsAlone() async {
        let server = server()
        let (cache, other) = (makeCache([server.connect()], name: "users"), makeCache([server.connect()], name: "teams"))
        await cache.insert(1, forKey: "a", partition: "p")
        await other.insert(2, forKey: "a", partition: "p")
        await other.removePartition("p")
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        #expect(await other.value(forKey: "a") == nil)
    }

    @Test func handlerIsToldWhatOthersHaveChanged() async {
        let server = server()
        let (cache, other) = (makeCache([server.connect()]), makeCache([server.connect()]))
        let told = Shared<[String]>([])
        cache.setForeignChangeHandler { change in told.update { $0.append("\(change)") } }
        await cache.insert(1, forKey: "own")
        await other.insert(1, forKey: "a")
        await other.removeValues(taggedWith: "t")
        await other.removePartition("p")
        await other.removeAll()
        #expect(told.value == ["key(\"a\")", "tags(Set([\"t\"]))", "partition(\"p\")", "everything"])
        cache.setForeignChangeHandler(nil)
        await other.insert(1, forKey: "b")
        #expect(told.value.count == 4)
    }

    @Test func releasedCacheNoLongerListens() async throws {
        let server = server()
        let store = server.connect()
        var cache: TieredCache<String, Int>? = makeCache([store])
        await cache?.insert(1, forKey: "a")
        #expect(!store.mailbox.watchers.isEmpty)
        cache = nil
        // The task that has written the record holds the cache until it ends, which may be after the write has returned.
        try await waitUntil { store.mailbox.watchers.isEmpty }
    }

    // MARK: Stores above

    @Test(arguments: [nil, "users"])
    func changeByAnotherLeavesTheStoresAbove(name: String?) async throws {
        let server = server()
        let upper = MemoryStore(name: "upper", clock: time)
        let (cache, other) = (makeCache([upper, server.connect()], name: name), makeCache([server.connect()], name: name))
        let key = try #require(cache.naming.recordKey(for: "a"))
        for change in 0..<4 {
            await cache.insert(1, forKey: "a", tags: ["t"], partition: "p")
            #expect(try await number(upper, key) == 1)
            switch change {
            case 0: await other.insert(2, forKey: "a", tags: ["t"], partition: "p")
            case 1: await other.removeValues(taggedWith: "t")
            case 2: await other.removePartition("p")
            default: await other.removeAll()
            }
            let expected = change == 0 ? 2 : nil
            #expect(await cache.value(forKey: "a") == expected, "change \(change): what the upper store has is not read")
            try await waitUntil { cache.storeHealth[0].isSound && cache.tiers[0].health.pendingInvalidations == 0 }
            await cache.flush()
            #expect(try await number(upper, key) == expected, "change \(change)")
        }
    }

    @Test func namedCacheLeavesAloneWhatOthersHaveInTheStoresAbove() async throws {
        let server = server()
        let upper = MemoryStore(name: "upper", clock: time)
        let below = server.connect()
        let stack = StoreStack([upper, below], ticker: time)
        func named(_ name: String) -> TieredCache<String, Int> {
            TieredCache(name: name, configuration: .init(maximumCount: 10), stores: stack, codec: .json, clock: time, ticker: time)
        }
        let (users, teams) = (named("users"), named("teams"))
        await users.insert(1, forKey: "a")
        await teams.insert(2, forKey: "a")
        await makeCache([server.connect()], name: "users").removeAll()
        try await waitUntil { stack.health[0].pendingInvalidations == 0 }
        #expect(try await number(upper, "users\u{0}a") == nil)
        #expect(try await number(upper, "teams\u{0}a") == 2)
    }

    @Test func storeAboveThatFailsIsNotReadForWhatOthersHaveChanged() async throws {
        let server = server()
        let upper = FaultyStore(MemoryStore(name: "upper", clock: time), ticker: time)
        let (cache, other) = (makeCache([upper, server.connect()]), makeCache([server.connect()]))
        await cache.insert(1, forKey: "a")
        upper.fail(.removeRecord, .removeMany, .insert, .insertMany)
        await other.insert(2, forKey: "a")
        #expect(await cache.value(forKey: "a") == 2)
        let skipped = await cache.lookup(forKey: "a", policy: cache.policy.with { $0.skipping = .memoryReads })?.skippedStores
        #expect(skipped?.first?.reason == .invalidationPending)
    }

    @Test func newsOfEverythingEndTheTimeForWhichAStoreIsLeftAlone() async throws {
        let server = server()
        let here = server.connect()
        let cache = TieredCache<String, Int>(
            name: nil,
            configuration: .init(maximumCount: 10),
            stack: StoreStack(
                [here],
                configuration: .init(failuresToOpen: 1, openFor: .seconds(1_000), maximumOpenFor: .seconds(1_000)),
                ticker: time
            ),
            ownsStack: true,
            codec: .json,
            recordKey: { RecordKey($0) },
            keyOfRecord: { $0.description },
            clock: time,
            ticker: time,
            observer: nil,
            onEvent: { _ in }
        )
        await cache.insert(1, forKey: "a")
        here.disconnect()
        await cache.removeValue(forKey: "a")
        #expect(cache.storeHealth[0].circuit == .open)
        #expect(cache.storeHealth[0].pendingInvalidations == 1)
        here.reconnect()
        try await waitUntil { cache.storeHealth[0].pendingInvalidations == 0 }
        #expect(cache.storeHealth[0].circuit == .closed)
        #expect(try await server.connect().record(forKey: "a") == nil)
    }

    // MARK: Publishing

    @Test(arguments: ["write", "removal", "tag", "partition", "everything", "loss"])
    func loadThatBeganBeforeAChangeByAnotherIsNotPublished(change: String) async throws {
        let server = server()
        let (here, audit) = (server.connect(delivery: .onRequest), server.connect())
        let (cache, other) = (makeCache([here]), makeCache([server.connect()]))
        let gate = Gate()
        async let loaded = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, tags: ["t"], partition: "p")
        }
        await gate.arrivals(1)
        switch change {
        case "write": await other.insert(2, forKey: "a")
        case "removal": await other.removeValue(forKey: "a")
        case "tag": await other.removeValues(taggedWith: "t")
        case "partition": await other.removePartition("p")
        case "everything": await other.removeAll()
        default:
            here.disconnect()
            here.reconnect()
        }
        gate.open()
        #expect(try await loaded == 1, "whoever waited for it gets it")
        #expect(cache.memoryLookup(forKey: "a") == nil, "though it has not heard of the change")
        #expect(try await number(audit, "a") == (change == "write" ? 2 : nil))
        let statistics = cache.statistics
        #expect(statistics.refusedPublications + statistics.fencedPublications == 1)
    }

    @Test func loadIsPublishedIfOthersHaveChangedOtherKeys() async throws {
        let server = server()
        let (cache, other) = (makeCache([server.connect(delivery: .onRequest)]), makeCache([server.connect()]))
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await other.insert(2, forKey: "b")
        gate.open()
        #expect(try await loaded == 1)
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        #expect(await other.value(forKey: "a") == 1)
        #expect(cache.statistics.refusedPublications == 0)
    }

    @Test func explicitWritesAreMadeWhateverOthersHaveChanged() async throws {
        let server = server()
        let (here, audit) = (server.connect(delivery: .onRequest), server.connect())
        let (cache, other) = (makeCache([here]), makeCache([server.connect()]))
        await other.insert(1, forKey: "a")
        await cache.insert(2, forKey: "a")
        #expect(try await number(audit, "a") == 2)
        await cache.insert(contentsOf: ["a": 3, "b": 4])
        #expect(try await number(audit, "a") == 3)
        #expect(cache.statistics.refusedPublications == 0)
    }

    @Test func ofABulkLoadOnlyWhatOthersHaveChangedIsRefused() async throws {
        let server = server()
        let (here, audit) = (server.connect(delivery: .onRequest), server.connect())
        let (cache, other) = (makeCache([here]), makeCache([server.connect()]))
        let gate = Gate()
        async let loaded = cache.values(forKeys: ["a", "b", "c"]) { keys in
            await gate.pass()
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })
        }
        await gate.arrivals(1)
        await other.insert(2, forKey: "b")
        gate.open()
        #expect(try await loaded == ["a": 1, "b": 1, "c": 1])
        #expect(["a", "b", "c"].map { cache.memoryLookup(forKey: $0)?.value } == [1, nil, 1])
        #expect(try await [number(audit, "a"), number(audit, "b"), number(audit, "c")] == [1, 2, 1])
        #expect(cache.statistics.refusedPublications == 1)
    }

    @Test func refusedLoadDoesNotStayInAStoreAboveNorReachOneBelow() async throws {
        let server = server()
        let (upper, lower) = (MemoryStore(name: "upper", clock: time), MemoryStore(name: "lower", clock: time))
        let here = server.connect(delivery: .onRequest)
        let (cache, other) = (makeCache([upper, here, lower]), makeCache([server.connect()]))
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await other.insert(2, forKey: "a")
        gate.open()
        #expect(try await loaded == 1)
        #expect(await cache.value(forKey: "a") == 2)
        #expect(try await number(lower, "a") == nil)
        try await waitUntil { cache.storeHealth[0].pendingInvalidations == 0 }
        await cache.flush()
        #expect(try await number(upper, "a") != 1)
    }

    @Test func writeBehindOfALoadIsRefusedToo() async throws {
        let server = server()
        let (here, audit) = (server.connect(delivery: .onRequest), server.connect())
        var policy = CachePolicy()
        policy.storeWriting = .behind
        let (cache, other) = (makeCache([here], policy: policy), makeCache([server.connect()]))
        let gate = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await other.removeValue(forKey: "a")
        gate.open()
        #expect(try await loaded == 1)
        await cache.flush()
        #expect(cache.memoryLookup(forKey: "a") == nil)
        #expect(try await number(audit, "a") == nil)
    }

    @Test func backgroundRefreshIsNotPublishedOverAChangeByAnother() async throws {
        let server = server()
        let (here, audit) = (server.connect(delivery: .onRequest), server.connect())
        var policy = CachePolicy(freshFor: .seconds(10))
        policy.staleWhileRevalidate = .seconds(100)
        let (cache, other) = (makeCache([here], policy: policy), makeCache([server.connect()], policy: policy))
        await cache.insert(1, forKey: "a")
        time.advance(by: .seconds(20))
        let gate = Gate()
        let stale = try await cache.value(forKey: "a") { _ in
            await gate.pass()
            return 2
        }
        #expect(stale == 1)
        await gate.arrivals(1)
        await other.insert(3, forKey: "a")
        gate.open()
        try await waitUntil { cache.statistics.refusedPublications == 1 && cache.loads.flightCount == 0 }
        #expect(try await number(audit, "a") == 3)
        #expect(cache.memoryLookup(forKey: "a")?.value != 2)
    }

    @Test func copyToASharedStoreAboveDoesNotReplaceWhatAnotherHasWrittenThere() async throws {
        let (near, far) = (server(), server())
        let record = Record(
            payload: Data("1".utf8),
            created: time.now(),
            staleUntil: .forever,
            tags: [],
            schemaFingerprint: Codec<Int>.json.schemaFingerprint
        )
        // The record is there before any cache watches, because a cache that hears of a change in a store
        // drops the records of the stores above.
        try await far.connect().insert(record, forKey: "a")
        let nearHere = near.connect(name: "near", delivery: .onRequest)
        let farHere = FaultyStore(far.connect(name: "far"), ticker: time)
        let cache = makeCache([nearHere, farHere])
        let gate = farHere.hold(.record, afterwards: true)
        let other = near.connect()
        async let read = cache.value(forKey: "a")
        await gate.arrivals(1)
        var newer = record
        newer.payload = Data("2".utf8)
        newer.created = time.now().addingTimeInterval(1)
        try await other.insert(newer, forKey: "a")
        gate.open()
        #expect(await read == 1)
        await cache.flush()
        #expect(cache.statistics.refusedPublications == 1)
        #expect(try await number(other, "a") == 2)
    }

    @Test func cachesWithoutASharedStoreNoteNoPositions() {
        let cache = makeCache([MemoryStore(clock: time)])
        let fence = cache.openFence(forKey: "a")
        #expect(fence.positions[0] == nil)
        cache.closeFence(fence)
        #expect(cache.stack.leasingStore == nil)
    }
}
