// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A campaign that damages copies of a few stores in many ways. It works in batches, each in its own process.
struct DamageCampaign {
    let campaign: Campaign
    let plan: FaultPlan
    /// The number of the first case, so that one case can be repeated.
    let first: Int
    let count: Int

    private static let batchSize = 50
    private static let maximumKeptCount = 20
    /// This number does not depend on the number of cases, so that one case can be repeated alone.
    private static let fixtureCount = 6

    private var keptCount = 0
    /// The number of failures before the present case.
    private var failuresBefore = 0

    init(campaign: Campaign, plan: FaultPlan, first: Int, count: Int) {
        self.campaign = campaign
        self.plan = plan
        self.first = first
        self.count = count
    }

    mutating func run() throws {
        for number in 0..<Self.fixtureCount {
            try Fixture.make(campaign, number: number, ending: plan.endings[number % plan.endings.count])
        }
        var next = first
        while next < first + count && !campaign.shouldStop {
            next = try runBatch(from: next, to: min(next + Self.batchSize, first + count))
        }
    }

    /// Returns the case after the last one that ran. If the process crashed, that is the case after the crash.
    private mutating func runBatch(from start: Int, to end: Int) throws -> Int {
        let worker = try WorkerProcess([
            "damage-worker", "--directory", campaign.directory, "--seed", "\(campaign.seed)", "--first", "\(start)", "--count", "\(end - start)",
            "--fixtures", "\(Self.fixtureCount)", "--plan", plan.rawValue,
        ])
        var current = start
        var isRunning = false
        while !worker.isAtEnd {
            let deadline = ContinuousClock.now + .seconds(60)
            let lines = worker.nextLines(until: deadline)
            if lines.isEmpty && !worker.isAtEnd && deadline <= .now {
                _ = worker.kill()
                try stopped(current, "the process said nothing for a minute")
                return current + 1
            }
            for line in lines {
                let line = DamageLine(line)
                if case .started(let number) = line { current = number }
                if case .ended = line { isRunning = false } else { isRunning = true }
                note(line, of: current)
            }
        }
        let ending = worker.wait()
        guard isRunning || ending != .exited(0) else { return end }
        try stopped(current, "the process \(ending)")
        return current + 1
    }

    private mutating func note(_ line: DamageLine?, of number: Int) {
        switch line {
        case .started: failuresBefore = campaign.failureCount
        case .failed(let what): campaign.fail("case \(number)", what)
        case .fault(let what): campaign.remark("case \(number)", what)
        case nil: campaign.fail("case \(number)", "a line that means nothing")
        case .ended(let faults, let reads, let survivors, let refused):
            campaign.count("cases")
            campaign.count("faults", faults)
            campaign.count("reads judged", reads)
            campaign.count("records survived", survivors)
            campaign.count("stores refused", refused ? 1 : 0)
            campaign.show(number + 1 - first, of: count, "cases")
            if campaign.failureCount > failuresBefore { failed(number) }
        }
    }

    /// Keeps only the files of the first cases that failed, because memory and disks are limited.
    private mutating func failed(_ number: Int) {
        keptCount += 1
        if keptCount <= Self.maximumKeptCount { return }
        for suffix in ["", "-before"] { try? FileManager.default.removeItem(atPath: path(number) + suffix) }
    }

    /// Notes that the process ended in the middle of a case, with the faults and the input of the case.
    private mutating func stopped(_ number: Int, _ how: String) throws {
        campaign.count("cases")
        campaign.fail("case \(number)", how)
        let fixture = try Fixture(campaign.directory, number: number % Self.fixtureCount)
        let damageCase = DamageCase(number: number, fixture: fixture, plan: plan, seed: campaign.seed, directory: path(number))
        for fault in damageCase.faults { campaign.remark("case \(number)", fault.description) }
        try damageCase.prepare(path(number) + "-before")
        failed(number)
    }

    private func path(_ number: Int) -> String { campaign.path("case-\(number)") }
}
