// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
import HoardDisk

/// The command of one of the processes that share a store.
struct SharedWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shared-worker",
        abstract: "Writes its keys and reads everybody's for some time.",
        shouldDisplay: false
    )

    static let keyCount = 45
    static let workerCount = 3
    private static let taskCount = 3

    @Option var directory: String
    @Option var progress: String
    @Option var seed: UInt64
    /// The number of the worker, and the number of times that it has been started.
    @Option var worker: Int
    @Option var start: Int
    @Option var milliseconds: Int
    @Option var limits: StoreLimits

    func run() async throws {
        let output = LineWriter()
        let progress = try SharedProgress(progress, keyCount: Self.keyCount)
        let damage = DamageRecorder()
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        output.write(LoadLine.ready.description)
        var session = 0
        while .now < end {
            session += 1
            do throws(StoreError) {
                let store = try damage.open(directory, limits: limits)
                let readCount = await load(store, progress, session: session, until: min(end, .now + .milliseconds(700)), output)
                output.write(LoadLine.reads(readCount).description)
                await store.close()
            } catch {
                output.write(LoadLine.wrong("opening failed: \(error.report)").description)
            }
            for message in damage.takeLosses() { output.write(LoadLine.wrong(message).description) }
        }
    }

    /// Returns the number of reads that were judged.
    private func load(
        _ store: DiskStore,
        _ progress: SharedProgress,
        session: Int,
        until end: ContinuousClock.Instant,
        _ output: LineWriter
    ) async -> Int {
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<Self.taskCount {
                let part = (worker * 1000 + start) * 100_000 + session * 100 + number
                let step = Self.workerCount * Self.taskCount
                let task = SharedTask(
                    ownKeys: Array(stride(from: worker * Self.taskCount + number, to: Self.keyCount, by: step)),
                    keyCount: Self.keyCount,
                    progress: progress,
                    limits: limits,
                    generator: SplitMixGenerator(seed: seed, part: part)
                )
                group.addTask {
                    var task = task
                    while .now < end && task.failures.isEmpty { await task.step(on: store) }
                    for failure in task.failures { output.write(LoadLine.wrong(failure).description) }
                    return task.readCount
                }
            }
            return await group.reduce(0, +)
        }
    }
}
