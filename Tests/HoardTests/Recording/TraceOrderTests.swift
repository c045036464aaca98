// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite("TraceOrder", .timeLimit(.minutes(5)))
struct TraceOrderTests {
    /// A part that the buffer of a feed hands over. It holds the hashes of accesses, which are
    /// their numbers, by tick.
    private static func part(_ feed: UInt64, _ accesses: [(tick: UInt64, numbers: [UInt64])]) -> (feed: UInt64, words: [UInt64]) {
        let words = accesses.flatMap { access in
            [access.tick << 4 | AccessBuffer.tickMark] + access.numbers.map { $0 << 4 }
        }
        return (feed, words)
    }

    private static func order(_ parts: [(feed: UInt64, words: [UInt64])]) -> TraceOrder {
        var words: [UInt64] = []
        let places = parts.map { part in
            words += part.words
            return TraceOrder.Part(feed: part.feed, words: words.count - part.words.count..<words.count)
        }
        return TraceOrder(words, places)
    }

    private static func numbers(_ parts: [(feed: UInt64, words: [UInt64])]) -> [UInt64] {
        var numbers: [UInt64] = []
        order(parts).forEach { _, hash, _, _ in numbers.append(hash >> 4) }
        return numbers
    }

    @Test func ticksComeInOrder() {
        #expect(Self.numbers([Self.part(1, [(3, [30]), (7, [70])]), Self.part(2, [(1, [10]), (5, [50])])]) == [10, 30, 50, 70])
    }

    @Test func accessesOfATickAreMixedEvenly() {
        let mixed = Self.numbers([Self.part(1, [(0, [1, 2])]), Self.part(2, [(0, [11, 12, 13, 14])])])
        #expect(mixed == [1, 11, 12, 2, 13, 14])
    }

    @Test func accessesOfAFeedKeepTheirOrderOverItsParts() {
        let numbers = Self.numbers([Self.part(1, [(0, [1, 2])]), Self.part(2, [(0, [9])]), Self.part(1, [(0, [3, 4])])])
        #expect(numbers.filter { $0 < 9 } == [1, 2, 3, 4])
    }

    @Test(arguments: 0..<50)
    func randomFeedsLoseNothingAndKeepTheirOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var next: [UInt64: UInt64] = [:]
        var ticks: [UInt64: UInt64] = [:]
        var parts: [(feed: UInt64, words: [UInt64])] = []
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let feed = UInt64.random(in: 1...4, using: &generator)
            var words: [UInt64] = []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let tick = ticks[feed, default: 0] + UInt64.random(in: 0...2, using: &generator)
                ticks[feed] = tick
                words.append(tick << 4 | AccessBuffer.tickMark)
                for _ in 0..<Int.random(in: 0...30, using: &generator) {
                    next[feed, default: 0] += 1
                    let hasDetails = Bool.random(using: &generator)
                    words.append((feed << 32 | next[feed, default: 0]) << 4 | (hasDetails ? AccessBuffer.detailsMark : 0))
                    if hasDetails { words += [AccessBuffer.tickMark, .max, .max] }
                }
            }
            parts.append((feed, words))
        }
        var last: [UInt64: UInt64] = [:]
        var lastTick: UInt64 = 0
        Self.order(parts).forEach { _, hash, tick, details in
            let (feed, number) = (hash >> 36, hash >> 4 & 0xffff_ffff)
            #expect(number == last[feed, default: 0] + 1, "seed \(seed)")
            last[feed] = number
            #expect(tick >= lastTick, "seed \(seed)")
            lastTick = tick
            if let details { #expect(details.size == 7, "seed \(seed)") }
        }
        #expect(last == next.filter { $0.value > 0 }, "seed \(seed)")
    }
}
