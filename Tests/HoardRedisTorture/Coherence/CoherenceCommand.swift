// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import HoardRedisTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The coherence campaign.
struct CoherenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coherence",
        abstract: "Processes read and invalidate the same keys, while connections, processes and the server are broken; no read may be outdated."
    )

    @Option(help: "How long.") var minutes = 5.0
    @Option(help: "How long, in seconds; instead of minutes.") var seconds: Double?
    @Option(help: "Repeat the choices of a run: the seed from its summary. By default a random one.") var seed: UInt64?
    @Option(help: "How many processes.") var processes = 4
    @Option(help: "Milliseconds after which memory must have heard of an invalidation while nothing is broken.") var window = 500
    @Option(
        help:
            "Milliseconds after which it must have where something is broken. By default the heartbeat's interval and timeout, and half a second for the machine."
    )
    var disturbedWindow: Int?
    @Flag(help: "Break nothing.") var calm = false
    @Flag(help: "Do without tracking: violations must be found.") var untracked = false
    @Flag(help: "Keep the logs even if nothing was wrong.") var keep = false

    func validate() throws {
        guard processes >= 1, processes <= 16 else { throw ValidationError("--processes must be from 1 to 16.") }
    }

    func run() async throws {
        if let reason = RedisServer.unavailableReason { return print("coherence: skipped, because it \(reason)") }
        let seed = seed ?? .random(in: 1...UInt64(UInt32.max))
        let duration = seconds ?? minutes * 60
        let directory = try makeRunDirectory("coherence")
        let plan = CoherenceCampaign.Plan(
            processes: processes,
            seconds: duration,
            seed: seed,
            faultInterval: calm ? nil : 300...2_000,
            isTracked: !untracked
        )
        let documented = CampaignCache.heartbeatInterval + CampaignCache.heartbeatTimeout
        let disturbed = disturbedWindow ?? Int(documented / .milliseconds(1)) + 500
        let windows = CoherenceChecker.Windows(
            normal: MonotonicTime.milliseconds(window),
            disturbed: MonotonicTime.milliseconds(max(window, disturbed)),
            settling: MonotonicTime.milliseconds(1_500)
        )
        let campaign = try await CoherenceCampaign(plan, directory: directory)
        let verdict = try await campaign.run(windows: windows) { _ in }
        let isRight = verdict.violationCount == 0 && campaign.failures.isEmpty
        report(verdict, campaign, seed, duration)
        if isRight && !keep { try FileManager.default.removeItem(atPath: directory) } else { print("coherence: the logs are in \(directory)") }
        if !isRight { throw ExitCode.failure }
    }

    private func report(_ verdict: CoherenceChecker.Verdict, _ campaign: CoherenceCampaign, _ seed: UInt64, _ duration: Double) {
        for failure in campaign.failures { print("coherence: \(failure)") }
        for violation in verdict.violations { print("coherence: \(violation)") }
        let faults = Fault.allCases.compactMap { fault in campaign.faultCounts[fault].map { "\($0) \(fault)" } }
        if !faults.isEmpty { print("coherence: faults: \(faults.joined(separator: ", "))") }
        print("coherence: \(verdict.delays.count) reads of memory were late: \(Percentiles(verdict.delays))")
        print("coherence: \(verdict.disturbedDelays.count) were late near faults: \(Percentiles(verdict.disturbedDelays))")
        print(
            "coherence: \(processes) processes, \(verdict.readCounts[.near] ?? 0) reads of memory, \(verdict.readCounts[.direct] ?? 0) of the store or by a load, "
                + "\(verdict.invalidationCount) invalidations acknowledged, \(verdict.deferredCount) of them later, \(verdict.violationCount) violations "
                + "(seed \(seed), \(Int(duration)) s)"
        )
    }
}
