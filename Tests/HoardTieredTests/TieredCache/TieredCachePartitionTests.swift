// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Removal of a partition: at once, in every tier, of all values of the partition and of nothing else.
@Suite(.timeLimit(.minutes(5))) struct TieredCachePartitionTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    private func insertFive() async {
        await cache.insert(1, forKey: "a", partition: "ann")
        await cache.insert(2, forKey: "b", tags: ["t"], partition: "ann")
        await cache.insert(3, forKey: "c", partition: "bob")
        await cache.insert(4, forKey: "d", tags: ["ann"])
        await cache.insert(5, forKey: "e")
    }

    private func expect(_ expected: [String: Int], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for key in ["a", "b", "c", "d", "e"] {
            #expect(cache.memoryLookup(forKey: key)?.value == expected[key], "\(key) in memory", sourceLocation: sourceLocation)
            #expect(try await fixture.stored(RecordKey(key), in: fixture.upperBase) == expected[key], "\(key) above", sourceLocation: sourceLocation)
            #expect(try await fixture.stored(RecordKey(key), in: fixture.lowerBase) == expected[key], "\(key) below", sourceLocation: sourceLocation)
        }
        #expect(cache.fences.withLock { $0.count } == 0, sourceLocation: sourceLocation)
    }

    @Test func whatBelongsToThePartitionLeavesEveryTierAndNothingElseDoes() async throws {
        await insertFive()
        await cache.removePartition("nobody")
        try await expect(["a": 1, "b": 2, "c": 3, "d": 4, "e": 5])
        await cache.removePartition("ann")
        try await expect(["c": 3, "d": 4, "e": 5])
        await cache.removeValues(taggedWith: "bob")
        try await expect(["c": 3, "d": 4, "e": 5])
        await cache.removePartition("bob")
        try await expect(["d": 4, "e": 5])
    }

    @Test func itCostsOneCallOfEachStoreAndNoLookAtMemoryWhateverItHolds() async throws {
        let before = cache.memoryStatistics
        for number in 0..<50 { await cache.insert(number, forKey: "\(number)", partition: "ann") }
        let count = cache.memoryCount
        let filled = cache.memoryStatistics
        #expect(filled != before)
        await cache.removePartition("ann")
        #expect(cache.memoryStatistics == filled)
        #expect(cache.memoryCount == count, "they are dropped when somebody looks")
        for store in [fixture.upper, fixture.lower] {
            #expect(store.callCount(.removePartition) == 1)
            for operation in [FaultyStore.Operation.removeRecord, .removeMany, .removeTagged, .removeAll, .record, .records, .insertMany] {
                #expect(store.callCount(operation) == 0, "\(operation)")
            }
        }
        #expect(cache.memoryValue(forKey: "7") == nil)
        #expect(cache.memoryCount == count - 1)
    }

    @Test func recordsSayWhoseTheyAre() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"], partition: "ann")
        await cache.insert(contentsOf: ["b": 2, "c": 3], partition: "bob")
        _ = try await cache.valueIfExists(forKey: "d") { _ in .value(4, partition: "cy") }
        _ = try await cache.lookups(forKeys: ["e"]) { _ in ["e": .value(5, partition: "dan")] }
        await cache.insert(6, forKey: "f")
        for (key, partition) in ["a": "ann", "b": "bob", "c": "bob", "d": "cy", "e": "dan", "f": nil] as [RecordKey: String?] {
            #expect(try await fixture.upperBase.record(forKey: key)?.partition == partition)
            #expect(try await fixture.lowerBase.record(forKey: key)?.partition == partition)
        }
        #expect(try await fixture.upperBase.record(forKey: "a")?.tags == ["t"], "a partition is no tag")
        #expect(await cache.lookup(forKey: "a")?.tags == ["t"])
        #expect(await cache.explain("a").memory?.partition == "ann")
        #expect(await cache.explain("a").stores.map { $0.holding?.partition } == ["ann", "ann"])
    }

    @Test func partitionsOutliveTheMemoryTierAndTheProcess() async throws {
        await insertFive()
        let later = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10),
            stores: [fixture.lowerBase],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        // One of the values comes into memory, and one stays in the store.
        #expect(await later.value(forKey: "a") == 1)
        await later.removePartition("ann")
        #expect(await later.value(forKey: "a") == nil)
        #expect(await later.value(forKey: "b") == nil)
        #expect(await later.value(forKey: "c") == 3)
    }

    @Test func aValueThatIsConfirmedStaysWhereItIsUnlessToldOtherwise() async throws {
        let fixture = TieredFixture(freshFor: .seconds(10), staleFor: .seconds(100))
        func load(_ key: String, _ result: LoadResult<Int>) async throws {
            fixture.time.advance(by: .seconds(20))
            _ = try await fixture.cache.valueIfExists(forKey: key) { _ in result }
        }
        await fixture.cache.insert(1, forKey: "a", partition: "ann")
        await fixture.cache.insert(2, forKey: "b", partition: "ann")
        try await load("a", .notModified())
        try await load("b", .notModified(partition: "bob"))
        #expect(try await fixture.upperBase.record(forKey: "a")?.partition == "ann")
        #expect(try await fixture.upperBase.record(forKey: "b")?.partition == "bob")
        await fixture.cache.removePartition("ann")
        #expect(await fixture.cache.lookup(forKey: "a") == nil)
        #expect(await fixture.cache.lookup(forKey: "b")?.value == 2)
    }

    @Test func negativeEntriesHavePartitionsToo() async throws {
        let fixture = TieredFixture(policy: CachePolicy().with { $0.negativeFor = .seconds(60) })
        func loads() async throws -> Int {
            let loads = Counter()
            _ = try await fixture.cache.valueIfExists(forKey: "a") { _ in
                loads.increment()
                return .absent(partition: "ann")
            }
            return loads.value
        }
        #expect(try await loads() == 1)
        #expect(try await loads() == 0)
        await fixture.cache.removePartition("ann")
        #expect(try await loads() == 1)
    }

    @Test func whatIsWrittenAfterTheRemovalStays() async throws {
        await insertFive()
        await cache.removePartition("ann")
        await cache.insert(10, forKey: "a", partition: "ann")
        try await expect(["a": 10, "c": 3, "d": 4, "e": 5])
        #expect(await cache.value(forKey: "a") == 10)
        await cache.removePartition("ann")
        #expect(await cache.value(forKey: "a") == nil)
    }

    @Test func entriesOfOtherPartitionsNeedOneLookAndThoseOfNoneNeedNone() async throws {
        await insertFive()
        await cache.removePartition("ann")
        let (other, nobodys) = (try #require(cache.memory.peek("c")), try #require(cache.memory.peek("e")))
        #expect(cache.needsNoCloserLook(nobodys))
        #expect(!cache.needsNoCloserLook(other))
        #expect(cache.memoryValue(forKey: "c") == 3)
        #expect(cache.needsNoCloserLook(other), "one look is enough")
    }

    @Test(arguments: ["", "\u{0}", "ann\u{0}", "größe", String(repeating: "x", count: 10_000)])
    func anyNameWillDo(partition: String) async throws {
        await cache.insert(1, forKey: "a", partition: partition)
        await cache.insert(2, forKey: "b", tags: [partition])
        await cache.insert(3, forKey: "c")
        await cache.removePartition(partition)
        try await expect(["b": 2, "c": 3])
    }

    /// The two spellings are equal as strings, but a disk store tells them apart.
    @Test func twoSpellingsAreTwoPartitions() async throws {
        let (composed, decomposed) = ("Zo\u{EB}", "Zoe\u{308}")
        #expect(composed == decomposed)
        await cache.insert(1, forKey: "a", partition: composed)
        await cache.insert(2, forKey: "b", partition: decomposed)
        fixture.lower.fail(.removePartition)
        await cache.removePartition(composed)
        await cache.removePartition(decomposed)
        #expect(cache.storeHealth[1].pendingInvalidations == 2)
        try await fixture.heal()
        try await expect([:])
        await cache.insert(3, forKey: "a", partition: composed)
        await cache.removePartition(decomposed)
        try await expect(["a": 3])
    }

    @Test func cachesWithNamesLeaveEachOthersPartitionsAlone() async throws {
        let store = MemoryStore(clock: fixture.time)
        let stack = StoreStack([store], ticker: fixture.time)
        let caches = ["users", "teams"].map { name in
            TieredCache<String, Int>(
                name: name,
                configuration: .init(maximumCount: 10),
                stores: stack,
                codec: .json,
                clock: fixture.time,
                ticker: fixture.time
            )
        }
        for cache in caches { await cache.insert(1, forKey: "a", partition: "ann") }
        await caches[0].removePartition("ann")
        for cache in caches { cache.memory.removeAll() }
        #expect(await caches[0].value(forKey: "a") == nil)
        #expect(await caches[1].value(forKey: "a") == 1)
        await caches[1].removePartition("ann")
        #expect(await caches[1].value(forKey: "a") == nil)
        await caches[1].insert(2, forKey: "b", partition: "ann")
        await stack.removeNamespace("teams")
        caches[1].memory.removeAll()
        #expect(await caches[1].value(forKey: "b") == nil)
    }

    // MARK: Keys of which no store is told

    @Test func whatIsKeptInMemoryOnlyIsNeverAskedOfAStoreOrToldToIt() async throws {
        let store = FaultyStore(MemoryStore(clock: fixture.time))
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10, freshFor: .seconds(60)),
            stores: [store],
            codec: .json,
            storedRecordKey: { $0.hasPrefix("!") ? nil : RecordKey($0) },
            keyOfRecord: { $0.description },
            clock: fixture.time,
            ticker: fixture.time
        ) { _ in }
        await cache.insert(1, forKey: "!a", tags: ["t"], partition: "ann")
        #expect(try await cache.value(forKey: "!b") { _ in 2 } == 2)
        #expect(try await cache.values(forKeys: ["!c", "!d"]) { keys in Dictionary(uniqueKeysWithValues: keys.map { ($0, 3) }) }.count == 2)
        #expect(await cache.values(forKeys: ["!a", "!b", "!e"]) == ["!a": 1, "!b": 2])
        #expect(await cache.lookup(forKey: "!nothing") == nil)
        await cache.markStale(forKey: "!a")
        #expect(await cache.lookup(forKey: "!a")?.isFresh == false)
        #expect(await cache.explain("!b").stores.isEmpty)
        await cache.removeValues(forKeys: ["!b", "!c"])
        #expect(cache.memoryValue(forKey: "!b") == nil)
        #expect(cache.memoryValue(forKey: "!d") == 3)
        for operation in FaultyStore.Operation.all where operation != .statistics { #expect(store.callCount(operation) == 0, "\(operation)") }
        await cache.insert(4, forKey: "a")
        #expect(store.callCount(.insert) == 1)
        #expect(await cache.values(forKeys: ["a", "!d"]) == ["a": 4, "!d": 3])
        await cache.removePartition("ann")
        await cache.removeValues(taggedWith: "t")
        #expect(await cache.lookup(forKey: "!a") == nil)
        #expect(cache.fences.withLock { $0.count } == 0)
    }
}
