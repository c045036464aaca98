// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// A campaign that damages the files of stores at random.
struct CorruptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corruption",
        abstract: "Damage the files of a store at random.",
        discussion: """
            Some stores are made, closed or killed before the log was folded into the database. For each case a copy gets one to eight faults: flipped bits and \
            bytes, blocks of zeros or noise, truncation, extension, deleted files, swapped payloads; in the database, its log and index, payload files and the \
            lock. Every read must be a miss or the right bytes, of an older version only if the log was damaged; then everything is written, \
            read, closed and read again. Cases run in processes of their own, so that a crash is found and known by its case.

            To repeat one case: corruption 1 --first 1234 --seed 42
            """
    )

    @Argument(help: "How many stores are damaged.")
    var cases = 2000

    @Option(help: ArgumentHelp("The number of the first case.", valueName: "number"))
    var first = 0

    @OptionGroup var options: CampaignOptions

    func run() async throws {
        let campaign = try options.campaign("corruption", inMemory: true)
        var damages = DamageCampaign(campaign: campaign, plan: .corruption, first: first, count: max(cases, 1))
        try await campaign.run { try damages.run() }
    }
}

/// A campaign in which the last writes are lost.
struct PowerLossCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power-loss",
        abstract: "Lose the last writes of the log and of payload files, as far as that can be simulated.",
        discussion: """
            From stores whose process was killed: the log is cut at a random byte, or its last frames are zeros or noise; payload files written last are empty, \
            cut, or have blocks of zeros; the log's index is deleted. The store must open without setting the database aside, hold what it held \
            at some moment before, but for payloads that were lost, and work.

            To repeat one case: power-loss 1 --first 123 --seed 42
            """
    )

    @Argument(help: "How many stores are damaged.")
    var cases = 200

    @Option(help: ArgumentHelp("The number of the first case.", valueName: "number"))
    var first = 0

    @OptionGroup var options: CampaignOptions

    func run() async throws {
        let campaign = try options.campaign("power-loss", inMemory: true)
        var damages = DamageCampaign(campaign: campaign, plan: .powerLoss, first: first, count: max(cases, 1))
        try await campaign.run { try damages.run() }
    }
}
