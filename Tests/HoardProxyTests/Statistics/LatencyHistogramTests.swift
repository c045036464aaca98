// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardProxy

@Suite("LatencyHistogram")
struct LatencyHistogramTests {
    @Test func anEmptyOneIsZeroEverywhere() {
        let histogram = LatencyHistogram()
        #expect(histogram.count == 0)
        #expect(histogram.percentile(0.5) == 0)
        #expect(histogram.greatest == 0)
        #expect(histogram.since(histogram) == histogram)
    }

    @Test(arguments: [0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1])
    func percentilesAreOffByAtMostOneSixtyFourth(share: Double) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var histogram = LatencyHistogram()
        var all: [Int] = []
        for _ in 0..<Int.random(in: 1...5_000, using: &generator) {
            // From nanoseconds to minutes.
            let latency = Int.random(in: 0...(1 << Int.random(in: 1...38, using: &generator)), using: &generator)
            histogram.record(latency)
            all.append(latency)
        }
        all.sort()
        let exact = all[max(0, Int((Double(all.count) * share).rounded(.up)) - 1)]
        let found = histogram.percentile(share)
        #expect(abs(Double(found - exact)) <= Double(exact) / 64, "seed \(seed)")
        #expect(histogram.greatest == all.last)
        #expect(found <= histogram.greatest)
    }

    @Test func halvesAddUpToTheWholeAndCanBeTakenApartAgain() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var (first, second, whole) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for index in 0..<2_000 {
            let latency = Int.random(in: 0...1_000_000, using: &generator)
            whole.record(latency)
            if index < 700 { first.record(latency) } else { second.record(latency) }
        }
        var sum = first
        sum.add(second)
        #expect(sum == whole, "seed \(seed)")
        let difference = whole.since(first)
        #expect(difference.count == 1_300)
        for share in [0.1, 0.5, 0.99] { #expect(difference.percentile(share) == second.percentile(share), "seed \(seed)") }
        // The greatest value of a difference is known by its bucket only.
        #expect(abs(Double(difference.greatest - second.greatest)) <= Double(second.greatest) / 64 + 1, "seed \(seed)")
        var empty = LatencyHistogram()
        empty.add(LatencyHistogram())
        #expect(empty.count == 0)
        empty.add(whole)
        #expect(empty == whole)
    }

    @Test func impossibleLatenciesAreTakenForTheLimits() {
        var histogram = LatencyHistogram()
        histogram.record(-1)
        histogram.record(.max)
        #expect(histogram.count == 2)
        #expect(histogram.percentile(0.5) == 0)
        #expect(histogram.greatest == LatencyHistogram.maximum)
        #expect(abs(Double(histogram.percentile(1) - LatencyHistogram.maximum)) <= Double(LatencyHistogram.maximum) / 64)
    }
}
