// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
import Hoard
import HoardProcessTestSupport
@_spi(Client) import HoardRedis
import HoardRedisTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How long after a removal was acknowledged another process still has the value in memory.
struct DelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delay",
        abstract: "Measures how long after an invalidation was acknowledged another process still has the value in memory."
    )

    /// Places in the shared numbers.
    enum Place {
        static let round = 0
        static let acknowledged = 1
        static let gone = 2
    }

    @Option(help: "How many invalidations.") var rounds = 2_000
    @Option(help: "How many tasks in each of the two processes read other keys through Redis meanwhile.") var load = 0

    func run() async throws {
        if let reason = RedisServer.unavailableReason { return print("delay: skipped, because it \(reason)") }
        let directory = try makeRunDirectory("delay")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try await RedisServer.start()
        defer { server.stop() }
        let numbers = try SharedNumbers(directory + "/numbers", count: 3)
        let worker = try Worker([
            "delay-worker", "--port", "\(server.port)", "--numbers", directory + "/numbers", "--rounds", "\(rounds)", "--load", "\(load)",
        ])
        let cache = try CampaignCache.make(server.address)
        let background = DelayLoad(cache: cache, taskCount: load)
        var delays: [Double] = []
        var calls: [Double] = []
        var choices = SeededChoices(seed: 1)
        for round in 1...rounds {
            while numbers[Place.round] < round { try await Task.sleep(for: .microseconds(50)) }
            try await Task.sleep(for: .microseconds(200 + choices.number(below: 2_000)))
            let begin = MonotonicTime.now
            await cache.removeValue(forKey: 0)
            let time = MonotonicTime.now
            numbers.raise(to: time, at: Place.acknowledged)
            calls.append(Double(time - begin) / 1_000_000)
            while numbers[Place.gone] < begin { try await Task.sleep(for: .microseconds(50)) }
            delays.append(max(0, Double(numbers[Place.gone] - time) / 1_000_000))
        }
        background.stop()
        // The worker's output ends with the worker. Its input may end only after that, as the end of
        // its input would end the worker.
        while worker.nextLine() != nil {}
        let ending = worker.process.wait()
        await cache.close()
        guard ending == .exited(0) else { throw SystemFailure("the other process \(ending)") }
        let early = delays.count { $0 == 0 }
        print(
            "delay: \(rounds) removals, \(load) tasks of load: gone elsewhere \(Percentiles(delays)) after the acknowledgement (\(early) before it)"
        )
        print("delay: a removal took \(Percentiles(calls))")
    }
}

/// The process that has the value in memory.
struct DelayWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delay-worker", abstract: "Waits for invalidations.", shouldDisplay: false)

    @Option var port: Int
    @Option var numbers: String
    @Option var rounds: Int
    @Option var load: Int

    func run() async throws {
        Lead.follow()
        let numbers = try SharedNumbers(numbers, count: 3)
        let cache = try CampaignCache.make(.tcp(host: "127.0.0.1", port: port))
        let background = DelayLoad(cache: cache, taskCount: load)
        for round in 1...rounds {
            while cache.memoryValue(forKey: 0) == nil {
                _ = try await cache.value(forKey: 0) { CampaignKeys.value(key: $0, version: round) }
            }
            // The coordinator waits for the next round before it removes anything again.
            numbers.raise(to: round, at: DelayCommand.Place.round)
            while cache.memoryValue(forKey: 0) != nil { try await Task.sleep(for: .microseconds(20)) }
            numbers.raise(to: MonotonicTime.now, at: DelayCommand.Place.gone)
        }
        background.stop()
        await cache.close()
    }
}

/// Tasks that read through Redis as fast as they can.
struct DelayLoad {
    private let tasks: [Task<Void, Never>]

    init(cache: TieredCache<Int, String>, taskCount: Int) {
        tasks = (0..<taskCount).map { number in
            startTask {
                let key = 1 + number % (CampaignKeys.count - 1)
                let policy = cache.policy.with { $0.skipping = .memory }
                while !Task.isCancelled {
                    _ = try? await cache.value(forKey: key, policy: policy) { CampaignKeys.value(key: $0, version: 1) }
                }
            }
        }
    }

    func stop() {
        for task in tasks { task.cancel() }
    }
}
