// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Bulk calls with a loader: one load for all missing keys that no other caller is loading.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheBulkLoadingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    /// A fixture with stale values of "a" and "b", which may stand in for a load for 60 seconds, and of
    /// "old", which may not stand in any more.
    private func staleFixture(_ change: (inout CachePolicy) -> Void = { _ in }) async -> TieredFixture {
        var policy = CachePolicy(freshFor: .seconds(10))
        policy.staleIfError = .seconds(60)
        policy.staleFor = .seconds(1_000)
        change(&policy)
        let fixture = TieredFixture(policy: policy)
        await fixture.cache.insert(1, forKey: "old")
        fixture.time.advance(by: .seconds(70))
        await fixture.cache.insert(contentsOf: ["a": 1, "b": 1])
        fixture.time.advance(by: .seconds(10))
        return fixture
    }

    @Test func missingKeysAreLoadedOnceInTheirOrderAndWrittenOnce() async throws {
        await cache.insert(1, forKey: "memory")
        try await fixture.put(2, forKey: "lower", in: fixture.lowerBase)
        let asked = Shared<[[String]]>([])
        let found = try await cache.values(forKeys: ["z", "memory", "a", "lower", "z", "b"], tags: ["t"]) { missing in
            asked.update { $0.append(missing) }
            return ["z": 3, "a": 4, "b": 5, "not asked for": 6]
        }
        #expect(asked.value == [["z", "a", "b"]])
        #expect(found == ["memory": 1, "lower": 2, "z": 3, "a": 4, "b": 5])
        await cache.flush()
        #expect(fixture.lower.callCount(.insertMany) == 1 && fixture.lower.callCount(.insert) == 1)
        #expect(await cache.lookup(forKey: "z")?.tags == ["t"])
        #expect(await cache.lookup(forKey: "not asked for") == nil)
        let statistics = cache.statistics
        #expect((statistics.loads, statistics.storeHits) == (3, 1))
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    @Test(arguments: [true, false])
    func keysThatAreNotMentionedHaveNoValue(_ isRemembered: Bool) async throws {
        let fixture = TieredFixture(
            policy: CachePolicy(freshFor: .seconds(10)).with {
                $0.negativeFor = isRemembered ? .seconds(5) : .zero
                $0.staleFor = .seconds(100)
            }
        )
        let loads = Counter()
        @Sendable func load(_ missing: [String]) -> [String: Int] {
            loads.increment()
            return [:]
        }
        await fixture.cache.insert(1, forKey: "a")
        fixture.time.advance(by: .seconds(10))
        #expect(try await fixture.cache.values(forKeys: ["a", "b"], load: load).isEmpty)
        #expect(await fixture.cache.lookup(forKey: "a") == nil, "what there was is gone")
        #expect(try await fixture.cache.values(forKeys: ["a", "b"], load: load).isEmpty)
        #expect(loads.value == (isRemembered ? 1 : 2))
        fixture.time.advance(by: .seconds(5))
        #expect(try await fixture.cache.values(forKeys: ["a"], load: load).isEmpty)
        #expect(loads.value == (isRemembered ? 2 : 3))
        if !isRemembered { #expect(try await fixture.lowerBase.statistics().count == 0) }
    }

    @Test func loaderDecidesForEachKey() async throws {
        let fixture = await staleFixture()
        let found = try await fixture.cache.lookups(forKeys: ["a", "b", "new", "none"]) { requests in
            #expect(requests.map(\.key) == ["a", "b", "new", "none"])
            #expect(requests.map(\.staleValue?.value) == [1, 1, nil, nil])
            #expect(requests.map(\.reason) == [.stale, .stale, .missing, .missing])
            return [
                "a": .notModified(tags: ["t"], validator: "v"),
                "b": .value(2, policy: CachePolicy(freshFor: .seconds(1))),
                "new": .value(3),
                "none": .absent(),
            ]
        }
        #expect(found.mapValues(\.value) == ["a": 1, "b": 2, "new": 3])
        #expect(found.values.allSatisfy { $0.isFresh && $0.tier == .loader })
        #expect(found["a"]?.validator == "v" && found["a"]?.tags == ["t"])
        fixture.time.advance(by: .seconds(1))
        #expect(await fixture.cache.values(forKeys: ["a", "b", "new"]) == ["a": 1, "new": 3])
        #expect(fixture.cache.statistics.unmodifiedLoads == 1)
    }

    // MARK: Failures

    @Test func loadThatFailsThrowsAndKeepsNothing() async throws {
        await cache.insert(1, forKey: "memory")
        let thrown = await error { try await cache.values(forKeys: ["memory", "a", "b"]) { _ in throw TestError(number: 5) } }
        #expect(thrown as? TestError == TestError(number: 5))
        #expect(await cache.values(forKeys: ["memory", "a", "b"]) == ["memory": 1])
        let statistics = cache.statistics
        #expect((statistics.memoryHits, statistics.misses, statistics.loadFailures) == (2, 4, 2))
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    private func error(of body: () async throws -> [String: Int]) async -> (any Error)? {
        do {
            _ = try await body()
            return nil
        } catch { return error }
    }

    @Test func staleValuesStandInIfEveryKeyHasOne() async throws {
        let fixture = await staleFixture()
        await fixture.cache.insert(2, forKey: "fresh")
        let found = try await fixture.cache.lookups(forKeys: ["a", "fresh", "b"]) { _ in throw TestError() }
        #expect(found.mapValues(\.value) == ["a": 1, "b": 1, "fresh": 2])
        #expect(found["a"]?.staleReason?.kind == .loadFailed && found["a"]?.staleReason?.error is TestError)
        #expect(found["fresh"]?.isFresh == true)
        let again = try await fixture.cache.lookups(forKeys: ["a", "b"]) { _ in
            Issue.record("The source is to be left alone.")
            return [:]
        }
        #expect(again.values.allSatisfy { $0.staleReason?.kind == .retryPending })
        fixture.time.advance(by: .seconds(30))
        #expect(try await fixture.cache.values(forKeys: ["a", "b"]) { _ in ["a": 3, "b": 4] } == ["a": 3, "b": 4])
    }

    @Test(arguments: ["none", "old"])
    func oneKeyWithoutAStandInMakesTheCallFail(_ other: String) async throws {
        let fixture = await staleFixture()
        await #expect(throws: TestError.self) { try await fixture.cache.values(forKeys: ["a", other]) { _ in throw TestError() } }
        #expect(await fixture.cache.lookup(forKey: "a")?.value == 1, "what is stale is kept")
        let found = try await fixture.cache.lookups(forKeys: ["a", other]) { requests in [other: .value(9)] }
        #expect(found.mapValues(\.value) == ["a": 1, other: 9], "a waits for its next try, the other does not")
    }

    @Test func softTimeoutThatOutlastsTheStaleValuesIsNoTimeout() async throws {
        // The stale values may stand in for 60 s more, which is less than the soft timeout.
        let fixture = await staleFixture { $0.softTimeout = .seconds(61) }
        let gate = Gate()
        async let found = fixture.cache.values(forKeys: ["a", "b"]) { keys in
            await gate.pass()
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, 7) })
        }
        await gate.arrivals(1)
        fixture.time.advance(by: .seconds(62))
        gate.open()
        #expect(try await found == ["a": 7, "b": 7])
        #expect(fixture.cache.statistics.loadTimeouts == 0)
    }

    @Test(arguments: [true, false])
    func loadThatTakesTooLongGoesOn(_ hasFallback: Bool) async throws {
        let fixture = await staleFixture {
            $0.hardTimeout = .seconds(5)
            $0.softTimeout = .seconds(1)
        }
        let cache = fixture.cache
        let keys = hasFallback ? ["a", "b"] : ["a", "none"]
        let gate = Gate()
        async let found = cache.lookups(forKeys: keys) { requests in
            await gate.pass()
            return Dictionary(uniqueKeysWithValues: requests.map { ($0.key, .value(7)) })
        }
        await gate.arrivals(1)
        await fixture.time.sleepers(1)
        fixture.time.advance(by: .seconds(1))
        if hasFallback {
            let found = try await found
            #expect(found.mapValues(\.value) == ["a": 1, "b": 1])
            #expect(found["a"]?.staleReason?.kind == .loadTimedOut)
        } else {
            fixture.time.advance(by: .seconds(4))
            do {
                _ = try await found
                Issue.record("It has not timed out.")
            } catch let error as CacheError { #expect(error.code == .timedOut) }
        }
        #expect(cache.statistics.loadTimeouts == 2)
        gate.open()
        try await waitUntil { cache.loads.flightCount == 0 }
        #expect(await cache.values(forKeys: keys) == Dictionary(uniqueKeysWithValues: keys.map { ($0, 7) }))
    }

    @Test func cancelledCallerLeavesAndItsLoadIsCancelled() async throws {
        let gate = Gate()
        let wasCancelled = Shared<Bool?>(nil)
        let task = Task {
            try await cache.values(forKeys: ["a", "b"]) { _ in
                await gate.pass()
                wasCancelled.update { $0 = Task.isCancelled }
                return ["a": 1, "b": 2]
            }
        }
        await gate.arrivals(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        try await waitUntil { cache.loads.flightCount == 0 }
        #expect(wasCancelled.value == true)
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    @Test func loadGoesOnWhileSomebodyWaitsForOneOfItsKeys() async throws {
        let gate = Gate()
        let task = Task {
            try await cache.values(forKeys: ["a", "b"]) { _ in
                await gate.pass()
                return ["a": 1, "b": Task.isCancelled ? -1 : 2]
            }
        }
        await gate.arrivals(1)
        async let other = cache.value(forKey: "b") { _ in 3 }
        try await waitUntil { cache.waiterCount(for: "b") == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.open()
        #expect(try await other == 2)
        #expect(cache.memoryLookup(forKey: "b")?.value == 2)
    }

    // MARK: Coalescing

    @Test func whatSomebodyElseIsLoadingIsNotLoadedAgain() async throws {
        let (first, second) = (Gate(), Gate())
        async let single = cache.value(forKey: "a") { _ in
            await first.pass()
            return 1
        }
        await first.arrivals(1)
        async let bulk = cache.lookups(forKeys: ["a", "b", "c"]) { requests in
            #expect(requests.map(\.key) == ["b", "c"])
            await second.pass()
            return ["b": .value(2), "c": .value(3)]
        }
        await second.arrivals(1)
        async let other = cache.lookups(forKeys: ["c", "d"]) { requests in
            #expect(requests.map(\.key) == ["d"])
            return ["d": .value(4)]
        }
        try await waitUntil { cache.waiterCount(for: "c") == 2 }
        second.open()
        #expect(try await other.mapValues(\.value) == ["c": 3, "d": 4])
        first.open()
        let found = try await bulk
        #expect(found.mapValues(\.value) == ["a": 1, "b": 2, "c": 3])
        #expect(found.mapValues(\.isCoalesced) == ["a": true, "b": false, "c": false])
        #expect(try await single == 1)
        #expect(cache.statistics.loads == 4)
    }

    @Test func failureOfALoadThatIsAwaitedFailsTheCallAndNotTheOwnLoad() async throws {
        let (first, second) = (Gate(), Gate())
        async let single = error {
            [
                "a": try await cache.value(forKey: "a") { _ in
                    await first.pass()
                    throw TestError()
                }
            ]
        }
        await first.arrivals(1)
        async let bulk = error {
            try await cache.values(forKeys: ["a", "b"]) { _ in
                await second.pass()
                return ["b": 2]
            }
        }
        await second.arrivals(1)
        async let other = cache.value(forKey: "b") { _ in 3 }
        try await waitUntil { cache.waiterCount(for: "b") == 2 }
        first.open()
        #expect(await single is TestError)
        #expect(await bulk is TestError)
        second.open()
        #expect(try await other == 2)
    }

    @Test func singleCallerOfAKeyThatABulkLoadDoesNotFindAsksItsOwnLoader() async throws {
        let gate = Gate()
        async let bulk = cache.values(forKeys: ["a", "b"]) { _ in
            await gate.pass()
            return ["a": 1]
        }
        await gate.arrivals(1)
        async let single = cache.value(forKey: "b") { _ in 5 }
        try await waitUntil { cache.waiterCount(for: "b") == 2 }
        gate.open()
        #expect(try await bulk == ["a": 1])
        #expect(try await single == 5)
    }

    @Test func loaderThatAsksForOneOfItsKeysGetsAnError() async throws {
        let found = try await cache.values(forKeys: ["a", "b"]) { [cache] _ in
            for keys in [["b"], ["c", "a"]] {
                do {
                    _ = try await cache.values(forKeys: keys) { _ in ["c": 1] }
                    Issue.record("It waits for itself.")
                } catch let error as CacheError { #expect(error.code == .recursiveLoad) }
            }
            return try await cache.values(forKeys: ["c"]) { _ in ["c": 3] }.merging(["a": 1, "b": 2]) { $1 }
        }
        #expect(found == ["a": 1, "b": 2])
        #expect(await cache.value(forKey: "c") == 3)
    }

    @Test func staleValuesAreReturnedAtOnceAndRefreshedWhileTheMissingAreLoaded() async throws {
        let fixture = await staleFixture { $0.staleWhileRevalidate = .seconds(60) }
        let cache = fixture.cache
        let asked = Shared<[[String]]>([])
        let found = try await cache.lookups(forKeys: ["a", "new"]) { requests in
            asked.update { $0.append(requests.map { "\($0.key) \($0.reason)" }) }
            return Dictionary(uniqueKeysWithValues: requests.map { ($0.key, .value(2)) })
        }
        #expect(found.mapValues(\.value) == ["a": 1, "new": 2])
        #expect(found["a"]?.staleReason?.kind == .revalidating)
        try await waitUntil { cache.memoryLookup(forKey: "a")?.value == 2 }
        #expect(Set(asked.value) == [["a stale"], ["new missing"]])
        #expect(cache.statistics.backgroundLoads == 1)
    }

    @Test func valuesThatAreUsableAreRefreshedByOneLoadAndOneReadOfEachStore() async throws {
        let fixture = await staleFixture { $0.staleWhileRevalidate = .seconds(60) }
        let cache = fixture.cache
        try await fixture.put(5, forKey: "b", in: fixture.lowerBase, freshFor: .seconds(10))
        await cache.insert(contentsOf: ["c": 1, "d": 1], policy: cache.policy.with { $0.freshFor = .zero })
        let asked = Shared<[[String]]>([])
        @Sendable func load(_ requests: [LoadRequest<String, Int>]) -> [String: LoadResult<Int>] {
            asked.update { $0.append(requests.map(\.key)) }
            return Dictionary(uniqueKeysWithValues: requests.map { ($0.key, .value(2)) })
        }
        let before = fixture.lower.callCount(.records)
        let found = try await cache.lookups(forKeys: ["d", "a", "b", "c"], load: load)
        #expect(found.values.allSatisfy { $0.value == 1 && $0.staleReason?.kind == .revalidating })
        try await waitUntil { cache.loads.flightCount == 0 && cache.memoryLookup(forKey: "d")?.value == 2 }
        #expect(asked.value == [["d", "a", "c"]], "another process has brought b")
        #expect(fixture.lower.callCount(.records) == before + 1 && fixture.lower.callCount(.record) == 0)
        #expect(await cache.values(forKeys: ["a", "b", "c", "d"]) == ["a": 2, "b": 5, "c": 2, "d": 2])
    }

    @Test func refreshThatFailsLeavesTheSourceAlone() async throws {
        let fixture = await staleFixture { $0.staleWhileRevalidate = .seconds(60) }
        let cache = fixture.cache
        let loads = Counter()
        @Sendable func load(_ missing: [String]) throws -> [String: Int] {
            loads.increment()
            throw TestError()
        }
        #expect(try await cache.values(forKeys: ["a", "b"], load: load) == ["a": 1, "b": 1])
        try await waitUntil { cache.statistics.loadFailures == 2 && cache.loads.flightCount == 0 }
        let again = try await cache.lookups(forKeys: ["a", "b"]) { requests in try load(requests.map(\.key)).mapValues { .value($0) } }
        #expect(again.values.allSatisfy { $0.staleReason?.kind == .retryPending })
        #expect(loads.value == 1)
    }

    @Test func earlyRefreshSaysSoAndKeepsTheFreshValueMeanwhile() async throws {
        let fixture = TieredFixture(policy: CachePolicy(freshFor: .seconds(10)).with { $0.earlyRefresh = .atFraction(0.5) })
        let cache = fixture.cache
        await cache.insert(contentsOf: ["a": 1, "b": 1])
        fixture.time.advance(by: .seconds(5))
        let found = try await cache.lookups(forKeys: ["a", "b"]) { requests in
            #expect(requests.map(\.reason) == [.early, .early])
            #expect(requests.map(\.staleValue?.value) == [1, 1])
            return Dictionary(uniqueKeysWithValues: requests.map { ($0.key, .value(2)) })
        }
        #expect(found.values.allSatisfy { $0.value == 1 && $0.isFresh })
        try await waitUntil { cache.loads.flightCount == 0 && cache.memoryLookup(forKey: "b")?.value == 2 }
        #expect(fixture.lower.callCount(.records) == 0, "what is fresh is not looked for")
        #expect(cache.statistics.loads == 2)
    }

    /// The refresh outlives the load that started it, and does not wait for that load.
    @Test func refreshStartedInsideALoadIsNotInsideIt() async throws {
        let fixture = await staleFixture { $0.staleWhileRevalidate = .seconds(60) }
        let cache = fixture.cache
        let found = try await cache.values(forKeys: ["new"]) { _ in
            #expect(
                try await cache.values(forKeys: ["a"]) { _ in
                    ["a": try await cache.value(forKey: "new") { _ in 4 }]
                } == ["a": 1]
            )
            try await waitUntil { cache.waiterCount(for: "new") == 2 || cache.statistics.loadFailures > 0 }
            return ["new": 3]
        }
        #expect(found == ["new": 3])
        try await waitUntil { cache.loads.flightCount == 0 }
        #expect(cache.memoryLookup(forKey: "a")?.value == 3, "it may wait for the load inside which it was started")
    }

    @Test func loadUnderWayDoesNotUndoARemovalOfOneOfItsKeys() async throws {
        let gate = Gate()
        async let found = cache.values(forKeys: ["a", "b"]) { _ in
            await gate.pass()
            return ["a": 1, "b": 2]
        }
        await gate.arrivals(1)
        await cache.removeValues(forKeys: ["a"])
        gate.open()
        #expect(try await found == ["a": 1, "b": 2])
        #expect(await cache.values(forKeys: ["a", "b"]) == ["b": 2])
        fixture.evict()
        #expect(await cache.values(forKeys: ["a", "b"]) == ["b": 2])
    }
}
