// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import NIOCore
import Synchronization

/// The two ways in which a server tells of changes, beside each other.
struct TrackingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracking",
        abstract: "Measures what the broadcasting mode of CLIENT TRACKING costs beside the default mode."
    )

    @Option(help: "How many clients, each with a near cache of its own.") var clients = 4
    @Option(help: "How many operations each does.") var operations = 40_000
    @Option(help: "How many keys there are.") var keys = 10_000

    func run() async throws {
        if let reason = RedisServer.unavailableReason { return print("tracking: skipped, because it \(reason)") }
        for writes in [1, 10, 50] {
            for mode in TrackingRun.Mode.allCases {
                let run = TrackingRun(mode: mode, clientCount: clients, operationCount: operations, keyCount: keys, writePercentage: writes)
                print("tracking: \(try await run.measure())")
            }
        }
    }
}

/// Clients that read through near caches, and write.
struct TrackingRun: Sendable {
    enum Mode: String, CaseIterable, Sendable {
        case off
        case defaultMode = "default"
        case broadcast
    }

    let mode: Mode
    let clientCount: Int
    let operationCount: Int
    let keyCount: Int
    let writePercentage: Int
    static let taskCount = 16

    /// The keys that a client has in its near cache, by number.
    private final class NearCache: Sendable {
        struct State {
            var keys: Set<Int> = []
            var hits = 0
            var pushedKeys = 0
            /// Counts up with each key that the server tells of: a value that was read before may be older.
            var changes: [Int: Int] = [:]
        }
        let state = Mutex(State())

        func handle(_ event: RedisEvent) {
            guard case .push(let parts) = event, parts.count > 1, case .array(let keys) = parts[1] else { return }
            state.withLock { state in
                for case .bulkString(let bytes) in keys {
                    guard let number = Int(String(buffer: bytes).dropFirst(2)) else { continue }
                    state.keys.remove(number)
                    state.changes[number, default: 0] += 1
                    state.pushedKeys += 1
                }
            }
        }
    }

    func measure() async throws -> String {
        let server = try await RedisServer.start()
        defer { server.stop() }
        var participants: [(client: RedisClient, near: NearCache)] = []
        for _ in 0..<clientCount {
            let near = NearCache()
            var configuration = RedisConfiguration(address: server.address)
            // The command measures the server, however busy the machine is.
            configuration.commandTimeout = .seconds(20)
            configuration.heartbeatTimeout = .seconds(20)
            let client = try RedisClient(
                configuration,
                trackedPrefix: mode == .broadcast ? Array("k:".utf8) : nil,
                onEvent: { near.handle($0) }
            )
            if mode == .defaultMode {
                _ = try await client.send(RedisCommand("CLIENT", leading: [.string("TRACKING"), .string("ON"), .string("NOLOOP")]))
            }
            participants.append((client, near))
        }
        for first in stride(from: 0, to: keyCount, by: 500) {
            let commands = (first..<min(first + 500, keyCount)).map { set($0) }
            _ = try await participants[0].client.send(commands)
        }
        // Messages about the filling do not count. They have come when each client has had a reply.
        for participant in participants {
            _ = try await participant.client.send(RedisCommand("PING"))
            participant.near.state.withLock { $0.pushedKeys = 0 }
        }
        let before = try counters(server)
        let begin = MonotonicTime.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, participant) in participants.enumerated() {
                for task in 0..<Self.taskCount {
                    let choices = SeededChoices(seed: 7, part: number * 1_000 + task)
                    group.addTask { try await work(participant.client, participant.near, choices) }
                }
            }
            try await group.waitForAll()
        }
        let seconds = Double(MonotonicTime.now - begin) / 1e9
        let after = try counters(server)
        let hits = participants.reduce(0) { $0 + $1.near.state.withLock { $0.hits } }
        let pushed = participants.reduce(0) { $0 + $1.near.state.withLock { $0.pushedKeys } }
        for participant in participants { await participant.client.close() }
        let total = clientCount * operationCount
        func perOperation(_ number: Double) -> String { "\((number / Double(total) * 100).rounded() / 100)" }
        return "\(writePercentage) % writes, \(mode.rawValue): \(total) operations, \(hits * 100 / total) % near hits, server "
            + "\(perOperation((after.cpu - before.cpu) * 1e6)) µs and \(perOperation(after.bytes - before.bytes)) bytes sent for each, "
            + "\(pushed) keys pushed, server memory \((Int(after.memory) >> 10)) KiB, \(Int(Double(total) / seconds)) operations/s"
    }

    private func work(_ client: RedisClient, _ near: NearCache, _ choices: SeededChoices) async throws {
        var choices = choices
        for _ in 0..<operationCount / Self.taskCount {
            // Few keys are asked for often: the square of an even distribution.
            let fraction = Double.random(in: 0..<1, using: &choices)
            let key = Int(fraction * fraction * Double(keyCount))
            if choices.number(below: 100) < writePercentage {
                _ = try await client.send(set(key))
                // With NOLOOP the server does not tell the writer.
                near.state.withLock { _ = $0.keys.remove(key) }
                continue
            }
            let known: Int? = near.state.withLock { state in
                guard mode != .off, state.keys.contains(key) else { return state.changes[key] ?? 0 }
                state.hits += 1
                return nil
            }
            guard let known else { continue }
            _ = try await client.send(RedisCommand("GET", key: .string("k:\(key)")))
            near.state.withLock { state in
                if mode != .off, state.changes[key] ?? 0 == known { state.keys.insert(key) }
            }
        }
    }

    private func set(_ key: Int) -> RedisCommand {
        RedisCommand("SET", key: .string("k:\(key)"), [.bytes(Array(repeating: 120, count: 256))])
    }

    private func counters(_ server: RedisServer) throws -> (cpu: Double, bytes: Double, memory: Double) {
        func number(_ name: String) throws -> Double { Double(try server.information(name) ?? "") ?? 0 }
        return (
            try number("used_cpu_user_main_thread") + number("used_cpu_sys_main_thread"), try number("total_net_output_bytes"),
            try number("used_memory")
        )
    }
}
