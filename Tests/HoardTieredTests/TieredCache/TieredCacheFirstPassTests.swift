// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Hoard
@testable import HoardTesting

/// Reads by callers that find nothing in memory, of stores that can answer at once.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheFirstPassTests {
    private let time = ManualTicker()
    private let upper: FaultyStore
    private let lower: FaultyStore
    private let cache: TieredCache<String, Int>

    init() {
        upper = FaultyStore(MemoryStore(name: "upper", clock: time), answersAtOnce: true, ticker: time)
        lower = FaultyStore(MemoryStore(name: "lower", clock: time), ticker: time)
        cache = TieredCache(
            configuration: .init(maximumCount: 100, policy: .lasting(.seconds(60), staleFor: .seconds(60))),
            stores: [upper, lower],
            codec: .json,
            clock: time,
            ticker: time
        )
    }

    private struct NotToBeLoaded: Error {}

    @Test func keyIsKnownToBeAbsentIfNeitherMemoryNorAnyStoreHasIt() async {
        let store = FaultyStore(MemoryStore(clock: time), answersAtOnce: true, ticker: time)
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 100), stores: [store], codec: .json, clock: time, ticker: time)
        #expect(cache.isKnownAbsent("a"))
        #expect(cache.statistics.misses == 1 && cache.memory.statistics.misses == 0 && store.callCount(.record) == 0)
        await cache.insert(1, forKey: "a")
        #expect(!cache.isKnownAbsent("a"))
        cache.memory.removeAll()
        #expect(!cache.isKnownAbsent("a"))
        await cache.removeValue(forKey: "a")
        #expect(cache.isKnownAbsent("a"))
        // This cache has a store that it has to ask.
        #expect(!self.cache.isKnownAbsent("a"))
    }

    @Test func keyThatIsBeingWrittenIsNotKnownToBeAbsent() async throws {
        let store = FaultyStore(MemoryStore(clock: time), answersAtOnce: true, ticker: time)
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 0), stores: [store], codec: .json, clock: time, ticker: time)
        let gate = store.hold(.insert)
        let writing = Task { await cache.insert(1, forKey: "a") }
        await gate.arrivals(1)
        #expect(!cache.isKnownAbsent("a"))
        gate.open()
        await writing.value
        #expect(!cache.isKnownAbsent("a"))
    }

    @Test func hitOfTheFirstStoreIsCountedOnceAndGoesToMemory() async throws {
        await cache.insert(1, forKey: "a")
        cache.memory.removeAll()
        #expect(try await cache.value(forKey: "a") { _ in throw NotToBeLoaded() } == 1)
        #expect(await cache.value(forKey: "a") == 1)
        #expect(upper.callCount(.record) == 1)
        #expect(lower.callCount(.record) == 0)
        #expect(cache.statistics.storeHits == 1)
        #expect(cache.statistics.memoryHits == 1)
        #expect(cache.statistics.misses == 0)
    }

    @Test func readingGoesOnAtTheFirstStoreThatCannotAnswerAtOnce() async throws {
        await cache.insert(1, forKey: "a")
        cache.memory.removeAll()
        try await upper.base.removeAll()
        #expect(await cache.value(forKey: "a") == 1)
        #expect(upper.callCount(.record) == 1)
        #expect(lower.callCount(.record) == 1)
        #expect(cache.statistics.storeHits == 1)
        await cache.flush()
        #expect(try await upper.base.record(forKey: "a") != nil)
    }

    @Test func staleRecordIsReadOnceAndLoadedAnew() async throws {
        await cache.insert(1, forKey: "a")
        cache.memory.removeAll()
        try await lower.base.removeAll()
        time.advance(by: .seconds(61))
        #expect(await cache.value(forKey: "a") == nil)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        #expect(cache.statistics.loads == 1)
        #expect(cache.statistics.storeHits == 0)
    }

    @Test func missReadsEachStoreOnceAndLoads() async throws {
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        #expect(upper.callCount(.record) == 1)
        #expect(lower.callCount(.record) == 1)
        #expect(cache.statistics.misses == 1)
    }

    @Test func policyThatSkipsStoresIsKept() async {
        await cache.insert(1, forKey: "a")
        cache.memory.removeAll()
        let policy = cache.policy.with { $0.skipping = .storeReads }
        #expect(await cache.value(forKey: "a", policy: policy) == nil)
        #expect(upper.callCount(.record) == 0)
        let memoryOnly = cache.policy.with { $0.skipping = .memoryWrites }
        #expect(await cache.value(forKey: "a", policy: memoryOnly) == 1)
        #expect(cache.memoryCount == 0)
    }

    @Test func cancelledCallerGetsWhatTheStoreHas() async {
        await cache.insert(1, forKey: "a")
        cache.memory.removeAll()
        let caller = Task { [cache] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await cache.value(forKey: "a")
        }
        #expect(await caller.value == 1)
    }
}
