// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The fault campaigns of the disk store.
@main
struct TortureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "HoardDiskTorture",
        abstract: "Kills, fills, damages and shares disk stores, and judges every byte they give back.",
        discussion: """
            A campaign repeats one kind of fault many times. What a record holds is a function of its key and version, so whatever a store \
            returns can be judged: it must be what was acknowledged last, or what was under way when the fault came.

            Scripts/campaign builds this tool in release and runs it:
              Scripts/campaign kill 500              kill a writing process 500 times, and look at what is left
              Scripts/campaign disk-full 20          fill a small file system, free it, 20 times
              Scripts/campaign corruption 2000       damage the files of a store in 2000 ways
              Scripts/campaign power-loss 200        lose the last writes of the log and of payload files
              Scripts/campaign shared 60             three processes on one directory for 60 seconds, killed now and then

            The last line of standard output is a summary with the seed. Failures, and the progress if standard error is a terminal, go to standard error. \
            The exit code is 0 if nothing was wrong, 1 if something was; then the directory is kept. Give the seed to --seed to repeat a run: \
            damage is the same each time, the moments of kills are not exactly.
            """,
        subcommands: [
            KillCommand.self, DiskFullCommand.self, CorruptionCommand.self, PowerLossCommand.self, SharedCommand.self,
            LoadWorkerCommand.self, FixtureCommand.self, DamageWorkerCommand.self, SharedWorkerCommand.self,
        ]
    )
}
