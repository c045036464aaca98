// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheTagTests {
    private let ticker = ManualTicker()

    @Test func removalByTagTakesAllValuesWithTheTagAndNoOthers() {
        let cache = Cache<Int, Int>(maximumCount: 100)
        for key in 0..<30 { cache.insert(key, forKey: key, tags: key % 3 == 0 ? ["three", "all"] : ["all"]) }
        cache.insert(100, forKey: 100)
        #expect(cache.removeValues(taggedWith: "three") == 10)
        #expect((0..<30).allSatisfy { cache.contains($0) == ($0 % 3 != 0) })
        #expect(cache.removeValues(taggedWith: "three") == 0)
        #expect(cache.removeValues(taggedWith: "all") == 20)
        #expect(cache.count == 1)
        #expect(cache.peek(100) == 100)
        cache.checkInvariants()
    }

    @Test func anUnknownTagRemovesNothing() {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a", tags: ["x"])
        #expect(cache.removeValues(taggedWith: "y") == 0)
        #expect(cache.removeValues(taggedWith: "") == 0)
        #expect(cache.contains("a"))
    }

    @Test func anEmptyTagIsATag() {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a", tags: [""])
        #expect(cache.removeValues(taggedWith: "") == 1)
        #expect(cache.count == 0)
    }

    @Test func newerValueHasOnlyItsOwnTags() {
        let cache = Cache<String, Int>(maximumCount: 10)
        cache.insert(1, forKey: "a", tags: ["old"])
        cache.insert(2, forKey: "a", tags: ["new"])
        #expect(cache.removeValues(taggedWith: "old") == 0)
        #expect(cache.peek("a") == 2)
        cache.insert(3, forKey: "a")
        #expect(cache.removeValues(taggedWith: "new") == 0)
        #expect(cache.peek("a") == 3)
        cache.checkInvariants()
    }

    @Test func tagsOfEntriesThatLeftAreForgotten() {
        let cache = Cache<Int, Int>(maximumCount: 4, ticker: ticker)
        for key in 0..<20 { cache.insert(key, forKey: key, expiresAfter: .seconds(1), tags: ["t"]) }
        cache.checkInvariants()
        #expect(cache.removeValues(taggedWith: "t") == 4)
        cache.insert(1, forKey: 1, tags: ["t"])
        cache.removeValue(forKey: 1)
        #expect(cache.removeValues(taggedWith: "t") == 0)
        cache.insert(1, forKey: 1, tags: ["t"])
        cache.removeAll()
        #expect(cache.removeValues(taggedWith: "t") == 0)
        cache.checkInvariants()
    }

    @Test func expiredValuesAreNotCountedAsRemoved() {
        let cache = Cache<Int, Int>(maximumCount: 10, ticker: ticker)
        cache.insert(1, forKey: 1, expiresAfter: .seconds(1), tags: ["t"])
        cache.insert(2, forKey: 2, expiresAfter: .seconds(2), tags: ["t"])
        ticker.advance(by: .seconds(1))
        #expect(cache.removeValues(taggedWith: "t") == 1)
        #expect(cache.count == 0)
        #expect(cache.statistics.expirations == 1)
    }

    @Test func pinnedValuesCanBeRemovedByTag() {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a", weight: 0, tags: ["t"])
        #expect(cache.removeValues(taggedWith: "t") == 1)
        #expect(cache.count == 0)
    }

    @Test func tagsAreFoundInAllShards() {
        let cache = Cache<Int, Int>(maximumCount: 64 * 1_024)
        #expect(cache.configuration.shardCount == 64)
        for key in 0..<2_000 { cache.insert(key, forKey: key, tags: ["\(key % 2)"]) }
        #expect(cache.removeValues(taggedWith: "1") == 1_000)
        #expect((0..<2_000).allSatisfy { cache.contains($0) == ($0 % 2 == 0) })
    }

    @Test func loadWhoseResultHasATagThatWasRemovedMeanwhileIsNotKept() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        let gate = Gate()
        async let tagged = cache.valueIfExists(forKey: "tagged") { _ in
            await gate.pass()
            return .value(1, tags: ["t", "u"])
        }
        async let other = cache.valueIfExists(forKey: "other") { _ in
            await gate.pass()
            return .value(2, tags: ["u"])
        }
        await gate.arrivals(2)
        cache.removeValues(taggedWith: "t")
        gate.open()
        #expect(try await tagged == 1)
        #expect(try await other == 2)
        #expect(!cache.contains("tagged"))
        #expect(cache.peek("other") == 2)
        #expect(cache.statistics.fencedLoads == 1)
        // A load that begins later may publish.
        _ = try await cache.valueIfExists(forKey: "tagged") { _ in .value(3, tags: ["t"]) }
        #expect(cache.peek("tagged") == 3)
        #expect(cache.removeValues(taggedWith: "t") == 1)
    }

    @Test func callerAfterTheRemovalOfATagDoesNotJoinAnOlderLoad() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        let gate = Gate()
        async let early = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, tags: ["t"])
        }
        await gate.arrivals(1)
        cache.removeValues(taggedWith: "t")
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .value(2, tags: ["t"]) } == 2)
        gate.open()
        #expect(try await early == 1)
        #expect(cache.peek("a") == 2)
    }

    @Test func moreTagsThanCanBeRememberedFenceEverythingThatHasTags() async throws {
        let cache = Cache<String, Int>(maximumCount: 10)
        let gate = Gate()
        async let loaded = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, tags: ["another"])
        }
        async let untagged = cache.value(forKey: "b") { _ in
            await gate.pass()
            return 2
        }
        await gate.arrivals(2)
        for number in 0..<2_000 { cache.removeValues(taggedWith: "\(number)") }
        cache.checkInvariants()
        gate.open()
        #expect(try await loaded == 1)
        #expect(!cache.contains("a"))
        #expect(try await untagged == 2)
        #expect(cache.contains("b"))
        #expect(cache.openFenceCount == 0)
        cache.checkInvariants()
    }
}
