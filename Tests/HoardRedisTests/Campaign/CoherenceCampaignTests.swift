// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
import HoardRedisTestSupport
import Testing

/// Short forms of the campaigns of the shared tier. `Scripts/coherence` runs them at length.
@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(5)), .serialized)
struct CoherenceCampaignTests {
    /// Runs a campaign to its end. The message of a failed check has its output, with the seed.
    private func run(_ arguments: String...) async throws -> (ending: ChildProcess.Ending, output: String) {
        try await ChildProcess.run(tool: "HoardRedisTorture", arguments)
    }

    @Test func processesThatShareACacheNeverReadWhatIsOutdated() async throws {
        // The machine may have other things to do: here only results count that are never right.
        let run = try await run("coherence", "--seconds", "4", "--calm", "--processes", "3", "--window", "3000")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 0 violations"), "\(run.output)")
    }

    @Test func norDoTheyWhenThingsBreak() async throws {
        let run = try await run("coherence", "--seconds", "12", "--processes", "3", "--window", "3000", "--disturbed-window", "5000")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 0 violations"), "\(run.output)")
        #expect(run.output.contains("faults:"), "\(run.output)")
    }

    @Test func withoutTrackingTheCampaignFindsViolations() async throws {
        let run = try await run("coherence", "--seconds", "5", "--calm", "--untracked", "--processes", "3", "--window", "100")
        #expect(run.ending == .exited(1), "\(run.output)")
        #expect(!run.output.contains(" 0 violations"), "\(run.output)")
    }

    @Test func aColdKeyThatAllProcessesWantIsLoadedOnce() async throws {
        let run = try await run("stampede", "--processes", "3", "--tasks", "300", "--rounds", "3")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(": 3 loads, at most 1 of one key, 0 wrong"), "\(run.output)")
    }

    @Test func whatIsInvalidatedSoonLeavesTheMemoryOfOthers() async throws {
        let run = try await run("delay", "--rounds", "30")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains("delay: 30 removals"), "\(run.output)")
    }
}
