// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// A cache's explanation of a key.
@Suite(.timeLimit(.minutes(5))) struct TieredCacheExplanationTests {
    private let fixture = TieredFixture(
        policy: CachePolicy(freshFor: .seconds(60)).with {
            $0.staleWhileRevalidate = .seconds(10)
            $0.staleIfError = .seconds(100)
            $0.staleFor = .seconds(500)
            $0.negativeFor = .seconds(5)
        }
    )
    private var cache: TieredCache<String, Int> { fixture.cache }

    @Test func everyTierIsExplained() async throws {
        await cache.insert(1, forKey: "a", tags: ["t", "u"], validator: "v")
        try await fixture.upperBase.removeAll()
        fixture.time.advance(by: .seconds(20))
        let explanation = await cache.explain("a")
        #expect(explanation.stores.map(\.name) == ["upper", "lower"])
        #expect(explanation.stores.map { $0.holding != nil } == [false, true])
        #expect(explanation.stores.allSatisfy { $0.skipReason == nil && $0.health.isSound })
        for holding in [try #require(explanation.memory), try #require(explanation.stores[1].holding)] {
            #expect(holding.isFresh && !holding.isNegative && holding.hasValidator)
            #expect(holding.age == .seconds(20) && holding.freshFor == .seconds(40) && holding.keptFor == .seconds(540))
            #expect(holding.usableWhileRevalidating == .seconds(50) && holding.usableOnError == .seconds(140))
            #expect(holding.tags == ["t", "u"])
        }
        #expect(explanation.entry.entry != nil)
        #expect(!explanation.isLoading && !explanation.isBeingChanged && explanation.retryAfter == nil)
    }

    @Test func staleValueSaysForWhatItIsStillGood() async throws {
        await cache.insert(1, forKey: "a")
        fixture.time.advance(by: .seconds(65))
        let early = try #require(await cache.explain("a").memory)
        #expect(!early.isFresh && early.freshFor == .seconds(-5))
        #expect(early.usableWhileRevalidating == .seconds(5) && early.usableOnError == .seconds(95))
        fixture.time.advance(by: .seconds(100))
        let late = try #require(await cache.explain("a").memory)
        #expect(late.usableWhileRevalidating == .zero && late.usableOnError == .zero && late.keptFor == .seconds(395))
    }

    @Test func valueThatIsFreshForEverHasNoEnd() async throws {
        await cache.insert(1, forKey: "a", policy: CachePolicy())
        let holding = try #require(await cache.explain("a").memory)
        #expect(holding.isFresh && holding.freshFor == nil && holding.keptFor == nil)
    }

    @Test func keyOfWhichNothingIsKnown() async throws {
        let explanation = await cache.explain("a")
        #expect(explanation.memory == nil && explanation.entry.entry == nil)
        #expect(explanation.stores.allSatisfy { $0.holding == nil && $0.skipReason == nil })
        #expect(explanation.description.contains("upper: nothing"))
    }

    @Test func knownAbsenceIsExplained() async throws {
        #expect(try await cache.valueIfExists(forKey: "a") { _ in .absent() } == nil)
        let explanation = await cache.explain("a")
        for holding in [try #require(explanation.memory), try #require(explanation.stores[0].holding)] {
            #expect(holding.isNegative && holding.isFresh && holding.freshFor == .seconds(5))
            #expect(holding.usableOnError == .zero)
        }
        #expect(explanation.description.contains("known not to exist"))
    }

    @Test func whatTagsHaveDoneIsSeen() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        await cache.markStale(taggedWith: "t")
        let marked = await cache.explain("a")
        #expect(marked.memory?.isFresh == false && marked.stores[0].holding?.isFresh == false)
        await cache.removeValues(taggedWith: "t")
        let removed = await cache.explain("a")
        #expect(removed.memory == nil && removed.stores.allSatisfy { $0.holding == nil })
    }

    @Test func failuresAndAnOpenCircuitAreShown() async throws {
        await cache.insert(1, forKey: "a")
        fixture.upper.fail(.record)
        #expect(await cache.explain("a").stores.map(\.skipReason) == [.failed, nil])
        for _ in 0..<4 { _ = await cache.explain("a") }
        let explanation = await cache.explain("a")
        #expect(explanation.stores.map(\.skipReason) == [.circuitOpen, nil])
        #expect(explanation.stores[0].health.circuit == .open)
        #expect(explanation.description.contains("upper: passed by: circuitOpen"))
    }

    @Test func missedInvalidationIsShown() async throws {
        await cache.insert(1, forKey: "a")
        fixture.lower.fail(.removeRecord)
        await cache.removeValue(forKey: "a")
        let explanation = await cache.explain("a")
        #expect(explanation.stores.map(\.skipReason) == [nil, .invalidationPending])
        #expect(explanation.stores[1].health.pendingInvalidations == 1)
    }

    @Test func slowStoreDoesNotHoldItUp() async throws {
        let gate = fixture.upper.hold(.record)
        async let explanation = cache.explain("a")
        await gate.arrivals(1)
        await fixture.time.sleepers(1)
        fixture.time.advance(by: .seconds(1))
        #expect(await explanation.stores.map(\.skipReason) == [.timedOut, nil])
        gate.open()
    }

    @Test func loadsChangesAndFailuresUnderWayAreShown() async throws {
        let loading = Gate()
        async let loaded = cache.value(forKey: "a") { _ in
            await loading.pass()
            return 1
        }
        await loading.arrivals(1)
        #expect(await cache.explain("a").isLoading)
        #expect(await cache.explain("b").isLoading == false)
        loading.open()
        _ = try await loaded

        let changing = fixture.lower.hold(.insert)
        async let written: Void = cache.insert(2, forKey: "a")
        await changing.arrivals(1)
        let during = await cache.explain("a")
        #expect(during.isBeingChanged && during.description.contains("a write or removal is under way"))
        changing.open()
        await written
        #expect(await cache.explain("a").isBeingChanged == false)

        fixture.time.advance(by: .seconds(75))
        #expect(try await cache.lookup(forKey: "a") { _ in throw TestError() }.isFresh == false)
        fixture.time.advance(by: .seconds(10))
        let explanation = await cache.explain("a")
        #expect(explanation.retryAfter == .seconds(20))
        fixture.time.advance(by: .seconds(20))
        #expect(await cache.explain("a").retryAfter == nil)
    }

    @Test func descriptionHoldsNoKeyNoTagAndNoValue() async throws {
        await cache.insert(76_543, forKey: "secret key", tags: ["secret tag"], validator: "secret validator")
        fixture.time.advance(by: .seconds(65))
        let fresh = await cache.explain("secret key").description
        await cache.removeValue(forKey: "secret key")
        for text in [fresh, await cache.explain("secret key").description] {
            #expect(!text.contains("secret") && !text.contains("76543"), "\(text)")
        }
        #expect(fresh.split(separator: "\n").count == 3)
        #expect(fresh.contains("stale since") && fresh.contains("1 tags") && fresh.contains("can be revalidated"), "\(fresh)")
    }

    @Test func explanationIsNoUseOfMemoryAndCountsNoRequest() async throws {
        await cache.insert(1, forKey: "a", tags: ["t"])
        await cache.markStale(taggedWith: "u")
        let (before, memoryBefore) = (cache.statistics, cache.memoryStatistics)
        for key in ["a", "b"] { _ = await cache.explain(key) }
        #expect(cache.statistics == before)
        #expect(cache.memoryStatistics == memoryBefore)
    }
}
