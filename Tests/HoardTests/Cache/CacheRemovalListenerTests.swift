// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheRemovalListenerTests {
    private let ticker = ManualTicker()
    private let removals = Shared<[String]>([])

    private func makeCache(_ maximumCount: Int, expiration: Expiration = .never) -> Cache<String, Int> {
        Cache(
            configuration: .init(
                maximumCount: maximumCount,
                expiration: expiration,
                removalListener: { [removals] key, value, cause in removals.update { $0.append("\(key) \(value) \(cause)") } }
            ),
            ticker: ticker
        )
    }

    private func takeRemovals() -> [String] {
        removals.update { removals in
            defer { removals = [] }
            return removals
        }
    }

    @Test func listenerIsToldOfEveryWayOut() {
        let cache = makeCache(2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "a")
        #expect(takeRemovals() == ["a 1 replaced"])
        cache.removeValue(forKey: "a")
        #expect(takeRemovals() == ["a 2 explicit"])
        cache["b"] = 3
        cache["b"] = nil
        #expect(takeRemovals() == ["b 3 explicit"])
        cache.insert(4, forKey: "c", tags: ["t"])
        cache.removeValues(taggedWith: "t")
        #expect(takeRemovals() == ["c 4 explicit"])
        cache.insert(5, forKey: "d")
        cache.insert(6, forKey: "e")
        cache.removeAll()
        #expect(takeRemovals().sorted() == ["d 5 explicit", "e 6 explicit"])
        for number in 1...3 { cache.insert(number, forKey: "\(number)") }
        #expect(takeRemovals().count { $0.hasSuffix("size") } == 1)
        cache.trim(toFraction: 0)
        #expect(takeRemovals().count { $0.hasSuffix("size") } == 2)
        #expect(cache.statistics.evictions == 3)
    }

    @Test func listenerIsToldOfExpirationWhenTheEntryIsReclaimed() {
        let cache = makeCache(10, expiration: .afterWrite(.seconds(1)))
        cache.insert(1, forKey: "read")
        cache.insert(2, forKey: "removed")
        cache.insert(3, forKey: "replaced")
        cache.insert(4, forKey: "tagged", tags: ["t"])
        cache.insert(5, forKey: "swept")
        ticker.advance(by: .seconds(1))
        #expect(cache.peek("read") == nil)
        #expect(takeRemovals() == [], "a peek reclaims nothing")
        _ = cache.value(forKey: "read")
        #expect(takeRemovals() == ["read 1 expired"])
        cache.removeValue(forKey: "removed")
        #expect(takeRemovals() == ["removed 2 expired"])
        cache.removeValues(taggedWith: "t")
        #expect(takeRemovals() == ["tagged 4 expired"])
        cache.insert(6, forKey: "replaced", expiresAfter: .seconds(5))
        cache.removeExpired()
        #expect(takeRemovals().sorted() == ["replaced 3 expired", "swept 5 expired"])
        #expect(cache.statistics.expirations == 5)
    }

    @Test func entryThatHasExpiredIsNoVictimOfATrim() {
        let cache = makeCache(10)
        cache.insert(1, forKey: "a", expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        #expect(cache.trim(toFraction: 0) == 1)
        #expect(takeRemovals() == ["a 1 expired"])
        #expect(cache.statistics.evictions == 0)
        #expect(cache.statistics.expirations == 1)
    }

    @Test func refusedValuesHaveNeverBeenThere() async throws {
        let cache = makeCache(1)
        cache.insert(1, forKey: "a", expiresAfter: .zero)
        cache.insert(2, forKey: "pinned", weight: 0)
        cache.insert(3, forKey: "b")
        cache.insert(4, forKey: "c", weight: 0)
        #expect(try await cache.value(forKey: "d") { _ in 5 } == 5)
        #expect(takeRemovals() == [])
        #expect(cache.statistics.refusals == 4)
        #expect(cache.statistics.evictions == 0)
        cache.insert(6, forKey: "pinned", expiresAfter: .zero)
        #expect(takeRemovals() == ["pinned 2 replaced"])
    }

    @Test func refusalOfAHeavierValueReportsTheOldOneAsReplaced() {
        let cache = Cache<String, Int>(
            configuration: .init(
                maximumWeight: 10,
                weigher: { _, value in value },
                removalListener: { [removals] key, value, cause in removals.update { $0.append("\(key) \(value) \(cause)") } }
            )
        )
        cache.insert(5, forKey: "a")
        cache.insert(11, forKey: "a")
        #expect(takeRemovals() == ["a 5 replaced"])
    }

    @Test func loadsReportWhatTheyReplaceAndEvict() async throws {
        let cache = makeCache(1)
        _ = try await cache.value(forKey: "a") { _ in 1 }
        _ = try await cache.value(forKey: "b") { _ in 2 }
        #expect(takeRemovals() == ["a 1 size"])
        _ = try await cache.values(forKeys: ["c", "d"]) { _ in ["c": 3, "d": 4] }
        #expect(takeRemovals() == ["b 2 size", "c 3 size"])
    }

    @Test func releasingACacheReportsNothing() {
        var cache: Cache<String, Int>? = makeCache(10)
        cache?.insert(1, forKey: "a")
        cache = nil
        #expect(takeRemovals() == [])
    }

    @Test func listenerMayUseTheCache() async throws {
        let holder = Shared<Cache<String, Int>?>(nil)
        let calls = Counter()
        let (mayLoad, loaded) = (Gate(), Gate())
        let cache = Cache<String, Int>(
            configuration: .init(
                maximumCount: 3,
                removalListener: { key, value, _ in
                    guard let cache = holder.value, calls.increment() < 100 else { return }
                    #expect(cache.allLocksAreFree)
                    _ = cache.value(forKey: key)
                    _ = cache.explain(key)
                    _ = cache.statistics
                    cache.insert(value, forKey: "other")
                    cache.removeValue(forKey: "other")
                    cache.removeValues(taggedWith: "t")
                    cache.removeExpired()
                    Task {
                        // A load would hold a lock for a moment, which the next call of the listener could find taken.
                        await mayLoad.pass()
                        _ = try? await cache.value(forKey: "loaded") { _ in 1 }
                        await loaded.pass()
                    }
                }
            ),
            ticker: ticker
        )
        holder.update { $0 = cache }
        for number in 0..<8 { cache.insert(number, forKey: "\(number)", expiresAfter: .seconds(10), tags: ["t"]) }
        cache.trim(toFraction: 0.3)
        ticker.advance(by: .seconds(10))
        cache.removeExpired()
        cache.insert(1, forKey: "x")
        cache.removeAll()
        #expect(calls.value > 8)
        mayLoad.open()
        await loaded.arrivals(1)
        loaded.open()
        holder.update { $0 = nil }
        cache.checkInvariants()
    }

    @Test func causesTellWhetherTheCacheActedByItself() {
        #expect(RemovalCause.size.wasEvicted)
        #expect(RemovalCause.expired.wasEvicted)
        #expect(!RemovalCause.explicit.wasEvicted)
        #expect(!RemovalCause.replaced.wasEvicted)
        #expect([RemovalCause.explicit, .replaced, .expired, .size].map(\.description) == ["explicit", "replaced", "expired", "size"])
    }
}
