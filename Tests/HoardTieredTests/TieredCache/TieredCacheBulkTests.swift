// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Several keys at a time: each store is called once.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheBulkTests {
    private let fixture = TieredFixture(staleFor: .seconds(1_000))
    private var cache: TieredCache<String, Int> { fixture.cache }

    private func callCounts(_ store: FaultyStore) -> [FaultyStore.Operation: Int] {
        Dictionary(uniqueKeysWithValues: FaultyStore.Operation.all.map { ($0, store.callCount($0)) }).filter { $0.value > 0 }
    }

    @Test func eachStoreIsAskedOnceForWhatTheTiersAboveDoNotHave() async throws {
        await cache.insert(1, forKey: "memory")
        try await fixture.put(2, forKey: "upper", in: fixture.upperBase)
        for key in ["lower 1", "lower 2"] { try await fixture.put(3, forKey: RecordKey(key), in: fixture.lowerBase) }
        let asked = Shared<[String]>([])
        for (name, store) in [("upper", fixture.upper), ("lower", fixture.lower)] {
            store.setScript { call in
                if call.operation == .records { asked.update { $0.append("\(name): \(call.keys.map(\.description).joined(separator: ", "))") } }
                return .pass
            }
        }
        let found = await cache.lookups(forKeys: ["nowhere", "lower 1", "memory", "upper", "memory", "lower 2", "nowhere"])
        #expect(asked.value == ["upper: nowhere, lower 1, upper, lower 2", "lower: nowhere, lower 1, lower 2"])
        #expect(found.mapValues(\.value) == ["memory": 1, "upper": 2, "lower 1": 3, "lower 2": 3])
        #expect(found.mapValues(\.tier) == ["memory": .memory, "upper": .store("upper"), "lower 1": .store("lower"), "lower 2": .store("lower")])
        await cache.flush()
        #expect(callCounts(fixture.upper) == [.insert: 1, .records: 1, .insertMany: 1], "and both copies are one write")
        #expect(callCounts(fixture.lower) == [.insert: 1, .records: 1])
        for key in ["upper", "lower 1", "lower 2"] { #expect(cache.memoryLookup(forKey: key) != nil) }
        #expect(try await fixture.stored("lower 2", in: fixture.upperBase) == 3)
        let statistics = cache.statistics
        #expect((statistics.memoryHits, statistics.storeHits, statistics.misses) == (1, 3, 1))
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    @Test func storesAreNotAskedForNothing() async throws {
        #expect(await cache.values(forKeys: []).isEmpty)
        #expect(try await cache.values(forKeys: []) { _ in throw TestError() }.isEmpty)
        await cache.insert(contentsOf: [:])
        await cache.removeValues(forKeys: [])
        #expect(callCounts(fixture.upper).isEmpty)
        await cache.insert(contentsOf: ["a": 1, "b": 2])
        #expect(await cache.values(forKeys: ["a", "b"]) == ["a": 1, "b": 2])
        #expect(callCounts(fixture.upper) == [.insertMany: 1])
    }

    @Test func staleValuesAreShownByLookupsOnly() async throws {
        await cache.insert(contentsOf: ["a": 1, "b": 2])
        fixture.time.advance(by: .seconds(60))
        await cache.insert(3, forKey: "b")
        #expect(await cache.values(forKeys: ["a", "b"]) == ["b": 3])
        let found = await cache.lookups(forKeys: ["a", "b"])
        #expect(found["a"]?.value == 1 && found["a"]?.staleReason?.kind == .noLoader)
        #expect(found["b"]?.isFresh == true)
        let statistics = cache.statistics
        #expect((statistics.memoryHits, statistics.staleHits, statistics.misses) == (2, 1, 1), "what is not returned is a miss")
    }

    @Test func freshBeatsStaleAndAmongStaleTheNewest() async throws {
        await cache.insert(contentsOf: ["a": 1, "b": 1, "c": 1])
        fixture.time.advance(by: .seconds(100))
        try await fixture.put(2, forKey: "a", in: fixture.lowerBase, freshFor: .seconds(10))
        try await fixture.put(2, forKey: "b", in: fixture.upperBase, age: .seconds(50), freshFor: .zero)
        try await fixture.put(3, forKey: "b", in: fixture.lowerBase, age: .seconds(40), freshFor: .zero)
        try await fixture.put(2, forKey: "c", in: fixture.lowerBase, age: .seconds(500), freshFor: .zero)
        let found = await cache.lookups(forKeys: ["a", "b", "c"])
        #expect(found.mapValues(\.value) == ["a": 2, "b": 3, "c": 1])
        #expect(found.mapValues(\.isFresh) == ["a": true, "b": false, "c": false])
        #expect(found["b"]?.tier == .store("lower") && found["c"]?.tier == .memory)
    }

    @Test func storeThatFailsIsPassedByForEveryKey() async throws {
        for key in ["a", "b"] { try await fixture.put(1, forKey: RecordKey(key), in: fixture.lowerBase) }
        fixture.upper.fail(.records)
        let found = await cache.lookups(forKeys: ["a", "b", "c"])
        #expect(found.mapValues(\.value) == ["a": 1, "b": 1])
        for lookup in found.values { #expect(lookup.skippedStores == [StoreSkip(store: "upper", reason: .failed)]) }
    }

    @Test func slowStoreIsPassedByAtItsDeadline() async throws {
        for key in ["a", "b"] { try await fixture.put(1, forKey: RecordKey(key), in: fixture.lowerBase) }
        let gate = fixture.upper.hold(.records)
        async let found = cache.lookups(forKeys: ["a", "b"])
        await gate.arrivals(1)
        await fixture.time.sleepers(1)
        fixture.time.advance(by: .seconds(1))
        #expect(await found.mapValues(\.skippedStores)["a"] == [StoreSkip(store: "upper", reason: .timedOut)])
        gate.open()
    }

    @Test func recordsThatDoNotDecodeAreMissesAndRemoved() async throws {
        try await fixture.put(1, forKey: "a", in: fixture.upperBase)
        try await fixture.put(2, forKey: "b", in: fixture.lowerBase)
        try await fixture.upperBase.insert(Record(payload: Data("x".utf8), created: fixture.time.now()), forKey: "b")
        #expect(await cache.values(forKeys: ["a", "b"]) == ["a": 1, "b": 2])
        #expect(cache.statistics.rejectedRecords == 1)
        await cache.flush()
        #expect(try await fixture.stored("b", in: fixture.upperBase) == 2)
    }

    @Test func policyDecidesWhatIsAsked() async throws {
        await cache.insert(contentsOf: ["a": 1, "b": 2])
        try await fixture.upperBase.removeAll()
        try await fixture.put(3, forKey: "a", in: fixture.upperBase, freshFor: .seconds(10))
        #expect(await cache.values(forKeys: ["a", "b"], policy: cache.policy.with { $0.skipping = .memory }) == ["a": 3, "b": 2])
        fixture.evict()
        let skipping = cache.policy.with { $0.skipping = .storeReads }
        #expect(await cache.values(forKeys: ["a", "b"], policy: skipping).isEmpty)
        let found = try await cache.lookups(forKeys: ["a"], policy: skipping) { _ in ["a": .value(4)] }
        #expect(found["a"]?.skippedStores.map(\.reason) == [.policy, .policy])
    }

    @Test func cancelledCallerGetsWhatMemoryHas() async throws {
        await cache.insert(1, forKey: "a")
        try await fixture.put(2, forKey: "b", in: fixture.lowerBase)
        let found = await withTaskGroup(of: [String: Int].self) { group in
            group.cancelAll()
            group.addTask { await cache.values(forKeys: ["a", "b"]) }
            return await group.next()
        }
        #expect(found == ["a": 1])
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    @Test func negativeEntriesAnswerForTheirKeys() async throws {
        let fixture = TieredFixture(policy: CachePolicy().with { $0.negativeFor = .seconds(60) })
        #expect(try await fixture.cache.values(forKeys: ["a", "b"]) { _ in ["a": 1] } == ["a": 1])
        #expect(await fixture.cache.lookups(forKeys: ["a", "b"]).mapValues(\.value) == ["a": 1])
        fixture.evict()
        #expect(try await fixture.cache.values(forKeys: ["a", "b"]) { _ in throw TestError() } == ["a": 1], "known in the stores, too")
        #expect(fixture.cache.statistics.negativeHits == 2)
    }

    @Test func manyValuesAreWrittenWithOneCallOfEachStore() async throws {
        await cache.insert(contentsOf: ["a": 1, "b": 2, "c": 3], tags: ["t"])
        for store in [fixture.upper, fixture.lower] { #expect(callCounts(store) == [.insertMany: 1]) }
        #expect(await cache.lookups(forKeys: ["a", "b", "c"]).mapValues(\.tags) == ["a": ["t"], "b": ["t"], "c": ["t"]])
        for store in [fixture.upperBase, fixture.lowerBase] { #expect(try await fixture.stored("c", in: store) == 3) }
    }

    @Test func manyValuesAreRemovedWithOneCallOfEachStore() async throws {
        await cache.insert(contentsOf: ["a": 1, "b": 2, "c": 3])
        await cache.removeValues(forKeys: ["a", "b", "a", "nowhere"])
        for store in [fixture.upper, fixture.lower] { #expect(callCounts(store) == [.insertMany: 1, .removeMany: 1]) }
        #expect(await cache.values(forKeys: ["a", "b", "c"]) == ["c": 3])
        fixture.evict()
        #expect(await cache.values(forKeys: ["a", "b", "c"]) == ["c": 3])
    }

    @Test func recordsReadBeforeARemovalAreNotCopied() async throws {
        for key in ["a", "b"] { try await fixture.put(1, forKey: RecordKey(key), in: fixture.lowerBase) }
        let gate = fixture.lower.hold(.records, afterwards: true)
        async let found = cache.values(forKeys: ["a", "b"])
        await gate.arrivals(1)
        await cache.removeValues(forKeys: ["a", "c"])
        gate.open()
        #expect(await found == ["a": 1, "b": 1])
        await cache.flush()
        #expect(cache.memoryLookup(forKey: "a") == nil && cache.memoryLookup(forKey: "b")?.value == 1)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == nil)
        #expect(try await fixture.stored("b", in: fixture.upperBase) == 1)
        #expect(cache.statistics.fencedPublications == 1)
    }

    @Test func keysThatAreBeingWrittenAreNotReadFromTheStores() async throws {
        await cache.insert(contentsOf: ["a": 1, "b": 1])
        let gate = fixture.lower.hold(.insert)
        async let written: Void = cache.insert(2, forKey: "a")
        await gate.arrivals(1)
        fixture.evict()
        let found = await cache.lookups(forKeys: ["a", "b"])
        #expect(found.mapValues(\.value) == ["b": 1], "the old value must not be seen any more")
        gate.open()
        await written
    }
}
