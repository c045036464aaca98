// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// A tiered cache over one store, with an observer, a source of randomness that a test controls, and
/// a loader that a test can make fail.
struct CachePolicyFixture {
    let time = ManualTicker()
    let base: MemoryStore
    let store: FaultyStore
    let observer = RequestObserver()
    let origin = Origin()
    /// The next number from 0 to 1.
    let random = Shared(0.5)
    let cache: TieredCache<String, Int>

    init(policy: CachePolicy, maximumCount: Int = 1_000, hasStore: Bool = true, maximumStoreBytes: Int? = nil) {
        base = MemoryStore(name: "store", maximumBytes: maximumStoreBytes, clock: time)
        store = FaultyStore(base)
        cache = TieredCache(
            name: nil,
            configuration: .init(maximumCount: maximumCount, policy: policy),
            // The deadline of a store is not the subject.
            stack: StoreStack(hasStore ? [store] : [], configuration: .init(deadline: nil), ticker: time, observer: observer),
            ownsStack: true,
            codec: .json,
            recordKey: { RecordKey($0) },
            keyOfRecord: { $0.description },
            clock: time,
            ticker: time,
            observer: observer,
            random: { [random] in random.value },
            onEvent: { _ in }
        )
    }

    /// A loader that asks the origin.
    var load: @Sendable (String) async throws -> Int { { [origin] key in try await origin.value(forKey: key) } }

    /// Asks for a value with the origin as loader.
    func lookup(_ key: String = "a", policy: CachePolicy? = nil) async throws -> Lookup<Int> {
        try await cache.lookup(forKey: key, policy: policy, load: load)
    }

    /// Waits until no load runs and the stores have everything.
    func settle() async throws {
        try await waitUntil { cache.loads.flightCount == 0 }
        await cache.flush()
    }

    /// The store's record of a key.
    func record(_ key: RecordKey = "a") async throws -> Record? {
        try await base.record(forKey: key)
    }

    /// Empties the memory tier as evictions would.
    func evict() { cache.memory.removeAll() }

    /// Checks that the cache has counted every request once and reported it to the observer
    /// once, with the same result.
    func expectRequests(_ expected: [CacheRequestResult: Int], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(observer.results == expected, sourceLocation: sourceLocation)
        let statistics = cache.statistics
        let counted = [
            statistics.memoryHits + statistics.storeHits, statistics.staleHits, statistics.negativeHits, statistics.misses,
        ]
        func told(_ results: CacheRequestResult...) -> Int { results.reduce(0) { $0 + expected[$1, default: 0] } }
        #expect(counted == [told(.hit), told(.stale), told(.negative), told(.miss, .loaded, .failed)], sourceLocation: sourceLocation)
    }
}

/// The source of values. A value is the number of the call that it answers. The test can make calls fail or wait.
final class Origin: Sendable {
    private struct State {
        var error: (any Error)?
        var gate: Gate?
        var callCounts: [String: Int] = [:]
    }
    private let state = Shared(State())

    func value(forKey key: String) async throws -> Int {
        let (number, error, gate) = state.update { state in
            state.callCounts[key, default: 0] += 1
            return (state.callCounts[key, default: 0], state.error, state.gate)
        }
        await gate?.pass()
        if let error { throw error }
        return number
    }

    /// Makes calls fail from now on.
    func fail(_ error: any Error = TestError()) { state.update { $0.error = error } }

    /// Makes calls wait at a gate from now on.
    func hold() -> Gate {
        let gate = Gate()
        state.update { $0.gate = gate }
        return gate
    }

    /// Makes calls pass from now on. Does not open a gate.
    func heal() {
        state.update { state in
            state.error = nil
            state.gate = nil
        }
    }

    func callCount(_ key: String = "a") -> Int { state.value.callCounts[key, default: 0] }
}

/// An observer that counts the results of requests and the outcomes of loads.
final class RequestObserver: CacheObserver {
    private let requests = Shared<[CacheRequestResult: Int]>([:])
    private let loads = Shared<[CacheLoadOutcome: Int]>([:])

    var results: [CacheRequestResult: Int] { requests.value }
    var outcomes: [CacheLoadOutcome: Int] { loads.value }

    func requestAnswered(_ result: CacheRequestResult, tier: CacheTier?, cache: String) {
        requests.update { $0[result, default: 0] += 1 }
    }

    func loadEnded(_ outcome: CacheLoadOutcome, duration: Duration, cache: String) {
        loads.update { $0[outcome, default: 0] += 1 }
    }
}
