// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A campaign that fills the disk under a store.
struct DiskFullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disk-full",
        abstract: "Fill a small file system under a store, and free it.",
        discussion: """
            A store without limits is on a file system of 24 MiB that only this process sees, together with a foreign file that grows and shrinks. \
            Writes must fail because the disk is full and for no other reason; reads go on, with right bytes; a second store is opened and closed, and another \
            process is killed while it writes; once the foreign file is gone, writes succeed without opening the store again.

            Needs Linux, `unshare` and `mount`, and root or user namespaces. Where those are missing the campaign is skipped, which is no failure.
            """
    )

    @Argument(help: "How many times the file system is filled.")
    var cases = 20

    @Option(help: ArgumentHelp("The number of the first case.", valueName: "number"))
    var first = 0

    /// The place of the small file system. The outer process gives it to the one inside the namespace.
    @Option(help: .hidden)
    var insideNamespace: String?

    @OptionGroup var options: CampaignOptions

    func run() async throws {
        guard let directory = insideNamespace else { return try enter() }
        guard let seed = options.seed else { throw ValidationError("The seed is missing.") }
        let campaign = Campaign(
            name: "disk-full",
            seed: seed,
            directory: directory,
            keepsFiles: options.keep,
            stopsAtFailure: options.stopsAtFailure
        )
        try await campaign.run { try await run(campaign) }
    }

    private func run(_ campaign: Campaign) async throws {
        let mountPoint = campaign.path("mount")
        for number in first..<first + max(cases, 1) {
            campaign.show(number + 1 - first, of: cases, "cases")
            try SmallFileSystem.mount(on: mountPoint)
            let foreign = try ForeignFile("\(mountPoint)/foreign")
            var fullDiskCase = FullDiskCase(directory: "\(mountPoint)/store", foreign: foreign, number: number, seed: campaign.seed)
            try await fullDiskCase.run()
            campaign.count("cases")
            campaign.count("writes", fullDiskCase.writeCount)
            campaign.count("writes refused", fullDiskCase.refusalCount)
            campaign.count("reads judged", fullDiskCase.readCount)
            campaign.fail("case \(number)", fullDiskCase.failures)
            // The content of the small file system disappears with this process.
            if !fullDiskCase.failures.isEmpty { try? FileTree("\(mountPoint)/store").copy(to: campaign.path("case-\(number)")) }
            foreign.remove()
            try? SmallFileSystem.unmount(mountPoint)
            if campaign.shouldStop { break }
        }
    }

    /// Starts the command again in a place where it can mount a file system.
    private func enter() throws {
        let campaign = try options.campaign("disk-full")
        let mountPoint = campaign.path("mount")
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        if let obstacle = SmallFileSystem.obstacle(mountingOn: mountPoint) { return campaign.skip(because: obstacle) }
        var arguments = [
            "disk-full", "\(cases)", "--first", "\(first)", "--seed", "\(campaign.seed)", "--inside-namespace", campaign.directory,
        ]
        if options.keep { arguments.append("--keep") }
        if options.stopsAtFailure { arguments.append("--stop-at-failure") }
        throw SmallFileSystem.enter(arguments)
    }
}
