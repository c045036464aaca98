// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
@_spi(Client) import HoardRedis

/// One of the processes of a campaign.
struct CoherenceWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "coherence-worker", abstract: "Reads and invalidates.", shouldDisplay: false)

    @Option var port: Int
    @Option var numbers: String
    @Option var log: String
    @Option var seed: UInt64
    /// The number of this worker, the number of all workers, and the place of this process in the
    /// row of those with its number.
    @Option var worker: Int
    @Option var processes: Int
    @Option var start: Int
    /// When the campaign ends (``MonotonicTime``).
    @Option var end: Int
    @Flag var untracked = false

    func run() async throws {
        Lead.follow()
        let log = try CampaignLog(log)
        // Before the first connection there is none.
        log.note(.connection(stands: false, time: 0))
        let cache = try CampaignCache.make(.tcp(host: "127.0.0.1", port: port), isTracked: !untracked) { stands in
            log.note(.connection(stands: stands, time: MonotonicTime.now))
        }
        let number = worker
        let worker = CoherenceWorker(
            cache: cache,
            numbers: try CoherenceWorker.makeNumbers(numbers),
            log: log,
            ownKeys: CampaignKeys.written.filter { $0 % processes == number }
        )
        await worker.run(SeededChoices(seed: seed, part: number * 10_000 + start), taskCount: 6, until: end)
        await cache.close()
    }
}
