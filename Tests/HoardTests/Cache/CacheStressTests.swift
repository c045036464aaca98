// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Many tasks on one cache.
@Suite(.timeLimit(.minutes(5))) struct CacheStressTests {
    @Test func limitsHoldAndValuesBelongToTheirKeysWhileManyTasksWork() async {
        let ticker = ManualTicker()
        let cache = Cache<Int, Int>(maximumWeight: 60, maximumCount: 50, expiration: .afterWrite(.nanoseconds(500)), ticker: ticker) { _, value in
            value % 3
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(task))
                    for round in 0..<2_000 {
                        let key = Int.random(in: 0..<100, using: &generator)
                        switch Int.random(in: 0..<20, using: &generator) {
                        case 0: cache.removeValue(forKey: key)
                        case 1: ticker.advance(by: .nanoseconds(1))
                        case 2: cache.removeExpired()
                        case 3 where round % 97 == 0: cache.removeAll()
                        case 4..<12: cache.insert(key + 100 * round, forKey: key)
                        default:
                            if let value = cache.value(forKey: key) { #expect(value % 100 == key) }
                        }
                        if round % 50 == 0 {
                            cache.checkInvariants()
                            #expect(cache.count <= 50)
                            #expect(cache.totalWeight <= 60)
                        }
                    }
                }
            }
        }
        let statistics = cache.statistics
        #expect(statistics.hits > 0)
        #expect(statistics.evictions > 0)
    }

    @Test func tenThousandCallersOfOneKeyShareOneLoad() async throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        let gate = Gate()
        let loads = Counter()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10_000 {
                group.addTask {
                    try await cache.value(forKey: 1) { key in
                        await gate.pass()
                        loads.increment()
                        return key * 7
                    }
                }
            }
            try await waitUntil { cache.flights.waiterCount(for: 1) == 10_000 }
            gate.open()
            var answers = 0
            for try await value in group {
                answers += 1
                #expect(value == 7)
            }
            #expect(answers == 10_000)
        }
        #expect(loads.value == 1)
    }

    @Test func everyKeyIsLoadedOnceHoweverItsCallersAreInterleaved() async throws {
        let cache = Cache<Int, Int>(maximumCount: 1_000)
        let loads = Shared<[Int: Int]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for key in 0..<500 {
                        let value = try await cache.value(forKey: key) { key in
                            loads.update { $0[key, default: 0] += 1 }
                            return -key
                        }
                        #expect(value == -key)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(loads.value == Dictionary(uniqueKeysWithValues: (0..<500).map { ($0, 1) }))
    }

    @Test func callersThatComeAndGoAtRandomAreAllAnsweredOnce() async throws {
        let cache = Cache<Int, Int>(maximumCount: 2)
        let cancelled = Counter()
        let answered = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                let caller = Task {
                    try await cache.value(forKey: number % 7) { key in
                        for _ in 0..<(number % 5) { await Task.yield() }
                        return key
                    }
                }
                if number % 3 == 0 { group.addTask { caller.cancel() } }
                group.addTask {
                    switch await caller.result {
                    case .success(let value):
                        #expect(value == number % 7)
                        answered.increment()
                    case .failure(let error):
                        #expect(error is CancellationError)
                        cancelled.increment()
                    }
                }
            }
        }
        #expect(answered.value + cancelled.value == 1_000)
        #expect(answered.value >= 666)
        try await waitUntil { cache.openFenceCount == 0 }
    }

    /// Loads and removals of one key, at random. A read that begins after a removal has returned gets
    /// no value that was loaded before it.
    @Test(arguments: 0..<16)
    func removedValuesNeverComeBack(seed: UInt64) async throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        let source = Shared(0)
        // The last version of the source whose removal from the cache has returned.
        let oldestAllowed = Shared(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 16 &+ UInt64(task))
                    for _ in 0..<200 {
                        if Int.random(in: 0..<3, using: &generator) == 0 {
                            let version = source.update { version in
                                version += 1
                                return version
                            }
                            cache.removeValue(forKey: 1)
                            oldestAllowed.update { $0 = max($0, version) }
                        } else {
                            let oldest = oldestAllowed.value
                            let value = try await cache.value(forKey: 1) { _ in
                                let value = source.value
                                await Task.yield()
                                return value
                            }
                            #expect(value >= oldest, "seed \(seed)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(cache.statistics.hits > 0)
    }
}
