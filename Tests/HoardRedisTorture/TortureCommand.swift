// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// Campaigns and measurements of the shared tier, with several processes.
@main
struct TortureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HoardRedisTorture",
        abstract: "Lets processes share a cache through Redis, breaks what can break, and judges every value they read.",
        discussion: "Scripts/coherence builds this tool in release and runs it; its header says what is promised and judged.",
        subcommands: [
            CoherenceCommand.self, DelayCommand.self, StampedeCommand.self, TrackingCommand.self,
            CoherenceWorkerCommand.self, DelayWorkerCommand.self, StampedeWorkerCommand.self,
        ]
    )
}
