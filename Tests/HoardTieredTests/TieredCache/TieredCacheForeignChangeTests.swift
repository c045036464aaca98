// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// Values that other processes change in a store leave memory.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheForeignChangeTests {
    private let time = ManualTicker()

    private func makeCache(_ store: SharedStore, name: String? = nil) -> TieredCache<String, Int> {
        let configuration = TieredCache<String, Int>.Configuration(maximumCount: 100)
        guard let name else { return TieredCache(configuration: configuration, stores: [store], codec: .json, clock: time, ticker: time) }
        return TieredCache(
            name: name,
            configuration: configuration,
            stores: StoreStack([store], ticker: time),
            codec: .json,
            clock: time,
            ticker: time
        )
    }

    private func fill(_ cache: TieredCache<String, Int>) async {
        await cache.insert(1, forKey: "a", tags: ["t"])
        await cache.insert(2, forKey: "b", tags: ["u"])
        await cache.insert(3, forKey: "c")
    }

    private func inMemory(_ cache: TieredCache<String, Int>) -> Set<String> {
        Set(["a", "b", "c"].filter { cache.memoryLookup(forKey: $0) != nil })
    }

    @Test func keyLeavesMemoryAndNothingElseDoes() async throws {
        let store = SharedStore()
        let cache = makeCache(store)
        await fill(cache)
        store.tell(StoreInvalidation(key: "a"))
        try await waitUntil { inMemory(cache) == ["b", "c"] }
        #expect(await cache.value(forKey: "a") == 1, "it is read again")
        #expect(store.removals == 0, "the store has the change already")
    }

    @Test func valuesWithTheTagsLeaveMemory() async throws {
        let store = SharedStore()
        let cache = makeCache(store)
        await fill(cache)
        store.tell(StoreInvalidation(tags: ["t", "x"]))
        try await waitUntil { inMemory(cache) == ["b", "c"] }
        #expect(await cache.value(forKey: "a") == 1)
        #expect(store.removals == 0)
    }

    @Test func everythingLeavesMemory() async throws {
        let store = SharedStore()
        let cache = makeCache(store)
        await fill(cache)
        store.tell(StoreInvalidation(tags: []))
        try await waitUntil { inMemory(cache).isEmpty }
        #expect(await cache.values(forKeys: ["a", "b", "c"]) == ["a": 1, "b": 2, "c": 3])
        #expect(store.removals == 0)
    }

    @Test func namedCacheHearsOnlyWhatConcernsIt() async throws {
        let store = SharedStore()
        let cache = makeCache(store, name: "users")
        await fill(cache)
        for foreign in [
            StoreInvalidation(key: "a"), .init(key: "teams\u{0}a"), .init(key: "user\u{0}a"), .init(tags: ["t"]), .init(tags: ["teams\u{0}t"]),
            .init(tags: ["\u{0}teams"]),
        ] { store.tell(foreign) }
        store.tell(StoreInvalidation(key: "users\u{0}c"))
        try await waitUntil { !inMemory(cache).contains("c") }
        #expect(inMemory(cache) == ["a", "b"])
        store.tell(StoreInvalidation(tags: ["teams\u{0}t", "users\u{0}u"]))
        try await waitUntil { inMemory(cache) == ["a"] }
        store.tell(StoreInvalidation(tags: ["\u{0}users"]))
        try await waitUntil { inMemory(cache).isEmpty }
        #expect(await cache.values(forKeys: ["a", "b", "c"]) == ["a": 1, "b": 2, "c": 3])
        store.tell(StoreInvalidation(key: nil))
        try await waitUntil { inMemory(cache).isEmpty }
    }

    @Test func keyThatCannotBeNamedEmptiesMemory() async throws {
        let store = SharedStore()
        let cache = TieredCache<String, Int>(
            name: "users",
            configuration: .init(maximumCount: 100),
            stores: StoreStack([store], ticker: time),
            codec: .json,
            recordKey: { RecordKey($0) },
            clock: time,
            ticker: time
        )
        await fill(cache)
        store.tell(StoreInvalidation(key: "teams\u{0}a"))
        store.tell(StoreInvalidation(tags: ["users\u{0}t"]))
        try await waitUntil { inMemory(cache) == ["b", "c"] }
        store.tell(StoreInvalidation(key: "users\u{0}a"))
        try await waitUntil { inMemory(cache).isEmpty }
    }

    @Test(arguments: [StoreInvalidation(key: "a"), .init(tags: ["t"]), .init(key: nil)])
    func loadThatBeganBeforeIsNotKept(_ invalidation: StoreInvalidation) async throws {
        let store = SharedStore()
        let cache = makeCache(store)
        await cache.insert(0, forKey: "b", tags: ["t"])
        let gate = Gate()
        async let loaded = cache.value(forKey: "a", tags: ["t"]) { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        store.tell(invalidation)
        store.tell(StoreInvalidation(key: "b"))
        try await waitUntil { inMemory(cache).isEmpty }
        gate.open()
        #expect(try await loaded == 1)
        #expect(cache.memoryLookup(forKey: "a") == nil)
        #expect(cache.statistics.fencedPublications == 1)
    }

    @Test func cacheThatIsGoneDoesNotListen() async throws {
        let store = SharedStore()
        var cache: TieredCache<String, Int>? = makeCache(store)
        weak let reference = cache
        #expect(reference != nil)
        cache = nil
        #expect(reference == nil)
    }
}

/// A store that several processes share. It tells of the changes of the other processes.
private final class SharedStore: RecordStore {
    private let base = FaultyStore(MemoryStore())
    private let stream: AsyncStream<StoreInvalidation>
    private let continuation: AsyncStream<StoreInvalidation>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var name: String { "shared" }
    var removals: Int { [.removeRecord, .removeMany, .removeTagged, .removeAll, .markStale, .markTaggedStale].reduce(0) { $0 + base.callCount($1) } }

    func tell(_ invalidation: StoreInvalidation) { continuation.yield(invalidation) }
    func invalidations() -> AsyncStream<StoreInvalidation>? { stream }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
