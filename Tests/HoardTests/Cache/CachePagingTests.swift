// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

/// Walking over the entries of a cache page by page, and the reasons why entries have left it.
@Suite(.timeLimit(.minutes(1))) struct CachePagingTests {
    private func all<Value>(_ cache: Cache<Int, Value>, limit: Int, between: () -> Void = {}) -> [Int] {
        var keys: [Int] = []
        var position: Cache<Int, Value>.Position? = .start
        while let start = position {
            let (entries, next) = cache.page(from: start, limit: limit)
            #expect(entries.count <= max(1, limit))
            keys += entries.map(\.key)
            position = next
            between()
        }
        return keys
    }

    @Test(arguments: [16, 5_000], [1, 7, 512, 0])
    func everyEntryComesOnce(maximumCount: Int, limit: Int) {
        let cache = Cache<Int, Int>(maximumCount: maximumCount)
        #expect(all(cache, limit: limit).isEmpty)
        let count = maximumCount / 2
        for key in 0..<count { cache.insert(key, forKey: key) }
        let keys = all(cache, limit: limit)
        #expect(keys.count == count && Set(keys) == Set(0..<count))
    }

    @Test func whatStaysComesOnceThoughOthersComeAndGo() {
        let cache = Cache<Int, Int>(maximumCount: 10_000)
        for key in 0..<300 { cache.insert(0, forKey: key) }
        var random = SeededGenerator(seed: 5)
        let keys = all(cache, limit: 10) {
            for _ in 0..<20 {
                let key = Int.random(in: 300..<600, using: &random)
                if Bool.random(using: &random) { cache.insert(1, forKey: key) } else { cache.removeValue(forKey: key) }
                cache.insert(2, forKey: Int.random(in: 0..<300, using: &random))
            }
        }
        #expect(keys.filter { $0 < 300 }.sorted() == Array(0..<300))
    }

    @Test func expiredAndNegativeEntriesDoNotCome() async throws {
        let time = ManualTicker()
        let cache = Cache<Int, Int>(configuration: .init(maximumCount: 100), ticker: time)
        cache.insert(1, forKey: 1, expiresAfter: .seconds(5))
        cache.insert(2, forKey: 2)
        #expect(all(cache, limit: 10).sorted() == [1, 2])
        time.advance(by: .seconds(5))
        #expect(all(cache, limit: 10) == [2])
        #expect(cache.statistics.hits == 0)
    }

    @Test func positionOutsideEndsTheWalk() {
        let cache = Cache<Int, Int>(maximumCount: 10)
        cache.insert(1, forKey: 1)
        for position in [(-1, 0), (0, -1), (9, 0), (0, 999)] {
            let page = cache.page(from: .init(shard: position.0, slot: position.1), limit: 10)
            #expect(page.entries.isEmpty && page.next == nil)
        }
    }

    @Test func whatLeavesIsCountedByItsCause() {
        let time = ManualTicker()
        let cache = Cache<Int, Int>(configuration: .init(maximumCount: 4), ticker: time)
        for key in 0..<4 { cache.insert(0, forKey: key, tags: key == 3 ? ["tag"] : []) }
        cache.insert(1, forKey: 0)
        #expect(cache.statistics.replacements == 1)
        cache.removeValue(forKey: 1)
        cache.removeValue(forKey: 1)
        cache.removeValues(taggedWith: "tag")
        #expect(cache.statistics.removals == 2)
        cache.insert(0, forKey: 9, expiresAfter: .seconds(1))
        time.advance(by: .seconds(1))
        cache.removeValue(forKey: 9)
        #expect(cache.statistics.removals == 2 && cache.statistics.expirations == 1)
        cache.removeAll()
        #expect(cache.statistics.removals == 4)
        for key in 0..<10 { cache.insert(0, forKey: key) }
        #expect(cache.statistics.evictions == 6 && cache.statistics.removals == 4)
    }
}
