// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardSimulator

/// The cache's promise against LRU while the pattern of accesses does not change.
@Suite struct StationaryAccessTests {
    enum Pattern: CaseIterable {
        case bandWithin, bandAround, bandBeyond, wideBand
        case loopWithin, loopBeyond
        case hotSetAndNews, hotSetThatHardlyFits, hotSetAndBand
    }

    /// Accesses of one pattern, one after the other.
    private struct Stream {
        let pattern: Pattern
        let capacity: Int
        var generator: SeededGenerator
        private var past: [Int] = []
        private var newest = 1 << 40

        init(_ pattern: Pattern, capacity: Int, seed: UInt64) {
            self.pattern = pattern
            self.capacity = capacity
            generator = SeededGenerator(seed: seed)
        }

        mutating func next() -> Int {
            let key = draw()
            past.append(key)
            return key
        }

        private mutating func draw() -> Int {
            switch pattern {
            case .bandWithin: again(0.5...1, 0.8)
            case .bandAround: again(0.8...1.2, 0.8)
            case .bandBeyond: again(1.2...2, 0.8)
            case .wideBand: again(0...1.5, 0.95)
            case .loopWithin: past.count % (capacity * 95 / 100)
            case .loopBeyond: past.count % (capacity * 105 / 100)
            case .hotSetAndNews: chance(0.7) ? any(capacity / 2) : new()
            case .hotSetThatHardlyFits: chance(0.9) ? any(capacity * 9 / 10) : new()
            case .hotSetAndBand: chance(0.5) ? any(capacity / 2) : again(0.3...0.6, 0.5)
            }
        }

        /// A key that was accessed a random number of accesses ago, in units of the capacity, or a new key.
        private mutating func again(_ distances: ClosedRange<Double>, _ share: Double) -> Int {
            let distance = max(1, Int(Double.random(in: distances, using: &generator) * Double(capacity)))
            return chance(share) && distance <= past.count ? past[past.count - distance] : new()
        }

        private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
        private mutating func any(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        private mutating func new() -> Int {
            newest += 1
            return newest
        }
    }

    /// Bands beyond the capacity were 6 to 11 points under LRU before the widest window kept LRU's order.
    @Test(arguments: Pattern.allCases, [512, 2_048])
    func afterThirtyCapacitiesTheCacheIsAtMostThreePointsUnderLRU(pattern: Pattern, capacity: Int) {
        for seed in UInt64(1)...3 {
            var stream = Stream(pattern, capacity: capacity, seed: seed)
            var (cache, lru) = (HoardPolicy(capacity: capacity), LRUPolicy(capacity: capacity))
            var (hits, lruHits) = (0, 0)
            for step in 0..<capacity * 60 {
                let key = UInt64(stream.next())
                let (isHit, isLRUHit) = (cache.access(key), lru.access(key))
                guard step >= capacity * 30 else { continue }
                if isHit { hits += 1 }
                if isLRUHit { lruHits += 1 }
            }
            let points = Double(hits - lruHits) * 100 / Double(capacity * 30)
            #expect(points >= -3, "\(pattern), capacity \(capacity), seed \(seed): \(points) points")
        }
    }
}
