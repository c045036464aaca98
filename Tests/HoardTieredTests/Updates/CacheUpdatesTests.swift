// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite("CacheUpdates", .timeLimit(.minutes(5)))
struct CacheUpdatesTests {
    private struct Unreachable: Error {}

    /// A source with one value. The source may be away.
    private final class Source: Sendable {
        let state = Shared<(value: Int, isAway: Bool, loads: Int)>((1, false, 0))
        let gate: Gate?

        init(gate: Gate? = nil) { self.gate = gate }

        var loads: Int { state.value.loads }

        func load(_ key: String) async throws -> Int {
            state.update { $0.loads += 1 }
            await gate?.pass()
            let (value, isAway, _) = state.value
            if isAway { throw Unreachable() }
            return value
        }

        func set(_ value: Int) { state.update { $0.value = value } }
        func setAway(_ isAway: Bool) { state.update { $0.isAway = isAway } }
    }

    /// A state in words.
    private static func name(_ update: CacheUpdate<Int>?) -> String {
        guard let update else { return "ended" }
        let value = update.lookup.map { "\($0.value)\($0.isFresh ? "" : " stale")" } ?? "nothing"
        return value + (update.isLoading ? ", loading" : "") + (update.error == nil ? "" : ", failed")
    }

    private let fixture = TieredFixture(freshFor: nil)
    private var cache: TieredCache<String, Int> { fixture.cache }

    // MARK: Without a loader

    @Test func theFirstStateIsWhatMemoryHas() async throws {
        await cache.insert(1, forKey: "a")
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        let first = await updates.next()
        #expect(Self.name(first) == "1")
        #expect(first?.lookup?.tier == .memory)
        #expect(first?.isFresh == true)
    }

    @Test func theFirstStateIsWhatAStoreHas() async throws {
        await cache.insert(1, forKey: "a")
        fixture.evict()
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        let first = await updates.next()
        #expect(Self.name(first) == "1")
        #expect(first?.lookup?.tier == .store("upper"))
    }

    @Test func whatIsNotThereIsAStateToo() async throws {
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing")
        await cache.insert(1, forKey: "a")
        #expect(Self.name(await updates.next()) == "1")
        await cache.removeValue(forKey: "a")
        #expect(Self.name(await updates.next()) == "nothing")
    }

    @Test(arguments: ["key", "tag", "partition", "everything", "condition"])
    func everyKindOfRemovalIsSeen(kind: String) async throws {
        await cache.insert(1, forKey: "a", tags: ["t"], partition: "p")
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "1")
        switch kind {
        case "key": await cache.removeValue(forKey: "a")
        case "tag": await cache.removeValues(taggedWith: "t")
        case "partition": await cache.removePartition("p")
        case "everything": await cache.removeAll()
        default: await cache.removeValues { $0 == "a" }
        }
        #expect(Self.name(await updates.next()) == "nothing")
    }

    @Test(arguments: ["key", "tag", "everything"])
    func everyKindOfMarkIsSeen(kind: String) async throws {
        let fixture = TieredFixture(freshFor: .seconds(60), staleFor: .seconds(60))
        await fixture.cache.insert(1, forKey: "a", tags: ["t"])
        var updates = fixture.cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "1")
        switch kind {
        case "key": await fixture.cache.markStale(forKey: "a")
        case "tag": await fixture.cache.markStale(taggedWith: "t")
        default: await fixture.cache.markAllStale()
        }
        #expect(Self.name(await updates.next()) == "1 stale")
    }

    @Test func changesOfOtherKeysAndTagsAreNotSeen() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        let observed = Shared<[String]>([])
        let reader = Task { [cache] in
            for await update in cache.updates(forKey: "a") { observed.update { $0.append(Self.name(update)) } }
        }
        try await waitUntil { observed.value.count == 1 }
        await cache.insert(2, forKey: "b")
        await cache.removeValue(forKey: "b")
        await cache.removeValues(taggedWith: "u")
        await cache.insert(3, forKey: "a")
        try await waitUntil { observed.value.count == 2 }
        #expect(observed.value == ["1", "3"])
        reader.cancel()
        await reader.value
    }

    @Test func aSlowReaderGetsTheNewestState() async throws {
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing")
        for value in 1...100 { await cache.insert(value, forKey: "a") }
        #expect(Self.name(await updates.next()) == "100")
        await cache.insert(101, forKey: "a")
        #expect(Self.name(await updates.next()) == "101")
    }

    @Test func anEvictionIsNoChange() async throws {
        await cache.insert(1, forKey: "a")
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "1")
        fixture.evict()
        #expect(await cache.value(forKey: "a") == 1)
        await cache.insert(2, forKey: "a")
        #expect(Self.name(await updates.next()) == "2")
    }

    @Test func theEndsOfALifetimeAreSeen() async throws {
        let fixture = TieredFixture(freshFor: .seconds(60), staleFor: .seconds(30))
        await fixture.cache.insert(1, forKey: "a")
        var updates = fixture.cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "1")
        #expect(fixture.cache.deadlines.count == 1)
        fixture.time.advance(by: .seconds(61))
        #expect(Self.name(await updates.next()) == "1 stale")
        fixture.time.advance(by: .seconds(30))
        #expect(Self.name(await updates.next()) == "nothing")
        #expect(fixture.cache.deadlines.count == 0)
    }

    @Test func whatOthersChangeInASharedStoreIsSeen() async throws {
        let time = ManualTicker()
        let server = SharedMemoryStore(clock: time, ticker: time)
        let caches = (0..<2).map { _ in
            TieredCache<String, Int>(
                configuration: .init(maximumCount: 10),
                stores: [server.connect()],
                codec: .json,
                clock: time,
                ticker: time
            )
        }
        var updates = caches[0].updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing")
        await caches[1].insert(1, forKey: "a", tags: ["t"])
        #expect(Self.name(await updates.next()) == "1")
        await caches[1].insert(2, forKey: "a", tags: ["t"])
        #expect(Self.name(await updates.next()) == "2")
        await caches[1].removeValues(taggedWith: "t")
        #expect(Self.name(await updates.next()) == "nothing")
    }

    /// A loaded value is in memory, and observers look at it, before its publication has ended. An observer that looks in between after another
    /// change must look again.
    @Test func aRemovalBeforeThePublicationOfALoadHasEndedIsSeen() async throws {
        for seed in 0..<UInt64(2_000) {
            let time = ManualTicker()
            let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [], codec: .json, clock: time, ticker: time)
            let last = Shared<Int?>(nil)
            try await SeededExecutor(seed: seed, time: time).run {
                await withTaskGroup(of: Void.self) { observing in
                    observing.addTask { for await update in cache.updates(forKey: "a") { last.update { $0 = update.value } } }
                    await withTaskGroup(of: Void.self) { changing in
                        changing.addTask { _ = try? await cache.value(forKey: "a", tags: ["t"]) { _ in 1 } }
                        changing.addTask { for _ in 0..<3 { await cache.removeValues(taggedWith: "t") } }
                    }
                    try? await time.sleep(for: .seconds(1))
                    observing.cancelAll()
                }
            }
            #expect(await cache.lookup(forKey: "a")?.value == last.value, "seed \(seed)")
        }
    }

    // MARK: With a loader

    @Test func whatIsMissingIsLoaded() async throws {
        let source = Source()
        var updates = cache.updates(forKey: "a", load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        let loaded = await updates.next()
        #expect(Self.name(loaded) == "1")
        #expect(source.loads == 1)
        // The cache counts the miss when it has ended for its caller.
        try await waitUntil { cache.statistics.misses == 1 }
    }

    @Test func aHundredObserversOfAColdKeyMakeOneLoad() async throws {
        let gate = Gate()
        let source = Source(gate: gate)
        let values = Shared<[Int]>([])
        let readers = (0..<100).map { _ in
            Task { [cache] in
                for await update in cache.updates(forKey: "a", load: source.load) {
                    if let value = update.value { return values.update { $0.append(value) } }
                }
            }
        }
        try await waitUntil { cache.waiterCount(for: "a") == 100 }
        gate.open()
        for reader in readers { await reader.value }
        #expect(values.value == Array(repeating: 1, count: 100))
        #expect(source.loads == 1)
    }

    @Test func whatIsRemovedIsLoadedAgain() async throws {
        let source = Source()
        var updates = cache.updates(forKey: "a", load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "1")
        source.set(2)
        await cache.removeValue(forKey: "a")
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "2")
        #expect(source.loads == 2)
    }

    @Test func aStaleValueIsShownWhileANewOneIsLoaded() async throws {
        let fixture = TieredFixture(policy: CachePolicy(freshFor: .seconds(60)).with { $0.staleWhileRevalidate = .seconds(600) })
        let source = Source()
        var updates = fixture.cache.updates(forKey: "a", load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "1")
        source.set(2)
        await fixture.cache.markStale(forKey: "a")
        #expect(Self.name(await updates.next()) == "1 stale, loading")
        #expect(Self.name(await updates.next()) == "2")
        source.set(3)
        fixture.time.advance(by: .seconds(61))
        #expect(Self.name(await updates.next()) == "2 stale, loading")
        #expect(Self.name(await updates.next()) == "3")
        // A reader that does not observe gets a stale value at once, as the policy says.
        fixture.time.advance(by: .seconds(61))
        #expect(try await fixture.cache.lookup(forKey: "a", load: source.load).staleReason?.kind == .revalidating)
    }

    @Test func aFailureIsShownWithItsStandIn() async throws {
        let fixture = TieredFixture(policy: CachePolicy(freshFor: .seconds(60)).with { $0.staleIfError = .seconds(600) })
        let source = Source()
        var updates = fixture.cache.updates(forKey: "a", load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "1")
        source.setAway(true)
        await fixture.cache.markStale(forKey: "a")
        #expect(Self.name(await updates.next()) == "1 stale, loading")
        let failed = await updates.next()
        #expect(Self.name(failed) == "1 stale, failed")
        #expect(failed?.error is Unreachable)
        source.setAway(false)
        source.set(2)
        // Another caller asks for a new value.
        let new = fixture.cache.policy.with { $0.skipping = .reads }
        _ = try await fixture.cache.value(forKey: "a", policy: new, load: source.load)
        #expect(Self.name(await updates.next()) == "2")
    }

    @Test func aFailureWithoutAStandInIsShownOnceAndNotTriedAgain() async throws {
        let source = Source()
        source.setAway(true)
        let observed = Shared<[String]>([])
        let reader = Task { [cache] in
            for await update in cache.updates(forKey: "a", load: source.load) { observed.update { $0.append(Self.name(update)) } }
        }
        try await waitUntil { observed.value.count == 2 }
        #expect(observed.value == ["nothing, loading", "nothing, failed"])
        await cache.insert(5, forKey: "b")
        fixture.time.advance(by: .seconds(3_600))
        source.setAway(false)
        await cache.markStale(forKey: "a")
        try await waitUntil { observed.value.last == "1" }
        #expect(source.loads == 2)
        reader.cancel()
        await reader.value
    }

    @Test func aWriteDuringALoadIsShownAtOnceAndStays() async throws {
        let gate = Gate()
        let source = Source(gate: gate)
        var updates = cache.updates(forKey: "a", load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        try await waitUntil { source.loads == 1 }
        await cache.insert(7, forKey: "a")
        #expect(Self.name(await updates.next()) == "7")
        gate.open()
        await cache.insert(8, forKey: "a")
        #expect(Self.name(await updates.next()) == "8")
        #expect(source.loads == 1)
    }

    @Test func valuesThatNoTierKeepsAreLoadedOnce() async throws {
        let source = Source()
        let none = cache.policy.with { $0.skipping = [.memoryWrites, .storeWrites] }
        var updates = cache.updates(forKey: "a", policy: none, load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "1")
        await cache.insert(2, forKey: "a")
        #expect(Self.name(await updates.next()) == "2")
        #expect(source.loads == 1)
    }

    @Test func valuesThatAreStaleFromTheBeginningAreLoadedOnce() async throws {
        let source = Source()
        var updates = cache.updates(forKey: "a", policy: .lasting(.zero, staleFor: .seconds(9)), load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(await updates.next()?.value == 1)
        await cache.insert(2, forKey: "a")
        #expect(Self.name(await updates.next()) == "2")
        #expect(source.loads == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(60)])
    func anAbsentValueIsAskedForOnce(negativeFor: Duration) async throws {
        let loads = Shared(0)
        let policy = CachePolicy(freshFor: .seconds(600)).with { $0.negativeFor = negativeFor }
        var updates = cache.updatesIfExists(forKey: "a", policy: policy) { _ in
            loads.update { $0 += 1 }
            return loads.value < 3 ? .absent() : .value(1)
        }.makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "nothing")
        #expect(loads.value == 1)
        await cache.markStale(forKey: "a")
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "nothing")
        if negativeFor > .zero { fixture.time.advance(by: negativeFor) } else { await cache.removeValue(forKey: "a") }
        #expect(Self.name(await updates.next()) == "nothing, loading")
        #expect(Self.name(await updates.next()) == "1")
        #expect(loads.value == 3)
    }

    @Test func observersOfWhatNobodyKeepsDoNotCallEachOtherForth() async throws {
        let loads = Shared(0)
        let states = Shared(0)
        let readers = (0..<2).map { number in
            Task { [cache] in
                let updates = cache.updatesIfExists(forKey: "a") { _ in
                    loads.update { $0 += 1 }
                    return .absent()
                }
                for await _ in updates { states.update { $0 += 1 } }
            }
        }
        try await waitUntil { states.value >= 4 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(loads.value <= 2)
        for reader in readers { reader.cancel() }
        for reader in readers { await reader.value }
    }

    @Test func theEndOfAPartitionIsSeenAlsoWhereMemoryKeepsNothing() async throws {
        let fixture = TieredFixture(maximumCount: 0, freshFor: nil)
        await fixture.cache.insert(1, forKey: "a", tags: ["t"], partition: "p")
        var updates = fixture.cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "1")
        await fixture.cache.removePartition("p")
        #expect(Self.name(await updates.next()) == "nothing")
    }

    @Test func aStoreIsNotReadAgainAndAgainForWhatMemoryDoesNotTake() async throws {
        let fixture = TieredFixture(maximumCount: 0, freshFor: nil)
        await fixture.cache.insert(1, forKey: "a")
        let states = Shared(0)
        let reader = Task { for await _ in fixture.cache.updates(forKey: "a") { states.update { $0 += 1 } } }
        try await waitUntil { states.value == 1 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(fixture.upper.callCount(.record) <= 2)
        reader.cancel()
        await reader.value
    }

    @Test func aWriteAtTheSameInstantIsSeenAlsoWhereMemoryKeepsNothing() async throws {
        let fixture = TieredFixture(maximumCount: 0, freshFor: nil)
        await fixture.cache.insert(1, forKey: "a")
        var updates = fixture.cache.updates(forKey: "a").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "1")
        await fixture.cache.insert(2, forKey: "a")
        #expect(Self.name(await updates.next()) == "2")
    }

    @Test func whoLooksAfterTheEndOfALifetimeGetsANewValue() async throws {
        let source = Source()
        let policy = CachePolicy(freshFor: .seconds(1))
        var updates = cache.updates(forKey: "a", policy: policy, load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        try await waitUntil { cache.statistics.loads == 1 }
        fixture.time.advance(by: .seconds(5))
        source.set(2)
        while let update = await updates.next(), update.value != 2 {}
        #expect(source.loads == 2)
    }

    @Test func aRetryThatIsAskedForDuringALoadIsMade() async throws {
        let gate = Gate()
        let source = Source(gate: gate)
        source.setAway(true)
        var updates = cache.updates(forKey: "a", load: source.load).makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing, loading")
        try await waitUntil { source.loads == 1 }
        await cache.markStale(forKey: "a")
        gate.open()
        try await waitUntil { cache.statistics.loadFailures == 1 }
        source.setAway(false)
        while let update = await updates.next(), update.value != 1 { #expect(update.error == nil) }
    }

    // MARK: The end

    @Test func nothingGoesOnForAKeyThatNobodyChanges() async throws {
        await cache.insert(1, forKey: "a")
        let first = Shared(0)
        let readers = (0..<10).map { _ in
            Task { [cache] in for await _ in cache.updates(forKey: "a", load: { _ in 2 }) { first.update { $0 += 1 } } }
        }
        try await waitUntil { first.value == 10 }
        #expect(cache.deadlines.count == 0)
        #expect(!cache.deadlines.isSleeping)
        #expect(cache.statistics.loads == 0)
        #expect(cache.observers.keyCount == 1)
        for reader in readers { reader.cancel() }
        for reader in readers { await reader.value }
        #expect(cache.observers.keyCount == 0)
        #expect(!cache.observers.isInUse)
    }

    /// NaN does not equal itself.
    @Test func anObserverOfAKeyThatDoesNotEqualItselfLeavesNothingBehind() async {
        let store = MemoryStore(clock: fixture.time)
        let cache = TieredCache<Double, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json, ticker: fixture.time)
        do {
            var updates = cache.updates(forKey: .nan).makeAsyncIterator()
            #expect(await updates.next() != nil)
        }
        #expect(cache.observers.keyCount == 0)
        #expect(!cache.observers.isInUse)
    }

    @Test func aReaderWhoLeavesEndsTheLoadThatNobodyElseWaitsFor() async throws {
        let wasCancelled = Shared(false)
        let hasBegun = Shared(false)
        let reader = Task { [cache] in
            for await _ in cache.updates(
                forKey: "a",
                load: { _ in
                    hasBegun.update { $0 = true }
                    // A stream without elements ends with its task.
                    for await _ in AsyncStream(Never.self, { _ in }) {}
                    wasCancelled.update { $0 = Task.isCancelled }
                    return 1
                }
            ) {}
        }
        try await waitUntil { hasBegun.value }
        reader.cancel()
        await reader.value
        try await waitUntil { wasCancelled.value }
        #expect(cache.observers.keyCount == 0)
        #expect(cache.deadlines.count == 0)
    }

    @Test func aCancelledReaderGetsNoFurtherState() async throws {
        let reader = Task { [cache] in
            var updates = cache.updates(forKey: "a").makeAsyncIterator()
            while await updates.next() != nil {}
            return await updates.next() == nil
        }
        reader.cancel()
        #expect(await reader.value)
    }

    @Test func aClosedCacheEndsItsObservers() async throws {
        var updates = cache.updates(forKey: "a").makeAsyncIterator()
        var tagged = cache.updates(taggedWith: "t").makeAsyncIterator()
        #expect(Self.name(await updates.next()) == "nothing")
        #expect(await tagged.next() != nil)
        await cache.close()
        #expect(await updates.next() == nil)
        #expect(await tagged.next() == nil)
        var late = cache.updates(forKey: "a").makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    // MARK: Several keys

    @Test func noKeysHaveOneElementAndThenTheEnd() async {
        var updates = cache.updates(forKeys: [String]()).makeAsyncIterator()
        #expect(await updates.next()?.isEmpty == true)
        #expect(await updates.next() == nil)
    }

    @Test func severalKeysAreFollowedTogether() async throws {
        await cache.insert(1, forKey: "a")
        await cache.insert(2, forKey: "b")
        fixture.evict()
        var updates = cache.updates(forKeys: ["a", "b", "c"]).makeAsyncIterator()
        var states = await updates.next()
        #expect(states?.mapValues(Self.name) == ["a": "1", "b": "2", "c": "nothing"])
        await cache.insert(3, forKey: "c")
        states = await updates.next()
        #expect(states?.mapValues(Self.name) == ["a": "1", "b": "2", "c": "3"])
        await cache.insert(contentsOf: ["a": 4, "b": 5])
        states = await updates.next()
        #expect(states?.mapValues(Self.name) == ["a": "4", "b": "5", "c": "3"])
    }

    @Test func severalKeysOfAnObserverAreOneHitEach() async {
        await cache.insert(contentsOf: ["a": 1, "b": 2])
        var updates = cache.updates(forKeys: ["a", "b"]).makeAsyncIterator()
        #expect(await updates.next()?.mapValues(Self.name) == ["a": "1", "b": "2"])
        #expect(cache.statistics.memoryHits == 2)
    }

    @Test func severalKeysAreLoaded() async throws {
        let source = Source()
        var updates = cache.updates(forKeys: ["a", "b"], load: source.load).makeAsyncIterator()
        while let states = await updates.next(), states.values.contains(where: \.isLoading) {}
        #expect(source.loads == 2)
        #expect(await cache.values(forKeys: ["a", "b"]) == ["a": 1, "b": 1])
    }

    @Test func noKeysAreOneEmptyState() async throws {
        var updates = cache.updates(forKeys: [String]()).makeAsyncIterator()
        #expect(await updates.next()?.isEmpty == true)
    }

    // MARK: Tags

    @Test func changesOfATagNameTheirKeys() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        var updates = cache.updates(taggedWith: "t").makeAsyncIterator()
        #expect(await updates.next()?.isWhole == true)
        await cache.insert(2, forKey: "a", tags: ["t"])
        await cache.insert(3, forKey: "b", tags: ["t", "u"])
        await cache.insert(4, forKey: "c", tags: ["u"])
        #expect(await updates.next()?.keys == ["a", "b"])
        // The key loses the tag.
        await cache.insert(5, forKey: "b")
        #expect(await updates.next()?.keys == ["b"])
        await cache.removeValue(forKey: "a")
        #expect(await updates.next()?.keys == ["a"])
        await cache.removeValues(taggedWith: "u")
        await cache.removeValues(taggedWith: "t")
        let last = await updates.next()
        #expect(last?.isWhole == true)
        #expect(last?.keys == [])
    }

    @Test func tooManyKeysAreAllOfThem() async throws {
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 5_000), stores: [], codec: .json)
        var updates = cache.updates(taggedWith: "t").makeAsyncIterator()
        #expect(await updates.next()?.isWhole == true)
        for number in 0..<1_024 { await cache.insert(number, forKey: "\(number)", tags: ["t"]) }
        #expect(await updates.next()?.keys.count == 1_024)
        for number in 0..<1_025 { await cache.insert(number, forKey: "\(number)", tags: ["t"]) }
        #expect(await updates.next()?.isWhole == true)
    }
}
