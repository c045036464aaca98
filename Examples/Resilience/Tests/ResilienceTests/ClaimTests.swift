// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import Resilience

/// The claims of the README about Hoard.
@Suite(.timeLimit(.minutes(5))) struct ClaimTests {
    /// The run of the README, which takes a second or two, once for all tests.
    private static let readmeRun = Task { try await play(Scenario(), makeService: makeService) }

    private static let makeService: @Sendable (Database, ManualTicker) -> any Service = { ServiceWithHoard(database: $0, time: $1) }

    @Test func noCallerFailsOrWaitsWhileTheDatabaseIsSlowOrFails() async throws {
        let summaries = try await Self.readmeRun.value.phaseSummaries
        #expect(summaries.map(\.failed) == [0, 0, 0, 0])
        #expect(summaries[2].stale > summaries[2].requests * 9 / 10)
        #expect(summaries[2].maximum <= .milliseconds(100))
        #expect(summaries[1].p99 <= .milliseconds(100) && summaries[1].median == .zero)
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func onlyRowsThatNobodyHasEverHadFail(seed: UInt64) async throws {
        var scenario = Scenario(seed: seed)
        scenario.requestsPerSecond = 2
        scenario.keyCount = 1_000
        let summaries = try await play(scenario, makeService: Self.makeService).phaseSummaries
        // With so few requests some rows are asked for in the outage for the first time; the test would be idle otherwise.
        #expect(summaries[2].failedUnknown > 0, "seed \(seed)")
        #expect(summaries.allSatisfy { $0.failed == $0.failedUnknown }, "seed \(seed)")
    }

    @Test func aFailingDatabaseIsAskedForARowNoMoreOftenThanThePolicySays() async throws {
        let run = try await Self.readmeRun.value
        let calls = Dictionary(grouping: run.calls.filter { $0.phase == 2 }, by: \.key)
        #expect(calls.count > 250)
        for (key, calls) in calls {
            for (earlier, later) in zip(calls, calls.dropFirst()) {
                #expect(later.time - earlier.time >= ServiceWithHoard.policy.retryAfterFailure, "key \(key)")
            }
        }
    }

    @Test func halfAMinuteAfterTheOutageNobodyGetsARowFromBefore() async throws {
        let run = try await Self.readmeRun.value
        // The last failing call may have begun just before the end of the outage, and takes 1.25 seconds at most.
        let settled = run.scenario.boundaries[3] + ServiceWithHoard.policy.retryAfterFailure + .seconds(2)
        let late = run.outcomes.filter { $0.time >= settled }
        #expect(late.count > 5_000)
        let limit = freshFor + ServiceWithHoard.policy.staleWhileRevalidate
        #expect(late.allSatisfy { $0.age.map { $0 <= limit } ?? false })
    }

    @Test func theSameSeedGivesTheSameRun() async throws {
        var scenario = Scenario()
        scenario.requestsPerSecond = 1
        let first = try await play(scenario, makeService: Self.makeService).phaseSummaries
        #expect(try await play(scenario, makeService: Self.makeService).phaseSummaries == first)
        scenario.seed += 1
        #expect(try await play(scenario, makeService: Self.makeService).phaseSummaries != first)
    }

    @Test func theReadmeShowsThePolicy() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let source = try String(contentsOf: root.appendingPathComponent("Sources/Resilience/ServiceWithHoard.swift"), encoding: .utf8)
        let block = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
        let lines = block.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.count > 5)
        for line in lines { #expect(source.contains(line), "not in the source: \(line)") }
    }
}
