// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// The answers of a loader about absent values and its failures.
@Suite(.timeLimit(.minutes(5))) struct CacheNegativeEntryTests {
    private let ticker = ManualTicker()
    private let cache: Cache<String, Int>

    init() {
        cache = Cache(maximumCount: 10, ticker: ticker)
    }

    private func remember(_ key: String, for duration: Duration = .seconds(10)) async throws {
        #expect(try await cache.valueIfExists(forKey: key) { _ in .absent(expiresAfter: duration) } == nil)
    }

    @Test func absenceIsRememberedForItsTimeAndThenAskedAgain() async throws {
        let loads = Counter()
        @Sendable func load(_ request: LoadRequest<String, Int>) -> LoadResult<Int> {
            loads.increment()
            return .absent(expiresAfter: .seconds(10))
        }
        for _ in 0..<5 { #expect(try await cache.valueIfExists(forKey: "a", load: load) == nil) }
        #expect(loads.value == 1)
        ticker.advance(by: .seconds(10) - .nanoseconds(1))
        #expect(try await cache.valueIfExists(forKey: "a", load: load) == nil)
        #expect(loads.value == 1)
        ticker.advance(by: .nanoseconds(1))
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .value(7) } == 7)
        #expect(cache.peek("a") == 7)
        cache.checkInvariants()
    }

    @Test func readsDoNotPutOffTheEndOfAnAbsence() async throws {
        let cache = Cache<String, Int>(configuration: .init(maximumCount: 10, expiration: .afterAccess(.seconds(60))), ticker: ticker)
        let loads = Counter()
        @Sendable func load(_ request: LoadRequest<String, Int>) -> LoadResult<Int> {
            loads.increment()
            return .absent(expiresAfter: .seconds(10))
        }
        for _ in 0..<10 {
            #expect(try await cache.valueIfExists(forKey: "a", load: load) == nil)
            #expect(cache.value(forKey: "a") == nil)
            ticker.advance(by: .seconds(5))
        }
        #expect(loads.value == 5)
        // The time of a value is put off as before.
        cache.insert(1, forKey: "b", expiresAfter: .seconds(10))
        for _ in 0..<10 {
            #expect(cache.value(forKey: "b") == 1)
            ticker.advance(by: .seconds(50))
        }
        cache.checkInvariants()
    }

    @Test func negativeEntryIsNoValue() async throws {
        try await remember("a")
        #expect(cache.count == 1)
        #expect(cache.totalWeight == 1)
        #expect(cache.value(forKey: "a") == nil)
        #expect(cache["a"] == nil)
        #expect(cache.peek("a") == nil)
        #expect(!cache.contains("a"))
        #expect(cache.removeValue(forKey: "a") == nil)
        #expect(cache.count == 0)
        cache.checkInvariants()
    }

    @Test func readsOfNegativeEntriesAreNeitherHitsNorMisses() async throws {
        try await remember("a")
        var expected = CacheStatistics()
        expected.misses = 1
        expected.loads = 1
        expected.insertions = 1
        #expect(cache.statistics == expected)
        #expect(cache.value(forKey: "a") == nil)
        try await remember("a")
        expected.negativeHits = 2
        #expect(cache.statistics == expected)
        #expect(cache.statistics.hitRatio == 2.0 / 3)
        ticker.advance(by: .seconds(10))
        #expect(cache.value(forKey: "a") == nil)
        expected.misses = 2
        expected.expirations = 1
        #expect(cache.statistics == expected)
    }

    @Test func plainLoadGoesPastAnAbsence() async throws {
        try await remember("a")
        #expect(try await cache.value(forKey: "a") { _ in 5 } == 5)
        #expect(cache.peek("a") == 5)
        #expect(cache.statistics.negativeHits == 1)
        ticker.advance(by: .seconds(100))
        #expect(cache.peek("a") == 5, "the value does not inherit the absence's time")
        cache.checkInvariants()
    }

    @Test func keptFailureIsThrownForItsTimeAndThenAskedAgain() async throws {
        let loads = Counter()
        @Sendable func load(_ request: LoadRequest<String, Int>) -> LoadResult<Int> {
            .failure(TestError(number: loads.increment()), expiresAfter: .seconds(5))
        }
        for _ in 0..<3 {
            #expect(await error { try await cache.valueIfExists(forKey: "a", load: load) } as? TestError == TestError(number: 1))
        }
        #expect(await error { try await cache.value(forKey: "a") { _ in 1 } } as? TestError == TestError(number: 1))
        #expect(await error { try await cache.values(forKeys: ["a"]) { _ in ["a": 1] } } as? TestError == TestError(number: 1))
        #expect(loads.value == 1)
        #expect(cache.statistics.loadFailures == 1)
        #expect(cache.statistics.loads == 0)
        #expect(cache.statistics.negativeHits == 4)
        ticker.advance(by: .seconds(5))
        #expect(await error { try await cache.valueIfExists(forKey: "a", load: load) } as? TestError == TestError(number: 2))
        ticker.advance(by: .seconds(5))
        #expect(try await cache.value(forKey: "a") { _ in 1 } == 1)
        cache.checkInvariants()
    }

    /// Before each look at the cache that comes before a load.
    @Test(arguments: 0..<6, [true, false]) func entryThatAppearsJustBeforeALoadMakesItNeedless(_ looks: Int, _ isFailure: Bool) async throws {
        let ticker = InterruptingTicker()
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        let result: LoadResult<Int> = isFailure ? .failure(TestError(), expiresAfter: .seconds(5)) : .absent(expiresAfter: .seconds(5))
        func prepare() {
            cache.removeAll()
            let hash = cache.hasher("a")
            let fence = cache.cells.withShard(for: hash) { $0.openFence(forKey: "a") }
            ticker.interrupt(after: looks) { [weak cache] in cache?.publish(result, forKey: "a", hash: hash, fence: fence) }
        }
        let loads = Counter()
        prepare()
        let single = await error {
            let value = try await cache.valueIfExists(forKey: "a") { _ in .value(loads.increment()) }
            #expect(value == nil)
        }
        prepare()
        let several = await error {
            let values = try await cache.values(forKeys: ["a"]) { _ in ["a": loads.increment()] }
            #expect(values.isEmpty)
        }
        #expect(single is TestError == isFailure && several is TestError == isFailure)
        #expect(loads.value == 0)
    }

    @Test func thrownErrorIsNotKept() async throws {
        _ = await error { try await cache.valueIfExists(forKey: "a") { _ in throw TestError() } }
        #expect(cache.count == 0)
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .value(1) } == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func absenceWithoutTimeIsNotKept(_ duration: Duration) async throws {
        try await remember("a", for: duration)
        #expect(cache.count == 0)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func writingReplacesANegativeEntryAndTheOtherWayRound() async throws {
        let removals = Shared<[String]>([])
        let cache = Cache<String, Int>(
            configuration: .init(
                maximumCount: 10,
                removalListener: { key, value, cause in removals.update { $0.append("\(key) \(value) \(cause)") } }
            ),
            ticker: ticker
        )
        _ = try await cache.valueIfExists(forKey: "a") { _ in .absent(expiresAfter: .seconds(1)) }
        cache.insert(1, forKey: "a")
        #expect(cache.peek("a") == 1)
        #expect(cache.count == 1)
        cache.removeValue(forKey: "a")
        _ = try await cache.valueIfExists(forKey: "a") { _ in .absent(expiresAfter: .seconds(1)) }
        cache.removeAll()
        #expect(removals.value == ["a 1 explicit"], "nobody is told of negative entries")
        cache.checkInvariants()
    }

    @Test func negativeEntriesCountAgainstTheLimitsAndAreEvicted() async throws {
        for number in 0..<30 { try await remember("\(number)", for: .seconds(1_000)) }
        #expect(cache.count == 10)
        #expect(cache.statistics.evictions == 20)
        cache.checkInvariants()
    }

    @Test func negativeEntriesCanBeRemovedByTag() async throws {
        _ = try await cache.valueIfExists(forKey: "a") { _ in .absent(expiresAfter: .seconds(10), tags: ["t"]) }
        #expect(cache.removeValues(taggedWith: "t") == 1)
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .value(1) } == 1)
    }

    @Test func callersOfOneLoadAllLearnOfTheAbsence() async throws {
        let gate = Gate()
        let loads = Counter()
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<5 {
                group.addTask { [cache] in
                    try await cache.valueIfExists(forKey: "a") { _ in
                        loads.increment()
                        await gate.pass()
                        return .absent(expiresAfter: .seconds(1))
                    }
                }
            }
            try await waitUntil { cache.flights.waiterCount(for: "a") == 5 }
            gate.open()
            for try await value in group { #expect(value == nil) }
        }
        #expect(loads.value == 1)
    }

    @Test func plainCallerThatWaitsForALoadWhichFindsNothingLoadsItself() async throws {
        let gate = Gate()
        async let absent = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .absent(expiresAfter: .seconds(1))
        }
        await gate.arrivals(1)
        async let value = cache.value(forKey: "a") { _ in 8 }
        try await waitUntil { cache.flights.waiterCount(for: "a") == 2 }
        gate.open()
        #expect(try await absent == nil)
        #expect(try await value == 8)
        #expect(cache.peek("a") == 8)
    }

    @Test func loadThatFindsNothingIsFencedLikeAnyOther() async throws {
        let gate = Gate()
        async let absent = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .absent(expiresAfter: .seconds(100))
        }
        await gate.arrivals(1)
        cache.insert(1, forKey: "a")
        gate.open()
        #expect(try await absent == nil)
        #expect(cache.peek("a") == 1)
        #expect(cache.statistics.fencedLoads == 1)
    }
}
