// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct TieredCacheLoadingTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    @Test func missEverywhereIsLoadedAndWrittenToEveryTier() async throws {
        let lookup = try await cache.lookup(forKey: "a") { _ in 1 }
        #expect(lookup.value == 1)
        #expect(lookup.tier == .loader)
        #expect(lookup.isFresh)
        #expect(lookup.created == fixture.time.now())
        #expect(lookup.freshUntil == fixture.time.now().addingTimeInterval(60))
        #expect(cache.memoryLookup(forKey: "a")?.value == 1)
        #expect(try await fixture.stored("a", in: fixture.upperBase) == 1)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 1)
        #expect(cache.statistics.loads == 1)
        #expect(cache.statistics.misses == 1)
    }

    @Test func loaderIsAskedLast() async throws {
        try await fixture.put(2, forKey: "a", in: fixture.lowerBase)
        let never: @Sendable (String) async throws -> Int = { _ in throw TestError() }
        let fromStore = try await cache.lookup(forKey: "a", load: never)
        #expect(fromStore.tier == .store("lower"))
        let fromMemory = try await cache.lookup(forKey: "a", load: never)
        #expect(fromMemory.tier == .memory)
        #expect(cache.statistics.storeHits == 1)
        #expect(cache.statistics.memoryHits == 1)
        #expect(cache.statistics.misses == 0)
    }

    @Test func staleValuesAreLoadedAnew() async throws {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(10), staleFor: .seconds(1_000)))
        fixture.time.advance(by: .seconds(10))
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 2)
        fixture.time.advance(by: .seconds(59))
        #expect(await cache.value(forKey: "a") == 2)
    }

    @Test func staleRecordInAStoreIsLoadedAnew() async throws {
        try await fixture.put(1, forKey: "a", in: fixture.lowerBase, freshFor: .zero, keptFor: .seconds(100))
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        #expect(await cache.value(forKey: "a") == 2)
    }

    @Test func staleValueSurvivesALoadThatFails() async throws {
        await cache.insert(1, forKey: "a", policy: .lasting(.seconds(10), staleFor: .seconds(1_000)))
        fixture.time.advance(by: .seconds(10))
        #expect(await error { try await cache.value(forKey: "a") { _ in throw TestError() } } is TestError)
        #expect(await cache.lookup(forKey: "a")?.value == 1)
    }

    @Test func manyCallersShareOneReadAndOneLoad() async throws {
        let gate = Gate()
        let loads = Counter()
        let lookups = try await withThrowingTaskGroup(of: Lookup<Int>.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await cache.lookup(forKey: "a") { _ in
                        await gate.pass()
                        return loads.increment()
                    }
                }
            }
            try await waitUntil { cache.waiterCount(for: "a") == 50 }
            gate.open()
            return try await group.reduce(into: [Lookup<Int>]()) { $0.append($1) }
        }
        #expect(lookups.allSatisfy { $0.value == 1 && $0.tier == .loader })
        #expect(lookups.count { $0.isCoalesced } == 49)
        #expect(loads.value == 1)
        #expect(fixture.upper.callCount(.record) == 1)
        #expect(fixture.lower.callCount(.record) == 1)
        #expect(cache.statistics.misses == 50)
        #expect(cache.statistics.loads == 1)
    }

    @Test func everyKeyIsLoadedOnceHoweverItsCallersAreInterleaved() async throws {
        let cache = TieredCache<Int, Int>(configuration: .init(maximumCount: 1_000), stores: [], codec: .json)
        let loads = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for key in 0..<500 {
                        let value = try await cache.value(forKey: key) { key in
                            loads.increment()
                            return -key
                        }
                        #expect(value == -key)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(loads.value == 500)
    }

    @Test func callerThatJoinsAReadUnderWayIsCoalescedThoughItBringsALoader() async throws {
        try await fixture.put(3, forKey: "a", in: fixture.lowerBase)
        let gate = fixture.lower.hold(.record)
        async let reader = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        async let loader = cache.lookup(forKey: "a") { _ in 0 }
        try await waitUntil { cache.storeReads.waiterCount(for: "a") == 2 }
        gate.open()
        #expect(await reader?.isCoalesced == false)
        let lookup = try await loader
        #expect(lookup.value == 3)
        #expect(lookup.isCoalesced)
    }

    @Test func loadersErrorReachesItsCallersAndNothingIsKept() async throws {
        #expect(await error { try await cache.value(forKey: "a") { _ in throw TestError(number: 4) } } as? TestError == TestError(number: 4))
        #expect(await cache.lookup(forKey: "a")?.value == nil)
        #expect(cache.statistics.loadFailures == 1)
        #expect(fixture.upper.callCount(.insert) == 0)
        #expect(cache.fences.withLock { $0.count } == 0)
    }

    @Test func callersGetTheValueWhenTheStoresHaveIt() async throws {
        let gate = fixture.lower.hold(.insert)
        let isDone = Shared(false)
        let caller = Task {
            let value = try await cache.value(forKey: "a") { _ in 1 }
            isDone.update { $0 = true }
            return value
        }
        await gate.arrivals(1)
        #expect(!isDone.value)
        gate.open()
        #expect(try await caller.value == 1)
        #expect(try await fixture.stored("a", in: fixture.lowerBase) == 1)
    }

    @Test func cancelledCallerLeavesAndTheOthersGetTheValue() async throws {
        let gate = Gate()
        let load: @Sendable (String) async throws -> Int = { _ in
            await gate.pass()
            try Task.checkCancellation()
            return 1
        }
        let first = Task { try await cache.value(forKey: "a", load: load) }
        await gate.arrivals(1)
        let second = Task { try await cache.value(forKey: "a", load: load) }
        try await waitUntil { cache.waiterCount(for: "a") == 2 }
        first.cancel()
        #expect(await error { try await first.value } is CancellationError)
        gate.open()
        #expect(try await second.value == 1)
    }

    @Test func loadIsCancelledWhenItsLastCallerHasLeft() async throws {
        let gate = Gate()
        let callers = (0..<3).map { _ in
            Task {
                try await cache.value(forKey: "a") { _ in
                    await gate.pass()
                    try Task.checkCancellation()
                    return 1
                }
            }
        }
        try await waitUntil { cache.waiterCount(for: "a") == 3 }
        await gate.arrivals(1)
        for caller in callers {
            caller.cancel()
            #expect(await error { try await caller.value } is CancellationError)
        }
        gate.open()
        try await waitUntil { cache.statistics.loadFailures == 1 }
        #expect(await cache.value(forKey: "a") == nil)
    }

    @Test func loaderIsNotStartedWhenTheLastCallerLeftDuringTheReadOfTheStores() async throws {
        let loads = Counter()
        let gate = fixture.lower.hold(.record)
        let caller = Task { try await cache.value(forKey: "a") { _ in loads.increment() } }
        await gate.arrivals(1)
        caller.cancel()
        #expect(await error { try await caller.value } is CancellationError)
        gate.open()
        try await waitUntil { cache.loads.flightCount == 0 }
        #expect(loads.value == 0)
    }

    @Test func loaderThatAsksForItsOwnKeyGetsAnError() async throws {
        let thrown = await error {
            try await cache.value(forKey: "a") { [cache] key in try await cache.value(forKey: key) { _ in 1 } }
        }
        #expect((thrown as? CacheError)?.code == .recursiveLoad)
    }

    @Test func loaderMayReadItsOwnKeyAndLoadOthers() async throws {
        let value = try await cache.value(forKey: "a") { [cache] key in
            let own = await cache.value(forKey: key) ?? 10
            return try await cache.value(forKey: "b") { _ in 5 } + own
        }
        #expect(value == 15)
        #expect(await cache.value(forKey: "b") == 5)
    }

    @Test func loadsThatWouldWaitForEachOtherGetAnError() async {
        let gate = Gate()
        @Sendable func load(_ key: String, thenAskFor otherKey: String) async -> (any Error)? {
            await error {
                try await cache.value(forKey: key) { [cache] _ in
                    await gate.pass()
                    return try await cache.value(forKey: otherKey) { _ in 1 }
                }
            }
        }
        async let first = load("a", thenAskFor: "b")
        async let second = load("b", thenAskFor: "a")
        await gate.arrivals(2)
        gate.open()
        let errors = await [first, second]
        #expect(errors.allSatisfy { ($0 as? CacheError)?.code == .recursiveLoad })
    }

    @Test func valueTooHeavyForMemoryIsStillServedByTheStores() async throws {
        let fixture = TieredFixture(maximumCount: 0)
        let loads = Counter()
        for _ in 0..<3 { #expect(try await fixture.cache.value(forKey: "a") { _ in loads.increment() } == 1) }
        #expect(loads.value == 1)
        #expect(fixture.cache.statistics.storeHits == 2)
    }
}
