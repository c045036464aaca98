// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import HoardProcessTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A campaign that kills a writing process again and again.
struct KillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill",
        abstract: "Kill a writing process, and look at what is left.",
        discussion: """
            Four tasks in a process of its own insert, overwrite, remove and read records of 0 bytes to 300 KiB, and close and open the store in between. \
            The process is killed within 150 ms. The store must open again, hold for each key what was acknowledged last or what was under way, and work. \
            Every second directory has limits: there records may be missing, but never stale or wrong, and the limits must hold.
            """
    )

    @Argument(help: "How many times the process is killed.")
    var rounds = 500

    @OptionGroup var options: CampaignOptions

    private static let keys = 0..<48

    func run() async throws {
        let campaign = try options.campaign("kill")
        try await campaign.run { try await run(campaign) }
    }

    private func run(_ campaign: Campaign) async throws {
        var generator = SplitMixGenerator(seed: campaign.seed)
        var site: KillSite?
        for round in 1...max(rounds, 1) {
            campaign.show(round, of: rounds, "kills")
            var current: KillSite
            if let site, !generator.chance(1, in: 12) {
                current = site
            } else {
                if let site { try await finish(site, campaign, round: round) }
                current = makeSite(campaign, round: round, limits: site?.limits == StoreLimits.none ? .small : .none)
            }
            try await kill(at: &current, campaign, &generator, round: round)
            // In some rounds the next process is the first to see what the killed one has left.
            if generator.chance(3, in: 4) || round == rounds { await check(&current, campaign, round: round) }
            site = current
            if campaign.shouldStop { break }
        }
    }

    private func makeSite(_ campaign: Campaign, round: Int, limits: StoreLimits) -> KillSite {
        campaign.count("directories")
        return KillSite(
            directory: campaign.path("store-\(round)"),
            limits: limits,
            ledger: Ledger(keys: Self.keys, mayLose: limits.mayLose)
        )
    }

    private func finish(_ site: KillSite, _ campaign: Campaign, round: Int) async throws {
        var site = site
        await check(&site, campaign, round: round)
        if !site.hasFailed { try FileManager.default.removeItem(atPath: site.directory) }
    }

    private func kill(at site: inout KillSite, _ campaign: Campaign, _ generator: inout SplitMixGenerator, round: Int) async throws {
        let worker = try WorkerProcess([
            "load-worker", "--directory", site.directory, "--seed", "\(campaign.seed)", "--round", "\(round)",
            "--keys", "\(Self.keys.count)", "--limits", site.limits.rawValue,
        ])
        // Some processes are killed while they open the store.
        let waitsForReady = generator.chance(9, in: 10)
        let delay = Duration.microseconds(Int.random(in: 0...(waitsForReady ? 150_000 : 30_000), using: &generator))
        var deadline = ContinuousClock.now + (waitsForReady ? .seconds(60) : delay)
        var isReady = !waitsForReady
        var log = WorkerLog()
        while !worker.isAtEnd && .now < deadline {
            for line in worker.nextLines(until: deadline) {
                if log.note(line, &site.ledger) == .ready && !isReady {
                    isReady = true
                    deadline = .now + delay
                }
            }
        }
        if !isReady { campaign.fail("round \(round)", "the process did not open the store within a minute") }
        let ending = worker.isAtEnd ? worker.wait() : worker.kill()
        let hadEnded = ending != .signalled(9)
        if hadEnded { campaign.fail("round \(round)", "the process \(ending)") }
        while !worker.isAtEnd {
            for line in worker.nextLines(until: .now + .seconds(10)) { log.note(line, &site.ledger) }
        }
        campaign.count("kills")
        campaign.count("acknowledged writes", log.doneCount)
        campaign.fail("round \(round), in the process", log.failures)
        site.hasFailed = site.hasFailed || !log.failures.isEmpty || hadEnded || !isReady
    }

    private func check(_ site: inout KillSite, _ campaign: Campaign, round: Int) async {
        var check = StoreCheck(directory: site.directory, keys: Self.keys, limits: site.limits)
        let failures = await check.run(&site.ledger, version: round * 1_000_000)
        campaign.count("records judged", check.readCount)
        campaign.fail("round \(round), \(site.directory)", failures)
        site.hasFailed = site.hasFailed || !failures.isEmpty
    }
}

/// A directory in which processes are killed.
private struct KillSite {
    let directory: String
    let limits: StoreLimits
    var ledger: Ledger
    var hasFailed = false
}
