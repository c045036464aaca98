// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Testing

@testable import Resilience

/// The simulation itself, apart from the services that it simulates.
@Suite(.timeLimit(.minutes(5))) struct SimulationTests {
    @Test func requestsAreTheSameForTheSameSeed() {
        var scenario = Scenario()
        let requests = scenario.requests()
        #expect(requests.map(\.key) == scenario.requests().map(\.key))
        scenario.seed = 43
        #expect(requests.map(\.key) != scenario.requests().map(\.key))
    }

    @Test func requestsComeAsOftenAndAsUnevenlyAsTheScenarioSays() {
        let scenario = Scenario()
        let requests = scenario.requests()
        // The number is Poisson-distributed; four standard deviations are exceeded by one seed in ten thousand.
        let mean = scenario.requestsPerSecond * scenario.duration.seconds
        #expect(abs(Double(requests.count) - mean) < 4 * mean.squareRoot())
        #expect(requests.allSatisfy { (0..<scenario.keyCount).contains($0.key) && $0.time < scenario.duration })
        #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.time <= $1.time })
        // By Zipf's law with an exponent of 0.9 the first key is asked for 2 to the power of 0.9 times as often as the second.
        let counts = requests.reduce(into: [Int](repeating: 0, count: scenario.keyCount)) { $0[$1.key] += 1 }
        #expect(abs(Double(counts[0]) / Double(counts[1]) - 1.866) < 0.1)
    }

    @Test func phasesFollowEachOther() {
        let scenario = Scenario()
        #expect(scenario.boundaries == [.zero, .seconds(600), .seconds(1_200), .seconds(4_800), .seconds(5_400)])
        #expect([0, 599, 600, 1_200, 4_799, 4_800, 9_999].map { scenario.phase(at: .seconds($0)) } == [0, 0, 1, 2, 2, 3, 3])
    }

    @Test func quantilesAreNearestRanks() {
        let latencies = (1...100).map { Duration.milliseconds($0) }
        #expect([0, 0.5, 0.99, 1].map { latencies.quantile($0) } == [1, 50, 99, 100].map { .milliseconds($0) })
        #expect([Duration]().quantile(0.5) == .zero)
    }

    @Test func withoutACacheEveryRequestIsACallAndFailsWhenTheDatabaseDoes() async throws {
        var scenario = Scenario()
        scenario.requestsPerSecond = 2
        let run = try await play(scenario) { database, _ in ServiceWithoutCache(database: database) }
        #expect(run.calls.count == run.outcomes.count)
        let summaries = run.phaseSummaries
        #expect(summaries.map(\.failed) == [0, 0, summaries[2].requests, 0])
        #expect(summaries.allSatisfy { $0.stale == 0 })
        #expect(summaries[0].maximum < .milliseconds(26) && summaries[1].median > .milliseconds(1_500))
    }

    @Test func thePictureHasACurveForEachServiceInBothPanels() async throws {
        var scenario = Scenario()
        scenario.requestsPerSecond = 1
        let run = try await play(scenario) { database, _ in ServiceWithoutCache(database: database) }
        let picture = plot([run, run, run])
        #expect(picture.split(separator: "<polyline").count == 7)
        #expect(table([run]).split(separator: "\n").count == 6)
    }
}
