// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Bringing many keys into the cache, some at a time.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheWarmUpTests {
    private let fixture = TieredFixture(maximumCount: 1_000)
    private var cache: TieredCache<String, Int> { fixture.cache }
    private let keys = (0..<20).map(String.init)

    /// A counter of the loads that are at work at the same time.
    private final class Crowd: Sendable {
        private let counts = Shared((now: 0, most: 0))
        var most: Int { counts.value.most }

        func enter() { counts.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { counts.update { $0.now -= 1 } }
    }

    @Test(arguments: [(3, 3), (20, 20), (100, 20), (.max, 20), (1, 1), (0, 1), (-5, 1)])
    func soManyLoadsRunAtATimeAndNoMore(_ maximum: Int, _ expected: Int) async throws {
        let crowd = Crowd()
        let gate = Gate()
        async let done = cache.warmUp(keys, maximumConcurrency: maximum) { key in
            crowd.enter()
            defer { crowd.leave() }
            await gate.pass()
            await Task.yield()
            return Int(key) ?? -1
        }
        await gate.arrivals(expected)
        for _ in 0..<100 { await Task.yield() }
        #expect(gate.arrivalCount == expected)
        gate.open()
        #expect(try await done.loaded == 20)
        #expect(crowd.most == expected)
        for key in keys { #expect(cache.memoryValue(forKey: key) == Int(key)) }
    }

    @Test func progressIsToldAfterEachKeyAndIsCompleteInTheEnd() async throws {
        await cache.insert(0, forKey: "0")
        var told: [WarmUpProgress] = []
        let result = try await cache.warmUp(keys + keys, maximumConcurrency: 4) { progress in
            told.append(progress)
        } load: { key in
            if key == "7" || key == "9" { throw TestError(number: 7) }
            return 1
        }
        #expect(told.map(\.completed) == Array(1...20))
        #expect(told.allSatisfy { $0.total == 20 })
        for (earlier, later) in zip(told, told.dropFirst()) {
            #expect(earlier.found <= later.found && earlier.loaded <= later.loaded && earlier.failed <= later.failed)
        }
        #expect((result.found, result.loaded, result.failed, result.absent) == (1, 17, 2, 0))
        #expect(result.lastError as? TestError == TestError(number: 7))
        #expect(result.completed == result.total)
        #expect(cache.memoryValue(forKey: "7") == nil)
    }

    @Test func nothingToDoIsDoneAtOnce() async throws {
        let result = try await cache.warmUp([], onProgress: { _ in Issue.record("There is no key.") }) { _ in 1 }
        #expect(result.total == 0 && result.completed == 0)
        #expect(try await cache.warmUp([], batchCount: 10) { _ in [:] }.total == 0)
    }

    @Test func freshKeysAreNotLoaded() async throws {
        await cache.insert(1, forKey: "memory")
        try await fixture.put(2, forKey: "lower", in: fixture.lowerBase)
        let loaded = Shared<[String]>([])
        let result = try await cache.warmUp(["memory", "lower", "nowhere"]) { key in
            loaded.update { $0.append(key) }
            return 3
        }
        #expect(loaded.value == ["nowhere"])
        #expect((result.found, result.loaded) == (2, 1))
        #expect(cache.memoryValue(forKey: "lower") == 2)
    }

    @Test(arguments: [nil, 1, 5])
    func staleKeysAreLoadedWithinTheLimitAndNotInTheBackground(_ batchCount: Int?) async throws {
        let policy = CachePolicy(freshFor: .seconds(10)).with {
            $0.staleWhileRevalidate = .seconds(100)
            $0.staleIfError = .seconds(200)
            $0.softTimeout = .seconds(1)
            $0.earlyRefresh = .atFraction(0.5)
        }
        let fixture = TieredFixture(policy: policy)
        let keys = (0..<10).map(String.init)
        await fixture.cache.insert(contentsOf: Dictionary(uniqueKeysWithValues: keys.map { ($0, 0) }))
        fixture.time.advance(by: .seconds(11))
        await fixture.cache.insert(0, forKey: "early")
        fixture.time.advance(by: .seconds(6))
        let crowd = Crowd()
        @Sendable func load(_ key: String) async throws -> Int {
            crowd.enter()
            defer { crowd.leave() }
            await Task.yield()
            if key == "3" { throw TestError() }
            return 1
        }
        let all = keys + ["early"]
        let result =
            if let batchCount {
                try await fixture.cache.warmUp(all, batchCount: batchCount, maximumConcurrency: 1) { missing in
                    var values: [String: Int] = [:]
                    for key in missing { values[key] = try await load(key) }
                    return values
                }
            } else {
                try await fixture.cache.warmUp(all, maximumConcurrency: 1, load: load)
            }
        #expect(result.found == 1, "the one that is still fresh")
        #expect(result.loaded == 11 - 1 - (batchCount ?? 1))
        #expect(result.failed == (batchCount ?? 1), "a stale value is none")
        #expect(crowd.most == 1)
        #expect(fixture.cache.statistics.backgroundLoads == 0)
        // The cache's policy decides how long a loaded value is kept, not the policy of the warm-up.
        let record = try #require(try await fixture.lowerBase.record(forKey: "9"))
        #expect(record.staleWhileRevalidate == .seconds(100) && record.staleIfError == .seconds(200))
        fixture.time.advance(by: .seconds(20))
        #expect(try await fixture.cache.lookup(forKey: "9") { _ in 2 }.staleReason?.kind == .revalidating)
    }

    @Test func loadsAreSharedWithOtherCallers() async throws {
        let gate = Gate()
        async let other = cache.value(forKey: "0") { _ in
            await gate.pass()
            return 100
        }
        await gate.arrivals(1)
        async let done = cache.warmUp(["0"]) { _ in 1 }
        try await waitUntil { cache.waiterCount(for: "0") == 2 }
        gate.open()
        #expect(try await other == 100)
        #expect(try await done.loaded == 1)
        #expect(cache.memoryValue(forKey: "0") == 100)
        #expect(cache.statistics.loads == 1)
    }

    @Test func cancellationEndsItAndNothingMoreIsLoaded() async throws {
        let gate = Gate()
        let loads = Counter()
        let task = Task {
            try await cache.warmUp(keys, maximumConcurrency: 2) { _ in
                loads.increment()
                await gate.pass()
                return 1
            }
        }
        await gate.arrivals(2)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        #expect(loads.value == 2)
        try await waitUntil { cache.loads.flightCount == 0 }
    }

    @Test func keysAreLoadedInBatchesInTheirOrder() async throws {
        await cache.insert(1, forKey: "4")
        let batches = Shared<[[String]]>([])
        let progress = Shared<[Int]>([])
        let result = try await cache.warmUp(keys, batchCount: 8, maximumConcurrency: 1) { now in
            progress.update { $0.append(now.completed) }
        } load: { missing in
            batches.update { $0.append(missing) }
            if missing.contains("8") { throw TestError() }
            return Dictionary(uniqueKeysWithValues: missing.filter { $0 != "19" }.map { ($0, 1) })
        }
        #expect(batches.value == [Array(keys[..<8].filter { $0 != "4" }), Array(keys[8..<16]), Array(keys[16...])])
        #expect(progress.value == [8, 16, 20])
        #expect((result.found, result.loaded, result.failed, result.absent) == (1, 10, 8, 1))
        for store in [fixture.upper, fixture.lower] {
            #expect(store.callCount(.records) == 3 && store.callCount(.record) == 0)
            #expect(store.callCount(.insertMany) == 2)
        }
    }

    @Test(arguments: [1, 3, 20]) func everyKeyOfABatchThatFailsCounts(_ maximumConcurrency: Int) async throws {
        let result = try await cache.warmUp(keys, batchCount: 3, maximumConcurrency: maximumConcurrency) { missing in
            // These are two of the seven batches: one of three keys and one of two.
            if missing.contains("4") || missing.contains("19") { throw TestError() }
            return Dictionary(uniqueKeysWithValues: missing.map { ($0, 1) })
        }
        #expect((result.found, result.loaded, result.failed, result.absent) == (0, 15, 5, 0))
    }

    @Test(arguments: [(0, 20), (-1, 20), (1, 20), (20, 1), (.max, 1)])
    func anyBatchCountWorks(_ batchCount: Int, _ calls: Int) async throws {
        let loads = Counter()
        let result = try await cache.warmUp(keys, batchCount: batchCount) { missing in
            loads.increment()
            return Dictionary(uniqueKeysWithValues: missing.map { ($0, 1) })
        }
        #expect(loads.value == calls)
        #expect(result.loaded == 20)
    }
}
