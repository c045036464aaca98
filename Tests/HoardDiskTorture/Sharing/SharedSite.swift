// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardDisk
import HoardProcessTestSupport

/// A directory that several processes use at once for some time.
struct SharedSite {
    let campaign: Campaign
    let number: Int
    let limits: StoreLimits
    let duration: Duration

    private var directory: String { campaign.path("store-\(number)") }
    private var progressPath: String { campaign.path("progress-\(number)") }

    /// One of the processes, with its log.
    private struct Worker {
        var process: WorkerProcess
        var start: Int
        var log = WorkerLog()
    }

    /// - Parameter report: A function that is called several times a second.
    func run(_ report: () -> Void) async throws {
        var generator = SplitMixGenerator(seed: campaign.seed, part: number)
        let end = ContinuousClock.now + duration
        var workers = try (0..<SharedWorkerCommand.workerCount).map { Worker(process: try start($0, start: 0, until: end), start: 0) }
        let latest = max(200, min(1500, Int(duration / .milliseconds(2))))
        var nextKill = ContinuousClock.now + .milliseconds(Int.random(in: 100...latest, using: &generator))
        while workers.contains(where: { !$0.process.isAtEnd }) && .now < end + .seconds(60) {
            for index in workers.indices where !workers[index].process.isAtEnd { listen(to: &workers[index], for: .milliseconds(10)) }
            report()
            guard .now >= nextKill, .now < end - .milliseconds(100) else { continue }
            nextKill = .now + .milliseconds(Int.random(in: 100...latest, using: &generator))
            let victim = Int.random(in: workers.indices, using: &generator)
            // A process that has ended by itself has failed. It is judged in the end.
            guard !workers[victim].process.isAtEnd else { continue }
            _ = workers[victim].process.kill()
            campaign.count("kills")
            finish(workers[victim], number: victim, wasKilled: true)
            let start = workers[victim].start + 1
            workers[victim] = Worker(process: try self.start(victim, start: start, until: end), start: start)
        }
        for (index, worker) in workers.enumerated() { finish(worker, number: index, wasKilled: false) }
        await judge()
    }

    private func start(_ worker: Int, start: Int, until end: ContinuousClock.Instant) throws(SystemFailure) -> WorkerProcess {
        let milliseconds = Int(((end - .now) / .milliseconds(1)).rounded())
        return try WorkerProcess([
            "shared-worker", "--directory", directory, "--progress", progressPath, "--seed", "\(campaign.seed)", "--worker", "\(worker)",
            "--start", "\(start)", "--milliseconds", "\(max(milliseconds, 1))", "--limits", limits.rawValue,
        ])
    }

    private func listen(to worker: inout Worker, for duration: Duration) {
        // This needs no ledger, because the processes share their progress in the mapped file.
        var ledger = Ledger(unknownAllowingLoss: true)
        for line in worker.process.nextLines(until: .now + duration) { worker.log.note(line, &ledger) }
    }

    private func finish(_ worker: Worker, number: Int, wasKilled: Bool) {
        var worker = worker
        let hadEnded = worker.process.isAtEnd
        let ending = hadEnded ? worker.process.wait() : worker.process.kill()
        while !worker.process.isAtEnd { listen(to: &worker, for: .seconds(10)) }
        let place = "directory \(self.number), process \(number)"
        if !hadEnded && !wasKilled { campaign.fail(place, "it did not end") }
        if ending != (wasKilled ? .signalled(9) : .exited(0)) && (hadEnded || wasKilled) { campaign.fail(place, "it \(ending)") }
        campaign.fail(place, worker.log.failures)
        campaign.count("reads judged", worker.log.readCount)
    }

    /// Judges the store once all processes have ended.
    private func judge() async {
        let place = "directory \(number), at the end"
        let damage = DamageRecorder()
        do {
            let progress = try SharedProgress(progressPath, keyCount: SharedWorkerCommand.keyCount)
            let store = try damage.open(directory, limits: limits)
            var reader = SharedTask(
                ownKeys: [],
                keyCount: SharedWorkerCommand.keyCount,
                progress: progress,
                limits: limits,
                generator: SplitMixGenerator(seed: 0)
            )
            for key in 0..<SharedWorkerCommand.keyCount { try await reader.read(key, on: store) }
            campaign.fail(place, reader.failures + limits.violations(in: try await store.statistics()))
            campaign.count("writes", (0..<progress.keyCount).reduce(0) { $0 + progress.acknowledged($1) })
            campaign.count("reads judged", reader.readCount)
            await store.close()
        } catch {
            campaign.fail(place, "\((error as? StoreError)?.report ?? "\(error)")")
        }
        campaign.fail(place, damage.takeLosses())
    }
}
