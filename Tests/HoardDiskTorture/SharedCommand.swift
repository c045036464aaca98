// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A campaign that shares a store between processes.
struct SharedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared",
        abstract: "Use one directory from three processes, and kill one now and then.",
        discussion: """
            Each key has one task in one process that writes it; all tasks read all keys. Every read must find a version between the last one that was \
            acknowledged when the read began and the last one that was begun when it ended. Every second directory has limits, which must hold at any time. \
            One of the processes is killed and started again every second or so.
            """
    )

    @Argument(help: "For how many seconds.")
    var seconds = 60

    @OptionGroup var options: CampaignOptions

    /// The time for which one directory is used.
    private static let secondsPerDirectory = 5.0

    func run() async throws {
        let campaign = try options.campaign("shared")
        try await campaign.run { try await run(campaign) }
    }

    private func run(_ campaign: Campaign) async throws {
        let total = Double(max(seconds, 1))
        // There are at least two directories: one with limits and one without.
        let count = max(2, Int((total / Self.secondsPerDirectory).rounded()))
        let start = ContinuousClock.now
        for number in 0..<count {
            let before = campaign.failureCount
            let site = SharedSite(
                campaign: campaign,
                number: number,
                limits: number % 2 == 0 ? .none : .small,
                duration: .seconds(total) / count
            )
            campaign.count("directories")
            try await site.run { campaign.show(Int((.now - start) / .seconds(1)), of: seconds, "seconds") }
            if campaign.failureCount == before { try? FileManager.default.removeItem(atPath: campaign.path("store-\(number)")) }
            if campaign.shouldStop { break }
        }
    }
}
