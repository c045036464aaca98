// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardProcessTestSupport
import Testing

/// Short forms of the fault campaigns. `Scripts/campaign` runs them at length.
@Suite struct CampaignTests {
    /// Runs a campaign to its end. The message of a failed check has its output, with the seed.
    private func run(_ arguments: String...) async throws -> (ending: ChildProcess.Ending, output: String) {
        try await ChildProcess.run(tool: "HoardDiskTorture", arguments)
    }

    @Test func aKilledProcessLosesNothingThatWasAcknowledged() async throws {
        let run = try await run("kill", "8")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 8 kills,"), "\(run.output)")
    }

    @Test func noDamageCrashesTheProcessOrGivesWrongBytes() async throws {
        let run = try await run("corruption", "60")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 60 cases,"), "\(run.output)")
    }

    @Test func aLossOfPowerLeavesWhatTheStoreOnceHeld() async throws {
        let run = try await run("power-loss", "20")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 20 cases,"), "\(run.output)")
    }

    @Test func aFullDiskIsReportedAndRecoveredFrom() async throws {
        let run = try await run("disk-full", "1")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 1 cases,") || run.output.contains("disk-full: skipped, because"), "\(run.output)")
    }

    @Test func processesThatShareADirectoryNeverReadWhatIsOutdated() async throws {
        let run = try await run("shared", "2")
        #expect(run.ending == .exited(0), "\(run.output)")
        #expect(run.output.contains(" 2 directories,"), "\(run.output)")
    }

    @Test func aCampaignThatFindsSomethingWrongFailsAndKeepsItsFiles() async throws {
        // A file in the place of the store's directory: no process can open a store there.
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-campaign-\(UUID().uuidString)")
        try Data("not a directory".utf8).write(to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let run = try await run("kill", "1", "--directory", directory.path)
        #expect(run.ending != .exited(0), "\(run.output)")
        #expect(!run.output.contains("0 failures"), "\(run.output)")
    }
}
