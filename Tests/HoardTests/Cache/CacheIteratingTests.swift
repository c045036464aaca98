// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct CacheIteratingTests {
    @Test(arguments: [0, 1, 300, 20_000])
    func everyEntryIsVisitedOnceAndUsedNever(count: Int) {
        let cache = Cache<Int, Int>(maximumCount: max(1, count * 2))
        for key in 0..<count { cache.insert(-key, forKey: key) }
        let statistics = cache.statistics
        var visited: [Int: Int] = [:]
        cache.forEach { key, value in
            #expect(visited.updateValue(value, forKey: key) == nil)
        }
        #expect(visited == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, -$0) }))
        #expect(cache.keys.sorted() == Array(0..<count))
        #expect(cache.statistics == statistics)
    }

    @Test func expiredAndNegativeEntriesAreLeftOut() async throws {
        let ticker = ManualTicker()
        let cache = Cache<String, Int>(maximumCount: 10, expiration: .afterWrite(.seconds(1)), ticker: ticker)
        cache.insert(1, forKey: "old")
        ticker.advance(by: .seconds(1))
        cache.insert(2, forKey: "new")
        cache.insert(3, forKey: "lasting", expiresAfter: .seconds(100))
        _ = try await cache.valueIfExists(forKey: "none") { _ in .absent(expiresAfter: .seconds(5)) }
        #expect(cache.keys.sorted() == ["lasting", "new"])
        #expect(cache.hottest(10).map(\.key).sorted() == ["lasting", "new"] && cache.coldest(10).map(\.value).sorted() == [2, 3])
    }

    @Test func anErrorEndsIt() {
        struct Stop: Error {}
        let cache = Cache<Int, Int>(maximumCount: 10)
        for key in 0..<10 { cache.insert(key, forKey: key) }
        var count = 0
        #expect(throws: Stop.self) {
            try cache.forEach { (_, _) throws(Stop) in
                count += 1
                if count == 3 { throw Stop() }
            }
        }
        #expect(count == 3)
    }

    @Test func bodyMayChangeTheCache() {
        let cache = Cache<Int, Int>(maximumCount: 5_000)
        for key in 0..<3_000 { cache.insert(key, forKey: key) }
        cache.forEach { key, value in
            if key.isMultiple(of: 2) { cache.removeValue(forKey: key) } else { cache.update(forKey: key) { $0.map { -$0 } } }
        }
        #expect(Set(cache.keys) == Set(stride(from: 1, to: 3_000, by: 2)))
        #expect((0..<1_500).allSatisfy { cache.peek($0 * 2 + 1) == -($0 * 2 + 1) })
    }

    /// With fixed hashes: the order is an estimate. In one of 140 caches with hashes of their own, the sketch took a key that was never used for a hotter one.
    @Test(arguments: [100, 8_000], 1...4 as ClosedRange<UInt64>)
    func hottestAndColdestAreThoseThatWereUsedMostAndLeast(maximumCount: Int, seed: UInt64) {
        let cache = Cache<Int, Int>(configuration: .init(maximumCount: maximumCount), ticker: ManualTicker(), hasher: .fixed(seed))
        for key in 0..<(maximumCount * 3) { cache.insert(key, forKey: key) }
        let hot = Array(cache.keys.prefix(20))
        for _ in 0..<3 { for key in hot { _ = cache.value(forKey: key) } }
        #expect(Set(cache.hottest(20).map(\.key)) == Set(hot))
        #expect(Set(cache.hottest(.max).prefix(20).map(\.key)) == Set(hot) && cache.hottest(.max).count == cache.count)
        #expect(cache.hottest(0).isEmpty && cache.coldest(0).isEmpty && cache.hottest(-1).isEmpty && cache.coldest(-1).isEmpty)
        #expect(cache.coldest(.max).count == cache.count && Set(cache.coldest(.max).map(\.key)) == Set(cache.keys))
        #expect(Set(cache.coldest(10).map(\.key)).isDisjoint(with: hot))
    }

    @Test func coldestLeaveFirst() {
        let cache = Cache<Int, Int>(maximumCount: 200)
        for key in 0..<200 { cache.insert(key, forKey: key) }
        let expected = cache.coldest(50).map(\.key)
        cache.trim(toFraction: 0.75)
        #expect(Set(expected).isDisjoint(with: cache.keys) && cache.count == 150)
    }

    @Test func pinnedEntriesAreHottestAndNeverColdest() {
        let cache = Cache<Int, Int>(maximumCount: 50)
        for key in 0..<20 { cache.insert(key, forKey: key, weight: key == 7 ? 0 : 1) }
        for _ in 0..<10 { _ = cache.value(forKey: 3) }
        #expect(cache.hottest(2).map(\.key) == [7, 3])
        #expect(cache.coldest(50).count == 19 && !cache.coldest(50).contains { $0.key == 7 })
    }

    @Test func whatIsThereAllTheTimeIsVisitedWhileOthersWrite() async {
        let cache = Cache<Int, Int>(maximumCount: 100_000)
        for key in 0..<5_000 { cache.insert(0, forKey: key) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for key in 0..<50_000 { cache.insert(1, forKey: 10_000 + key) } }
            group.addTask { for key in 0..<20_000 { cache.insert(key, forKey: key % 5_000) } }
            group.addTask {
                for _ in 0..<20 {
                    var visited: [Int: Int] = [:]
                    cache.forEach { key, _ in visited[key, default: 0] += 1 }
                    #expect((0..<5_000).allSatisfy { visited[$0] == 1 })
                }
            }
        }
    }
}
