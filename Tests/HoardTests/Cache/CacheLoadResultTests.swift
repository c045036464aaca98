// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Loaders that say how their value is to be kept.
@Suite(.timeLimit(.minutes(5))) struct CacheLoadResultTests {
    private let ticker = ManualTicker()

    @Test func loaderDecidesAboutTheWeight() async throws {
        let cache = Cache<String, Int>(maximumWeight: 100) { _, value in value }
        _ = try await cache.valueIfExists(forKey: "weigher") { _ in .value(7) }
        #expect(cache.totalWeight == 7)
        _ = try await cache.valueIfExists(forKey: "loader") { _ in .value(7, weight: 20) }
        #expect(cache.totalWeight == 27)
        _ = try await cache.valueIfExists(forKey: "pinned") { _ in .value(7, weight: 0) }
        _ = try await cache.valueIfExists(forKey: "negative") { _ in .value(7, weight: -3) }
        #expect(cache.totalWeight == 27)
        #expect(cache.explain("pinned").entry?.segment == .pinned)
        #expect(try await cache.valueIfExists(forKey: "heavy") { _ in .value(7, weight: 101) } == 7)
        #expect(!cache.contains("heavy"))
        #expect(cache.statistics.refusals == 1)
    }

    @Test func loaderDecidesAboutTheTime() async throws {
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(60)), ticker: ticker)
        _ = try await cache.valueIfExists(forKey: "short") { _ in .value(1, expiresAfter: .seconds(1)) }
        _ = try await cache.valueIfExists(forKey: "long") { _ in .value(2, expiresAfter: .seconds(600)) }
        _ = try await cache.valueIfExists(forKey: "cache's") { _ in .value(3) }
        _ = try await cache.valueIfExists(forKey: "none") { _ in .value(4, expiresAfter: .zero) }
        #expect(cache.count == 3)
        ticker.advance(by: .seconds(1))
        #expect(!cache.contains("short"))
        #expect(cache.contains("cache's"))
        ticker.advance(by: .seconds(59))
        #expect(!cache.contains("cache's"))
        #expect(cache.contains("long"))
    }

    @Test func timeCountsFromTheEndOfTheLoad() async throws {
        let cache = Cache<String, Int>(maximumCount: 10, ticker: ticker)
        let gate = Gate()
        async let value = cache.valueIfExists(forKey: "a") { _ in
            await gate.pass()
            return .value(1, expiresAfter: .seconds(10))
        }
        await gate.arrivals(1)
        ticker.advance(by: .seconds(100))
        gate.open()
        #expect(try await value == 1)
        ticker.advance(by: .seconds(9))
        #expect(cache.contains("a"))
        ticker.advance(by: .seconds(1))
        #expect(!cache.contains("a"))
    }

    @Test func loaderDecidesAboutTheTags() async throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        for key in 0..<4 { _ = try await cache.valueIfExists(forKey: key) { .value($0.key, tags: ["\($0.key % 2)", "all"]) } }
        #expect(cache.explain(1).entry?.tags == ["1", "all"])
        #expect(cache.removeValues(taggedWith: "1") == 2)
        #expect(cache.contains(0) && cache.contains(2))
        #expect(cache.removeValues(taggedWith: "all") == 2)
    }

    @Test func existingValueIsReturnedWithoutALoad() async throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        cache.insert(3, forKey: 1)
        let value = try await cache.valueIfExists(forKey: 1) { _ in
            Issue.record("nothing is missing")
            return .value(4)
        }
        #expect(value == 3)
        #expect(cache.statistics.hits == 1)
    }

    @Test func bothKindsOfCallersShareOneLoad() async throws {
        let cache = Cache<Int, Int>(maximumCount: 10)
        let gate = Gate()
        async let plain = cache.value(forKey: 1) { _ in
            await gate.pass()
            return 5
        }
        await gate.arrivals(1)
        async let ifExists = cache.valueIfExists(forKey: 1) { _ in .absent(expiresAfter: .seconds(1)) }
        try await waitUntil { cache.flights.waiterCount(for: 1) == 2 }
        gate.open()
        #expect(try await plain == 5)
        #expect(try await ifExists == 5)
        #expect(cache.statistics.loads == 1)
        #expect(cache.statistics.misses == 2)
    }

    @Test func askingForItsOwnKeyIsARecursiveLoad() async {
        let cache = Cache<Int, Int>(maximumCount: 10)
        let failure = await error {
            try await cache.valueIfExists(forKey: 1) { [cache] request in
                .value(try await cache.valueIfExists(forKey: request.key) { _ in .value(1) } ?? 0)
            }
        }
        #expect((failure as? CacheError)?.code == .recursiveLoad)
        #expect(cache.count == 0)
    }
}
