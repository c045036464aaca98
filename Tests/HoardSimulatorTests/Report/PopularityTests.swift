// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import HoardSimulator

@Suite("Popularity", .timeLimit(.minutes(5)))
struct PopularityTests {
    @Test(arguments: UInt64(0)..<8)
    func sharesAgreeWithASortedList(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let counts = (0..<Int.random(in: 1...900, using: &generator)).map { _ in
            Int.random(in: 1...(Bool.random(using: &generator) ? 3 : 5000), using: &generator)
        }
        let sorted = counts.sorted(by: >)
        let popularity = Popularity(counts)
        #expect(popularity.keyCount == counts.count && popularity.requestCount == counts.reduce(0, +), "seed \(seed)")
        #expect(popularity.keysRequestedOnce == counts.count { $0 == 1 }, "seed \(seed)")
        for top in [0, 1, counts.count / 2, counts.count] {
            #expect(popularity.requests(ofTop: top) == sorted.prefix(top).reduce(0, +), "seed \(seed), top \(top)")
        }
        let tenth = sorted.prefix((counts.count + 9) / 10).reduce(0, +)
        #expect(abs(popularity.share(ofTop: 0.1) - Double(tenth) / Double(popularity.requestCount)) < 1e-9, "seed \(seed)")
        let ranks = popularity.ranks
        #expect(ranks.allSatisfy { sorted[$0.rank - 1] == $0.requests }, "seed \(seed)")
        #expect(ranks.map(\.rank) == Set(ranks.map(\.rank)).sorted(), "seed \(seed)")
    }

    @Test(arguments: [0.6, 0.9, 1.2])
    func theExponentOfAZipfLawIsFound(exponent: Double) throws {
        let counts = (1...20_000).map { Int(1e6 / pow(Double($0), exponent)) }.filter { $0 > 0 }
        let fit = try #require(Popularity(counts).zipfFit)
        #expect(abs(fit.exponent - exponent) < 0.02)
        #expect(fit.determination > 0.99)
        #expect(abs(fit.requests(rank: 1) / 1e6 - 1) < 0.1)
    }

    @Test func equalKeysHaveTheExponentZero() throws {
        let fit = try #require(Popularity(Array(repeating: 7, count: 500)).zipfFit)
        #expect(abs(fit.exponent) < 1e-9 && fit.determination == 1)
    }

    @Test func fewRequestsHaveNoExponent() {
        #expect(Popularity([Int]()).zipfFit == nil)
        #expect(Popularity([Int]()).ranks.isEmpty)
        #expect(Popularity([9, 8]).zipfFit == nil)
        #expect(Popularity(Array(repeating: 4, count: 100)).zipfFit == nil)
    }
}
