// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Removal by tag: at once, in every tier, of all values that have the tag and of nothing else.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheTagTests {
    private let fixture = TieredFixture()
    private var cache: TieredCache<String, Int> { fixture.cache }

    private func insertThree() async {
        await cache.insert(1, forKey: "a", tags: ["t", "u"])
        await cache.insert(2, forKey: "b", tags: ["u"])
        await cache.insert(3, forKey: "c")
    }

    private func expect(_ expected: [String: Int], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for key in ["a", "b", "c"] {
            #expect(cache.memoryLookup(forKey: key)?.value == expected[key], "\(key) in memory", sourceLocation: sourceLocation)
            #expect(try await fixture.stored(RecordKey(key), in: fixture.upperBase) == expected[key], "\(key) above", sourceLocation: sourceLocation)
            #expect(try await fixture.stored(RecordKey(key), in: fixture.lowerBase) == expected[key], "\(key) below", sourceLocation: sourceLocation)
        }
        #expect(cache.fences.withLock { $0.count } == 0, sourceLocation: sourceLocation)
    }

    @Test func whatHasTheTagLeavesEveryTierAndNothingElseDoes() async throws {
        await insertThree()
        await cache.removeValues(taggedWith: "t")
        try await expect(["b": 2, "c": 3])
        await cache.removeValues(taggedWith: "u")
        try await expect(["c": 3])
    }

    @Test func severalTagsAreRemovedWithOneCallOfEachStore() async throws {
        await insertThree()
        await cache.removeValues(taggedWithAny: ["t", "u", "nobody's"])
        try await expect(["c": 3])
        #expect(fixture.upper.callCount(.removeTagged) == 1)
        #expect(fixture.lower.callCount(.removeTagged) == 1)
        #expect(fixture.upper.callCount(.removeMany) + fixture.upper.callCount(.removeRecord) + fixture.upper.callCount(.removeAll) == 0)
        await cache.removeValues(taggedWithAny: [])
        #expect(fixture.upper.callCount(.removeTagged) == 1, "no tags, nothing to do")
    }

    @Test func memoryIsNotScanned() async throws {
        let cache = TieredCache<Int, Int>(
            configuration: .init(maximumCount: 10_000),
            stores: [],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        for key in 0..<1_000 { await cache.insert(key, forKey: key, tags: ["t"]) }
        let before = cache.memoryStatistics
        await cache.removeValues(taggedWith: "t")
        #expect(cache.memoryStatistics == before)
        #expect(cache.memoryCount == 1_000, "they are dropped when somebody looks")
        #expect(cache.memoryValue(forKey: 7) == nil)
        #expect(cache.memoryCount == 999)
    }

    @Test func entriesWithoutTagsKeepTheirFastPath() async throws {
        await insertThree()
        await cache.removeValues(taggedWith: "t")
        await cache.markStale(taggedWith: "x")
        let untagged = try #require(cache.memory.peek("c"))
        let tagged = try #require(cache.memory.peek("b"))
        #expect(cache.needsNoCloserLook(untagged))
        #expect(!cache.needsNoCloserLook(tagged))
        #expect(cache.memoryValue(forKey: "b") == 2)
        #expect(cache.needsNoCloserLook(tagged), "one look is enough")
        #expect(cache.memory.peek("b") === tagged)
    }

    @Test func replacedValuesHaveLostTheirTags() async throws {
        await insertThree()
        await cache.insert(10, forKey: "a", tags: ["v"])
        await cache.insert(20, forKey: "b")
        await cache.removeValues(taggedWithAny: ["t", "u"])
        try await expect(["a": 10, "b": 20, "c": 3])
    }

    @Test func whatIsWrittenAfterTheRemovalStays() async throws {
        await insertThree()
        await cache.removeValues(taggedWith: "u")
        await cache.insert(10, forKey: "a", tags: ["u"])
        try await expect(["a": 10, "c": 3])
        #expect(await cache.value(forKey: "a") == 10)
    }

    @Test func whatWasRemovedIsNoFallbackAndNotServedWhileRevalidating() async throws {
        let policy = CachePolicy(freshFor: .seconds(10)).with {
            $0.staleIfError = .seconds(1_000)
            $0.staleWhileRevalidate = .seconds(1_000)
        }
        let fixture = TieredFixture(policy: policy)
        await fixture.cache.insert(1, forKey: "a", tags: ["t"])
        await fixture.cache.removeValues(taggedWith: "t")
        await #expect(throws: TestError.self) { try await fixture.cache.value(forKey: "a") { _ in throw TestError() } }
        #expect(await fixture.cache.lookup(forKey: "a") == nil)
    }

    @Test func negativeEntriesHaveTagsToo() async throws {
        let fixture = TieredFixture(policy: CachePolicy().with { $0.negativeFor = .seconds(60) })
        func ask() async throws -> (value: Int?, loads: Int) {
            let loads = Counter()
            let value = try await fixture.cache.valueIfExists(forKey: "a") { _ in
                loads.increment()
                return .absent(tags: ["t"])
            }
            return (value, loads.value)
        }
        #expect(try await ask().loads == 1)
        #expect(try await ask().loads == 0)
        await fixture.cache.removeValues(taggedWith: "t")
        #expect(try await ask().loads == 1)
    }

    @Test func tagsOutliveTheMemoryTierAndTheProcess() async throws {
        await insertThree()
        fixture.evict()
        #expect(await cache.lookup(forKey: "a")?.tags == ["t", "u"])
        let later = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10),
            stores: [fixture.lowerBase],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        #expect(await later.lookup(forKey: "a")?.tags == ["t", "u"])
        #expect(await later.value(forKey: "b") == 2)
        await later.removeValues(taggedWith: "u")
        #expect(await later.value(forKey: "a") == nil)
        #expect(await later.value(forKey: "b") == nil)
        #expect(await later.value(forKey: "c") == 3)
    }

    @Test func moreTagsThanAreRememberedRemoveTooMuchRatherThanTooLittle() async throws {
        await insertThree()
        for number in 0..<101 { await cache.removeValues(taggedWithAny: Set((0..<100).map { "tag \(number * 100 + $0)" })) }
        await cache.removeValues(taggedWith: "t")
        #expect(cache.marks.withLock { $0.count } <= 10_000)
        #expect(cache.memoryLookup(forKey: "a") == nil)
        #expect(cache.memoryLookup(forKey: "c")?.value == 3, "has no tags")
        #expect(await cache.value(forKey: "b") == 2, "a store has it still")
    }

    // MARK: What is under way

    @Test(arguments: [true, false])
    func loadUnderWayLandsOnlyWithoutTheTag(_ hasTag: Bool) async throws {
        let gate = Gate()
        async let loaded = cache.value(forKey: "a", tags: hasTag ? ["t", "u"] : ["u"]) { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        gate.open()
        #expect(try await loaded == 1)
        try await expect(hasTag ? [:] : ["a": 1])
        #expect(cache.statistics.fencedPublications == (hasTag ? 1 : 0))
    }

    @Test func bulkLoadUnderWayLandsAsFarAsItHasNotTheTag() async throws {
        let gate = Gate()
        async let loaded = cache.lookups(forKeys: ["a", "b", "c"]) { _ in
            await gate.pass()
            return ["a": .value(1, tags: ["t"]), "b": .value(2, tags: ["u"]), "c": .value(3)]
        }
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        gate.open()
        #expect(try await loaded.mapValues(\.value) == ["a": 1, "b": 2, "c": 3])
        try await expect(["b": 2, "c": 3])
    }

    @Test(arguments: [true, false])
    func promotionUnderWayLandsOnlyWithoutTheTag(_ hasTag: Bool) async throws {
        await cache.insert(1, forKey: "a", tags: [hasTag ? "t" : "u"])
        fixture.evict()
        try await fixture.upperBase.removeAll()
        let gate = fixture.lower.hold(.record, afterwards: true)
        async let found = cache.lookup(forKey: "a")
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        gate.open()
        #expect(await found?.value == 1)
        await cache.flush()
        try await expect(hasTag ? [:] : ["a": 1])
    }

    @Test func bulkPromotionUnderWayLandsOnlyWithoutTheTag() async throws {
        await insertThree()
        fixture.evict()
        try await fixture.upperBase.removeAll()
        let gate = fixture.lower.hold(.records, afterwards: true)
        async let found = cache.values(forKeys: ["a", "b", "c"])
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        gate.open()
        #expect(await found == ["a": 1, "b": 2, "c": 3])
        await cache.flush()
        try await expect(["b": 2, "c": 3])
    }

    @Test(arguments: [true, false])
    func writeUnderWayInAStoreStaysOnlyWithoutTheTag(_ hasTag: Bool) async throws {
        await cache.insert(0, forKey: "a", tags: ["t"])
        let gate = fixture.upper.hold(.insert)
        async let written: Void = cache.insert(1, forKey: "a", tags: [hasTag ? "t" : "u"])
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        gate.open()
        await written
        try await expect(hasTag ? [:] : ["a": 1])
    }

    @Test(arguments: [true, false])
    func writeBehindStaysOnlyWithoutTheTag(_ hasTag: Bool) async throws {
        let gate = fixture.upper.hold(.insert)
        let behind = cache.policy.with { $0.storeWriting = .behind }
        await cache.insert(1, forKey: "a", policy: behind, tags: [hasTag ? "t" : "u"])
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        gate.open()
        await cache.flush()
        try await expect(hasTag ? [:] : ["a": 1])
    }

    @Test func callersAfterTheRemovalDoNotJoinALoadThatBeganBefore() async throws {
        let gate = Gate()
        async let early = cache.value(forKey: "a", tags: ["t"]) { _ in
            await gate.pass()
            return 1
        }
        await gate.arrivals(1)
        await cache.removeValues(taggedWith: "t")
        #expect(try await cache.value(forKey: "a", tags: ["t"]) { _ in 2 } == 2)
        gate.open()
        #expect(try await early == 1)
        try await expect(["a": 2])
    }

    @Test func readDuringTheRemovalIsNotCopied() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        let gate = fixture.lower.hold(.removeTagged)
        async let removal: Void = cache.removeValues(taggedWith: "t")
        await gate.arrivals(1)
        _ = await cache.lookup(forKey: "a")
        await cache.flush()
        #expect(cache.memoryLookup(forKey: "a") == nil)
        gate.open()
        await removal
        try await expect([:])
    }

    /// The weigher runs after the write has begun and before memory has it.
    @Test(arguments: [true, false])
    func writeOvertakenByARemovalOfItsTagDoesNotLeaveWhatItReplaces(_ isMark: Bool) async throws {
        let overtakes = Shared(false)
        let reference = Shared<TieredCache<String, Int>?>(nil)
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumWeight: 100) { _, _ in
                guard
                    overtakes.update({ overtakes in
                        defer { overtakes = false }
                        return overtakes
                    }), let cache = reference.value
                else { return 1 }
                // Memory has the change before the first suspension.
                cache.fences.withLock { fences in
                    let change = fences.beginChange(ofTags: ["t"])
                    cache.marks.withLock { marks in
                        if isMark { marks.markStale(["t"], at: 0) } else { marks.remove(["t"]) }
                        cache.era.store(marks.era, ordering: .releasing)
                    }
                    for tier in cache.tiers.indices { fences.reach(tier: tier, change: change) }
                    fences.endChange(change)
                }
                return 1
            },
            stores: [fixture.upper],
            codec: .json,
            clock: fixture.time,
            ticker: fixture.time
        )
        reference.update { $0 = cache }
        await cache.insert(1, forKey: "a")
        overtakes.update { $0 = true }
        await cache.insert(2, forKey: "a", tags: ["t"])
        #expect(overtakes.value == false)
        #expect(await cache.value(forKey: "a") == nil, "neither the new value nor the one before")
        #expect(try await fixture.stored("a", in: fixture.upperBase) == nil)
        reference.update { $0 = nil }
    }
}
