// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite struct CacheWritingTests {
    @Test func removalReturnsTheValueOnce() {
        let cache = Cache<String, Int>(maximumCount: 3)
        cache.insert(1, forKey: "a")
        #expect(cache.removeValue(forKey: "a") == 1)
        #expect(cache.removeValue(forKey: "a") == nil)
        #expect(cache.value(forKey: "a") == nil)
    }

    @Test func removalOfAnExpiredValueReturnsNil() {
        let ticker = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 3, ticker: ticker)
        cache.insert(1, forKey: "a", expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        #expect(cache.removeValue(forKey: "a") == nil)
        #expect(cache.count == 0)
    }

    @Test func removalIsNoEviction() {
        let cache = Cache<String, Int>(maximumCount: 3)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        cache.removeValue(forKey: "a")
        cache.removeAll()
        #expect(cache.statistics.evictions == 0)
        #expect(cache.statistics.expirations == 0)
    }

    @Test func removalMakesRoomForOneMore() {
        let cache = Cache<Int, Int>(maximumCount: 4)
        for number in 0..<4 { cache.insert(number, forKey: number) }
        cache.removeValue(forKey: 1)
        cache.insert(4, forKey: 4)
        #expect([0, 2, 3, 4].allSatisfy { cache.contains($0) })
        cache.insert(5, forKey: 5)
        #expect(cache.count == 4)
        #expect(cache.statistics.evictions == 1)
    }

    @Test func removingEverythingLeavesACacheThatWorks() {
        let cache = Cache<Int, Int>(maximumWeight: 100, maximumCount: 10) { _, _ in 3 }
        for number in 0..<20 { cache.insert(number, forKey: number) }
        cache.removeAll()
        #expect(cache.count == 0)
        #expect(cache.totalWeight == 0)
        #expect((0..<20).allSatisfy { !cache.contains($0) })
        cache.insert(1, forKey: 1)
        #expect(cache.value(forKey: 1) == 1)
        #expect(cache.totalWeight == 3)
    }

    @Test func valuesAreReleasedWhenTheyLeave() {
        let released = Counter()
        let ticker = ManualTicker()
        let cache = Cache<String, Witness>(maximumCount: 2, ticker: ticker)
        func witness() -> Witness { Witness { _ in released.increment() } }
        cache.insert(witness(), forKey: "a")
        cache.insert(witness(), forKey: "a")
        #expect(released.value == 1, "replaced")
        cache.removeValue(forKey: "a")
        #expect(released.value == 2, "removed")
        for key in ["a", "b", "c"] { cache.insert(witness(), forKey: key) }
        #expect(released.value == 3, "evicted")
        cache.insert(witness(), forKey: "d", expiresAfter: .zero)
        #expect(released.value == 4, "refused")
        cache.removeAll()
        #expect(released.value == 6, "all removed")
        cache.insert(witness(), forKey: "e", expiresAfter: .seconds(1))
        ticker.advance(by: .seconds(1))
        #expect(cache.value(forKey: "e") == nil)
        #expect(released.value == 7, "expired")
    }

    @Test func weigherIsAskedOncePerWriteAndNotAtReads() {
        let calls = Counter()
        let cache = Cache<String, Int>(maximumWeight: 10) { _, _ in calls.increment() }
        cache.insert(1, forKey: "a")
        _ = cache.value(forKey: "a")
        _ = cache.peek("a")
        cache.insert(1, forKey: "b", weight: 2)
        #expect(calls.value == 1)
    }
}
