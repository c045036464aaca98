// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
import HoardDisk

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A command that makes a store with known content. It leaves the store closed, or as a killed process leaves it.
struct FixtureCommand: AsyncParsableCommand {
    enum Ending: String, ExpressibleByArgument, CaseIterable {
        /// Everything is in the database.
        case closed
        /// Everything may still be in the log.
        case killed
        /// Some records are in the database, and the log has newer versions of some of these.
        case reopenedAndKilled

        var leavesLog: Bool { self != .closed }
    }

    static let configuration = CommandConfiguration(
        commandName: "fixture",
        abstract: "Makes a store to be damaged, and says so line by line.",
        shouldDisplay: false
    )

    static let keys = 0..<12
    /// The greatest length of a payload. It is enough for a payload to have its own file, and the store
    /// can still be copied in a millisecond.
    static let maximumByteCount = 80 << 10

    @Option var directory: String
    @Option var seed: UInt64
    @Option var number: Int
    @Option var ending: Ending

    func run() async throws {
        let output = LineWriter()
        var generator = SplitMixGenerator(seed: seed, part: number)
        var tasks = (0..<Content.ownerCount).map { owner in
            var task = LoadTask(owner: owner, keys: Self.keys, limits: .none, seed: seed, round: number + 1)
            task.output = output
            task.maximumByteCount = Self.maximumByteCount
            return task
        }
        let damage = DamageRecorder()
        var store = try damage.open(directory, limits: .none)
        // The command does one operation at a time, so that their order in the log is known.
        for step in 0..<60 {
            if step == 40 && ending == .reopenedAndKilled {
                await store.close()
                store = try damage.open(directory, limits: .none)
            }
            await tasks[Int.random(in: 0..<tasks.count, using: &generator)].step(on: store)
        }
        guard !ending.leavesLog else {
            kill(getpid(), SIGKILL)
            return
        }
        await store.close()
    }
}
