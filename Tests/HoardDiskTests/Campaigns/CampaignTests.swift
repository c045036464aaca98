// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Short forms of the fault campaigns. `Scripts/campaign` runs them at length.
@Suite struct CampaignTests {
    /// A campaign that was run to its end.
    private struct Run {
        let status: Int32
        let output: String
        let errors: String

        /// For the message of a failed check: what the campaign has to say, the seed among it.
        var report: Comment { "\(output)\(errors)" }
    }

    /// Runs the executable beside the test bundle.
    private func run(_ arguments: String...) async throws -> Run {
        let executable = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("HoardDiskTorture")
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let output = try TemporaryFile()
        let errors = try TemporaryFile()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.handle
        process.standardError = errors.handle
        let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { process in
                continuation.resume(returning: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Run(status: status, output: try output.text(), errors: try errors.text())
    }

    @Test func aKilledProcessLosesNothingThatWasAcknowledged() async throws {
        let run = try await run("kill", "8")
        #expect(run.status == 0, run.report)
        #expect(run.output.contains(" 8 kills,"), run.report)
    }

    @Test func noDamageCrashesTheProcessOrGivesWrongBytes() async throws {
        let run = try await run("corruption", "60")
        #expect(run.status == 0, run.report)
        #expect(run.output.contains(" 60 cases,"), run.report)
    }

    @Test func aLossOfPowerLeavesWhatTheStoreOnceHeld() async throws {
        let run = try await run("power-loss", "20")
        #expect(run.status == 0, run.report)
        #expect(run.output.contains(" 20 cases,"), run.report)
    }

    @Test func aFullDiskIsReportedAndRecoveredFrom() async throws {
        let run = try await run("disk-full", "1")
        #expect(run.status == 0, run.report)
        #expect(run.output.contains(" 1 cases,") || run.output.contains("disk-full: skipped, because"), run.report)
    }

    @Test func processesThatShareADirectoryNeverReadWhatIsOutdated() async throws {
        let run = try await run("shared", "2")
        #expect(run.status == 0, run.report)
        #expect(run.output.contains(" 2 directories,"), run.report)
    }

    @Test func aCampaignThatFindsSomethingWrongFailsAndKeepsItsFiles() async throws {
        // A file where the store's directory should be: no process can open a store there.
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-campaign-\(UUID().uuidString)")
        try Data("not a directory".utf8).write(to: directory)
        defer { try? FileManager.default.removeItem(at: directory) }
        let run = try await run("kill", "1", "--directory", directory.path)
        #expect(run.status != 0, run.report)
        #expect(!run.output.contains("0 failures"), run.report)
    }
}

/// A file that takes a process's output, and goes at once: nothing waits for whoever else has it open.
private final class TemporaryFile {
    let handle: FileHandle
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("hoard-campaign-\(UUID().uuidString).txt")
        try Data().write(to: url)
        handle = try FileHandle(forUpdating: url)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func text() throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
}
