// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
import HoardDisk

/// The command of the process that is killed: it runs a load of several tasks for ever.
struct LoadWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load-worker",
        abstract: "Writes and reads until it is killed, and says so line by line.",
        shouldDisplay: false
    )

    @Option var directory: String
    @Option var seed: UInt64
    @Option var round: Int
    @Option var keys: Int
    @Option var limits: StoreLimits = .none
    /// Whether the disk is full, so that writes may fail.
    @Flag var full = false

    func run() async throws {
        let output = LineWriter()
        let damage = DamageRecorder()
        var generator = SplitMixGenerator(seed: seed, part: -round)
        var tasks = (0..<Content.ownerCount).map { owner in
            var task = LoadTask(owner: owner, keys: 0..<keys, limits: limits, seed: seed, round: round)
            task.output = output
            if full { task.tolerated = [.full] }
            return task
        }
        var isFirst = true
        while true {
            do throws(StoreError) {
                let store = try damage.open(directory, limits: limits)
                if isFirst { output.write(LoadLine.ready.description) }
                isFirst = false
                tasks = await run(tasks, on: store, steps: Int.random(in: 10...400, using: &generator))
                // A store that is released without being closed must work as well.
                if generator.chance(2, in: 3) { await store.close() }
            } catch {
                if !full { output.write(LoadLine.wrong("opening failed: \(error.report)").description) }
                if isFirst { output.write(LoadLine.ready.description) }
                isFirst = false
                try await Task.sleep(for: .milliseconds(5))
            }
            for message in damage.takeLosses() { output.write(LoadLine.wrong(message).description) }
        }
    }

    private func run(_ tasks: [LoadTask], on store: DiskStore, steps: Int) async -> [LoadTask] {
        await withTaskGroup(of: LoadTask.self) { group in
            for task in tasks {
                group.addTask {
                    var task = task
                    for step in 0..<steps {
                        await task.step(on: store)
                        if step % 8 == 7 { await task.checkLimits(of: store) }
                    }
                    return task
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
