// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct FrequencySketchTests {
    @Test(arguments: HashPattern.allCases)
    func estimatesAreNeverTooLowBeforeTheFirstHalving(_ pattern: HashPattern) {
        var generator = SeededGenerator(seed: 1)
        var sketch = FrequencySketch(capacity: 64, ofTotal: 64)
        var counts: [UInt32: Int] = [:]
        for _ in 0..<(64 * 20 - 1) {
            // A few keys are frequent, and most are not.
            let key = Int.random(in: 0...Int.random(in: 0..<200, using: &generator), using: &generator)
            sketch.add(pattern.hash(key))
            counts[pattern.hash(key), default: 0] += 1
        }
        for (hash, count) in counts {
            let estimate = sketch.estimate(hash)
            #expect(estimate >= min(15, count) && estimate <= 15, "\(pattern), hash \(hash)")
        }
    }

    @Test func keysNeverSeenAreEstimatedAsZeroInAnEmptySketch() {
        let sketch = FrequencySketch(capacity: 100, ofTotal: 100)
        for hash in [0, 1, 0x7FFF_FFFF, 0x8000_0000, .max] as [UInt32] { #expect(sketch.estimate(hash) == 0) }
    }

    @Test func countersStopAt15AndLeaveTheirNeighboursAlone() {
        var sketch = FrequencySketch(capacity: 1_000, ofTotal: 1_000)
        let frequent: [UInt32] = [0, .max, 0x1234_5678]
        for hash in frequent {
            for times in 1...1_000 {
                sketch.add(hash)
                if times % 100 == 0 || times < 20 { #expect(sketch.estimate(hash) == min(15, times)) }
            }
        }
        let others = (0..<10_000).map { HashPattern.spread.hash($0) }.filter { !frequent.contains($0) }
        #expect(others.allSatisfy { sketch.estimate($0) == 0 })
    }

    @Test func countersAreHalvedAfter20AdditionsPerEntry() {
        var sketch = FrequencySketch(capacity: 1_000, ofTotal: 1_000)
        let counts: [UInt32: Int] = [1: 1, 2: 6, 3: 13, 4: 15, 5: 40]
        for (hash, count) in counts { for _ in 0..<count { sketch.add(hash) } }
        let added = counts.values.reduce(0, +)
        // One key takes up the rest of the additions.
        for _ in 0..<(20_000 - added - 1) { sketch.add(.max) }
        for (hash, count) in counts { #expect(sketch.estimate(hash) == min(15, count)) }
        sketch.add(.max)
        for (hash, count) in counts { #expect(sketch.estimate(hash) == min(15, count) / 2) }
        #expect(sketch.estimate(.max) == 7)
        // The next halving comes after the same number of additions.
        for _ in 0..<19_999 { sketch.add(.max) }
        #expect(sketch.estimate(4) == 7)
        sketch.add(.max)
        for (hash, count) in counts { #expect(sketch.estimate(hash) == min(15, count) / 4) }
    }

    @Test(arguments: 0...3)
    func smallSketchesWork(capacity: Int) {
        var sketch = FrequencySketch(capacity: capacity, ofTotal: capacity)
        let period = max(16, capacity * 20)
        for times in 1..<period {
            sketch.add(.max)
            #expect(sketch.estimate(.max) == min(15, times))
        }
        sketch.add(.max)
        #expect(sketch.estimate(.max) == 7)
        #expect(sketch.byteCount <= 64)
    }

    @Test func severalAdditionsAtOnceAreLimited() {
        var sketch = FrequencySketch(capacity: 100, ofTotal: 100)
        sketch.add(1, times: 3)
        sketch.add(2, times: 0)
        sketch.add(3, times: -5)
        sketch.add(4, times: .max)
        #expect([1, 2, 3, 4].map { sketch.estimate($0) } == [3, 0, 0, 15])
    }

    /// Four rows of eight counters for each entry: the mean error is small even for ten times as many keys as the cache holds.
    @Test(arguments: [false, true])
    func estimatesAreCloseToTheTruth(isSkewed: Bool) {
        for seed in UInt64(0)..<3 {
            var generator = SeededGenerator(seed: seed)
            var sketch = FrequencySketch(capacity: 500, ofTotal: 500)
            var counts = Array(repeating: 0, count: 5_000)
            for _ in 0..<9_999 {
                let share = Double.random(in: 0..<1, using: &generator)
                let key = Int(5_000 * (isSkewed ? share * share * share : share))
                counts[key] += 1
                sketch.add(HashPattern.spread.hash(key))
            }
            let error = counts.indices.reduce(0) { $0 + sketch.estimate(HashPattern.spread.hash($1)) - min(15, counts[$1]) }
            #expect(error >= 0)
            #expect(Double(error) / 5_000 < (isSkewed ? 0.2 : 0.4), "seed \(seed)")
        }
    }

    @Test func memoryStaysWithinItsBound() {
        for capacity in [0, 1, 2, 3, 7, 100, 1_000, 32_768] {
            for total in [capacity, 1 << 15, 1 << 16, 1 << 19, 1 << 20] where total >= capacity {
                let perEntry = FrequencySketch.countersPerEntry(forCapacity: total)
                let sketch = FrequencySketch(capacity: capacity, ofTotal: total)
                #expect(sketch.byteCount <= 2 * perEntry * capacity + 64, "\(capacity) of \(total)")
                #expect(sketch.byteCount >= 2 * perEntry * capacity)
            }
        }
        #expect(
            [0, 1 << 16, 1 << 16 + 1, 1 << 18, 1 << 18 + 1, .max].map { FrequencySketch.countersPerEntry(forCapacity: $0) } == [8, 8, 4, 4, 2, 2]
        )
    }
}
