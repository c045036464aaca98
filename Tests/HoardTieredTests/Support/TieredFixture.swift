// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// A tiered cache over two stores that can fail, in a time that stands still.
struct TieredFixture {
    let time = ManualTicker()
    /// The nearer store, and the store that it wraps.
    let upper: FaultyStore
    let upperBase: MemoryStore
    /// The farther store, and the store that it wraps.
    let lower: FaultyStore
    let lowerBase: MemoryStore
    let events = Shared<[TieredCacheEvent]>([])
    let cache: TieredCache<String, Int>

    init(
        maximumCount: Int = 100,
        freshFor: Duration? = .seconds(60),
        staleFor: Duration = .zero,
        policy: CachePolicy? = nil,
        codec: Codec<Int> = .json
    ) {
        upperBase = MemoryStore(name: "upper", clock: time)
        lowerBase = MemoryStore(name: "lower", clock: time)
        upper = FaultyStore(upperBase)
        lower = FaultyStore(lowerBase)
        cache = TieredCache(
            configuration: .init(maximumCount: maximumCount, policy: policy ?? .lasting(freshFor, staleFor: staleFor)),
            stores: [upper, lower],
            codec: codec,
            clock: time,
            ticker: time
        ) { [events] event in events.update { $0.append(event) } }
    }

    /// Empties the memory tier as evictions would.
    func evict() {
        cache.memory.removeAll()
    }

    /// Makes both stores work again, and lets time pass until the cache has made good the removals that they missed.
    func heal() async throws {
        upper.heal()
        lower.heal()
        var waits = 0
        while !cache.storeHealth.allSatisfy(\.isSound) {
            try Task.checkCancellation()
            let now = time.nanoseconds()
            let recoveries = cache.tiers.map { $0.withState { $0.recovery } }
            let plans = recoveries.filter { $0.phase == .planned }.map(\.planTime)
            let isAtWork = cache.tiers.contains { tier in tier.changeCount > 0 || tier.withState { $0.isSweepUnderWay } }
            if isAtWork || recoveries.contains(where: { $0.phase == .underWay }) || plans.contains(where: { $0 <= now }) {
                // Time stands still meanwhile: records must not expire, and calls not be given up, because a task gets no processor.
                waits += 1
                // A call that began before may have to be given up first.
                if waits.isMultiple(of: 10_000) { time.advance(by: .seconds(1)) }
                await Task.yield()
            } else {
                time.advance(by: plans.min().map { .nanoseconds($0 - now) } ?? .seconds(1))
            }
            // The next call closes a circuit that has nothing to make good.
            _ = await cache.explain("no such key")
        }
    }

    /// A store's record of a key. Fails the test if the record does not decode.
    func stored(_ key: RecordKey, in store: MemoryStore) async throws -> Int? {
        try await store.record(forKey: key).map { try JSONDecoder().decode(Int.self, from: $0.payload) }
    }

    /// Puts a record of this value into a store.
    func put(
        _ value: Int,
        forKey key: RecordKey,
        in store: MemoryStore,
        age: Duration = .zero,
        freshFor: Duration? = nil,
        keptFor: Duration? = nil
    ) async throws {
        let now = time.now()
        try await store.insert(
            Record(
                payload: JSONEncoder().encode(value),
                created: now.addingTimeInterval(-age.inSeconds),
                freshUntil: freshFor.map { now.addingTimeInterval($0.inSeconds) },
                staleUntil: keptFor.map { .date(now.addingTimeInterval($0.inSeconds)) } ?? .forever,
                schemaFingerprint: Codec<Int>.json.schemaFingerprint
            ),
            forKey: key
        )
    }
}

extension Duration {
    fileprivate var inSeconds: TimeInterval { TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18 }
}

extension CachePolicy {
    /// A policy that keeps values fresh for one time and keeps them stale for another.
    static func lasting(_ freshFor: Duration?, staleFor: Duration = .zero) -> CachePolicy {
        CachePolicy(freshFor: freshFor).with { $0.staleFor = staleFor }
    }
}
