// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Hoard
@testable import HoardTesting

/// How long a change by another takes to leave memory, once the store hears of it, in a process that has too much to do.
///
/// `HOARD_MEASURE=1` prints what was measured.
@Suite(.timeLimit(.minutes(5)), .serialized) struct InvalidationDelayTests {
    private static let count = 200

    /// Keeps all threads busy until it is released.
    private final class Load: Sendable {
        private let tasks: [Task<Void, Never>]

        init(_ count: Int) {
            tasks = (0..<count).map { _ in
                Task {
                    var generator = SeededGenerator(seed: 1)
                    var sum: UInt64 = 0
                    while !Task.isCancelled {
                        for _ in 0..<20_000 { sum &+= generator.next() }
                        await Task.yield()
                    }
                    withExtendedLifetime(sum) {}
                }
            }
        }

        deinit { for task in tasks { task.cancel() } }
    }

    private func report(_ name: String, _ delays: [Duration]) {
        guard ProcessInfo.processInfo.environment["HOARD_MEASURE"] == "1" else { return }
        let sorted = delays.sorted()
        print("\(name): median \(sorted[sorted.count / 2]), 99th \(sorted[sorted.count * 99 / 100]), greatest \(sorted[sorted.count - 1])")
    }

    @Test(arguments: [0, 16])
    func changeThatAWatchTellsOfHasLeftMemoryWhenItWasTold(load: Int) async throws {
        let busy = Load(load)
        let server = SharedMemoryStore()
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [server.connect(delivery: .onRequest)], codec: .json)
        let (here, other) = (try #require(cache.tiers[0].store as? SharedMemoryStore.Connection), server.connect())
        var delays: [Duration] = []
        for _ in 0..<Self.count {
            await cache.insert(1, forKey: "a")
            try await other.removeRecord(forKey: "a")
            let start = ContinuousClock.now
            here.deliverAll()
            #expect(cache.memoryLookup(forKey: "a") == nil)
            delays.append(ContinuousClock.now - start)
        }
        report("watch, \(load) busy tasks", delays)
        withExtendedLifetime(busy) {}
    }

    @Test(arguments: [0, 16])
    func changeThatAStreamTellsOfLeavesMemorySoon(load: Int) async throws {
        let busy = Load(load)
        let store = StreamingStore()
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json)
        var delays: [Duration] = []
        for _ in 0..<Self.count {
            await cache.insert(1, forKey: "a")
            let start = ContinuousClock.now
            store.watchers.tell(.init(key: "a"))
            try await waitUntil { cache.memoryLookup(forKey: "a") == nil }
            delays.append(ContinuousClock.now - start)
        }
        report("stream, \(load) busy tasks", delays)
        withExtendedLifetime(busy) {}
    }
}

/// A store that tells of changes by a stream alone.
private final class StreamingStore: RecordStore {
    let name = "streaming"
    let watchers = StoreWatchers()
    private let base = MemoryStore()

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func invalidations() -> AsyncStream<StoreInvalidation>? { watchers.makeStream() }
    func close() async { await base.close() }
}
