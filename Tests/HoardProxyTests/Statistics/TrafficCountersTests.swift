// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardNIO
import HoardTesting
import Testing

@testable import HoardProxy

@Suite("TrafficCounters")
struct TrafficCountersTests {
    @Test func everyRequestHasOneOutcomeOrWasRefused() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var counters = TrafficCounters()
        var expected: [AnswerReport.Outcome: Int] = [:]
        var refusals = 0
        for _ in 0..<1_000 {
            if Int.random(in: 0..<10, using: &generator) == 0 {
                counters.add(report(.invalid, status: 400, outcome: nil))
                refusals += 1
            } else {
                let outcome = AnswerReport.Outcome.allCases.randomElement(using: &generator) ?? .hit
                counters.add(report(outcome: outcome))
                expected[outcome, default: 0] += 1
            }
        }
        #expect(counters.requests == 1_000)
        #expect(counters.refusals == refusals, "seed \(seed)")
        for outcome in AnswerReport.Outcome.allCases { #expect(counters.count(outcome) == expected[outcome, default: 0], "seed \(seed)") }
        #expect(counters.hits == [AnswerReport.Outcome.hit, .staleHit, .validatedHit, .collapsedHit].reduce(0) { $0 + expected[$1, default: 0] })
    }

    @Test func statusesAreCountedByTheirFirstDigit() {
        var counters = TrafficCounters()
        for status in [100, 103, 200, 206, 304, 404, 499, 500, 599, 0, 600, -1, 99] {
            counters.add(report(status: status, outcome: .miss, tier: .origin))
        }
        #expect((0...5).map(counters.count(statusClass:)) == [4, 2, 2, 1, 2, 2])
        #expect(counters.errors == 3)
        #expect(counters.count(statusClass: 9) == 0)
    }

    @Test func errorsAreFailuresAndStatusesFrom500OnOnceEach() {
        var counters = TrafficCounters()
        counters.add(report(status: 502, outcome: .failure, tier: .none))
        counters.add(report(status: 404, outcome: .failure, tier: .none))
        counters.add(report(status: 500, outcome: nil))
        counters.add(report(status: 400, outcome: nil))
        #expect(counters.errors == 3)
    }

    @Test func bytesAreTheOriginsOrSaved() {
        var counters = TrafficCounters()
        counters.add(report(bytes: 1, outcome: .hit, tier: .memory))
        counters.add(report(bytes: 10, outcome: .staleHit, tier: .store))
        counters.add(report(bytes: 100, outcome: .miss, tier: .origin))
        counters.add(report(bytes: 1_000, outcome: .collapsedHit, tier: .origin))
        counters.add(report(bytes: 10_000, outcome: .generated, tier: .none))
        counters.add(report(bytes: -5, outcome: .hit))
        #expect(counters.bytesServed == 11_111)
        #expect(counters.bytesFromOrigin == 100)
        #expect(counters.bytesSaved == 1_011)
    }

    @Test func differencesAreWhatHappenedBetween() {
        var counters = TrafficCounters()
        counters.add(report())
        let before = counters
        counters.add(report(status: 500, bytes: 7, outcome: .miss, tier: .origin))
        let difference = counters - before
        #expect(difference.requests == 1 && difference.errors == 1 && difference.bytesFromOrigin == 7 && difference.hits == 0)
        #expect(before + difference == counters)
    }
}
