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

/// Many tasks of several processes ask for one cold key: how often is it loaded?
struct StampedeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stampede",
        abstract: "Lets many tasks of several processes ask for one cold key at once, and counts the loads."
    )

    @Option(help: "How many processes.") var processes = 4
    @Option(help: "How many tasks in each.") var tasks = 1_000
    @Option(help: "How many cold keys, one after the other.") var rounds = 20
    @Option(help: "How long a load takes, in milliseconds.") var loadMilliseconds = 50
    @Flag(help: "Let each process load for itself, to compare.") var withoutLeases = false

    func run() async throws {
        if let reason = RedisServer.unavailableReason { return print("stampede: skipped, because it \(reason)") }
        let directory = try makeRunDirectory("stampede")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let server = try await RedisServer.start()
        defer { server.stop() }
        let numbers = try SharedNumbers(directory + "/numbers", count: rounds)
        let workers = try (0..<processes).map { _ in
            try Worker(
                [
                    "stampede-worker", "--port", "\(server.port)", "--numbers", directory + "/numbers", "--rounds", "\(rounds)", "--tasks",
                    "\(tasks)",
                    "--load-milliseconds", "\(loadMilliseconds)",
                ] + (withoutLeases ? ["--without-leases"] : [])
            )
        }
        var durations: [Double] = []
        var wrongCount = 0
        for worker in workers { guard worker.nextLine() == "ready" else { throw SystemFailure("a process did not start") } }
        for _ in 0..<rounds {
            let begin = MonotonicTime.now
            for worker in workers { worker.say("go") }
            for worker in workers { wrongCount += Int(worker.nextLine() ?? "") ?? tasks }
            durations.append(Double(MonotonicTime.now - begin) / 1_000_000)
        }
        for worker in workers {
            while worker.nextLine() != nil {}
            guard worker.process.wait() == .exited(0) else { throw SystemFailure("a process has failed") }
        }
        let loads = (0..<rounds).map { numbers[$0] }
        print(
            "stampede: \(processes) processes of \(tasks) tasks, \(rounds) cold keys, \(withoutLeases ? "without leases" : "with leases"): "
                + "\(loads.reduce(0, +)) loads, at most \(loads.max() ?? 0) of one key, \(wrongCount) wrong or missing values; "
                + "all had the value after \(Percentiles(durations)), a load being \(loadMilliseconds) ms"
        )
        if wrongCount > 0 || (!withoutLeases && loads.contains { $0 != 1 }) { throw ExitCode.failure }
    }
}

/// One of the processes.
struct StampedeWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "stampede-worker", abstract: "Asks for cold keys.", shouldDisplay: false)

    @Option var port: Int
    @Option var numbers: String
    @Option var rounds: Int
    @Option var tasks: Int
    @Option var loadMilliseconds: Int
    @Flag var withoutLeases = false

    func run() async throws {
        Lead.follow()
        let numbers = try SharedNumbers(numbers, count: rounds)
        var policy = CachePolicy()
        if !withoutLeases { policy.loadLease = .init() }
        let cache = try CampaignCache.make(.tcp(host: "127.0.0.1", port: port), policy: policy)
        // The connection stands when this has come back.
        _ = await cache.value(forKey: CampaignKeys.count)
        Lead.answer("ready")
        for round in 0..<rounds {
            await Lead.wait(forLine: round + 1)
            let wrongCount = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<tasks {
                    group.addTask { [loadMilliseconds] in
                        let value = try? await cache.value(forKey: round) { key in
                            _ = numbers.add(1, at: key)
                            try await Task.sleep(for: .milliseconds(loadMilliseconds))
                            return "value \(key)"
                        }
                        return value == "value \(round)"
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
            }
            Lead.answer("\(wrongCount)")
        }
        await cache.close()
    }
}
