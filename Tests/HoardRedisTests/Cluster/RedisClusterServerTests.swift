// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardRedisTestSupport
import HoardTesting
import NIOCore
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

/// Against three servers of Redis.
@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .serialized, .timeLimit(.minutes(3)))
struct RedisClusterServerTests {
    private func get(_ key: String) -> RedisCommand { RedisCommand("GET", key: .string(key)) }
    private func set(_ key: String, _ value: String) -> RedisCommand { RedisCommand("SET", key: .string(key), [.string(value)]) }

    private func configuration(_ servers: RedisClusterServers) -> RedisConfiguration {
        var configuration = servers.configuration
        // The machine may be busy.
        configuration.commandTimeout = .seconds(20)
        configuration.heartbeatTimeout = .seconds(20)
        return configuration
    }

    @Test func keysAreSpreadOverAllNodesAndFoundAgain() async throws {
        let servers = try await RedisClusterServers.start()
        defer { servers.stop() }
        let cluster = try RedisCluster(configuration(servers))
        let keys = (0..<300).map { "p{}:key \($0)" }
        #expect(try await cluster.send(keys.map { set($0, "of \($0)") }).allSatisfy { $0 == .simpleString("OK") })
        #expect(try await cluster.send(keys.map { get($0) }) == keys.map { .bulk("of \($0)") })
        for key in keys.prefix(30) { #expect(try await cluster.send(get(key)) == .bulk("of \(key)")) }
        for server in servers.servers {
            guard case .integer(let count) = try server.command("DBSIZE") else {
                Issue.record("There is no number.")
                continue
            }
            #expect((60...140).contains(count), "\(count) of 300 keys")
        }
        #expect(await cluster.nodes.count == 3)
        // Scripts concern one key, as all commands do.
        let script = RedisCommand("EVAL", leading: [.string("return redis.call('GET', KEYS[1])"), .integer(1)], key: .string(keys[7]))
        #expect(try await cluster.send(script) == .bulk("of \(keys[7])"))
        await cluster.close()
    }

    @Test func allNodesAreReachedWithTLSAndAsAUser() async throws {
        let users = ["default off", "cache on >secret ~p{}:* &* +@all"]
        let servers = try await RedisClusterServers.start(RedisServer.Options(users: users, certificate: .first))
        defer { servers.stop() }
        var configuration = configuration(servers)
        configuration.user = "cache"
        configuration.password = "secret"
        let cluster = try RedisCluster(configuration)
        let keys = (0..<60).map { "p{}:\($0)" }
        #expect(try await cluster.send(keys.map { set($0, "of \($0)") }).allSatisfy { $0 == .simpleString("OK") })
        #expect(try await cluster.send(keys.map { get($0) }) == keys.map { .bulk("of \($0)") })
        #expect(await cluster.nodes.count == 3)
        await cluster.close()

        // The rules for the first connection also hold for those to which it leads.
        configuration.password = "guess"
        let stranger = try RedisCluster(configuration)
        await #expect { try await stranger.send(get(keys[0])) } throws: { ($0 as? RedisError)?.code == .authenticationFailed }
        await stranger.close()
        configuration.password = "secret"
        configuration.tls?.additionalTrustRootsPath = nil
        let mistrustful = try RedisCluster(configuration)
        await #expect { try await mistrustful.send(get(keys[0])) } throws: { ($0 as? RedisError)?.code == .tlsFailed }
        await mistrustful.close()
    }

    @Test func noValueIsWrongWhileSlotsMoveUnderLoad() async throws {
        let servers = try await RedisClusterServers.start()
        defer { servers.stop() }
        let cluster = try RedisCluster(configuration(servers))
        let isMoving = Flag(true)
        let tags = (0..<8).map { "tag\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    try await work(worker, cluster, tags, while: isMoving)
                }
            }
            group.addTask {
                defer { isMoving.set(false) }
                for round in 0..<3 {
                    for tag in tags {
                        let slot = ClusterSlot.slot(of: tag.utf8)
                        let home = (0..<3).first { slot < ($0 + 1) * ClusterSlot.count / 3 } ?? 0
                        try await servers.move(slot: slot, from: (home + round) % 3, to: (home + round + 1) % 3)
                    }
                }
            }
            try await group.waitForAll()
        }
        await cluster.close()
    }

    /// Writes and reads keys of its own in all slots that move.
    private func work(_ worker: Int, _ cluster: RedisCluster, _ tags: [String], while isMoving: Flag) async throws {
        var random = SeededGenerator(seed: UInt64(worker))
        let keys = tags.map { "{\($0)}:\(worker)" }
        var model: [String: String] = [:]
        var step = 0
        while isMoving.isSet || step < 50 {
            step += 1
            if Bool.random(using: &random) {
                let key = keys[Int.random(in: 0..<keys.count, using: &random)]
                model[key] = "\(worker) \(step)"
                #expect(try await cluster.send(set(key, "\(worker) \(step)")) == .simpleString("OK"))
            } else {
                let expected = keys.map { model[$0].map { RESPValue.bulk($0) } ?? .null }
                #expect(try await cluster.send(keys.map { get($0) }) == expected, "worker \(worker), step \(step)")
            }
        }
    }

    /// The basis of coherence in front of a cluster: a read that begins after a change is answered after the message of that change was handled.
    @Test func aChangeIsToldBeforeALaterReplyAlsoAfterTheSlotHasMoved() async throws {
        let servers = try await RedisClusterServers.start()
        defer { servers.stop() }
        let heard = Mutex<(keys: Set<String>, losses: Int, isConnected: Bool)>(([], 0, false))
        let reader = try RedisCluster(configuration(servers), trackedPrefix: Array("p{}:".utf8)) { event in
            heard.withLock { heard in
                switch event {
                case .connected: heard.isConnected = true
                case .disconnected:
                    heard.isConnected = false
                    heard.losses += 1
                case .push(let elements):
                    guard elements.first == .bulk("invalidate"), case .array(let keys)? = elements.last else { return }
                    for case .bulkString(let key) in keys { heard.keys.insert(String(buffer: key)) }
                }
            }
        }
        let writer = try RedisCluster(configuration(servers))
        func check(_ keys: [String]) async throws {
            for key in keys {
                _ = try await writer.send(set(key, "x"))
                _ = try await reader.send(get(key))
                #expect(heard.withLock { $0.keys.contains(key) }, "\(key)")
            }
        }
        _ = try await reader.send((0..<50).map { get("p{}:\($0)") })
        try await waitUntil { heard.withLock { $0.isConnected } }
        try await check((0..<150).map { "p{}:\($0)" })

        let key = "p{}:moves"
        try await check([key])
        let losses = heard.withLock { $0.losses }
        let slot = ClusterSlot.slot(of: key.utf8)
        let home = (0..<3).first { slot < ($0 + 1) * ClusterSlot.count / 3 } ?? 0
        try await servers.move(slot: slot, from: home, to: (home + 1) % 3)
        heard.withLock { $0.keys = [] }
        try await check([key] + (0..<30).map { "p{}:\($0)" })
        #expect(heard.withLock { $0.losses } > losses)
        await reader.close()
        await writer.close()
    }

    @Test func aNodeThatEndsIsALossAndTheOthersGoOn() async throws {
        let servers = try await RedisClusterServers.start()
        defer { servers.stop() }
        let isConnected = Mutex(false)
        let cluster = try RedisCluster(configuration(servers)) { event in
            switch event {
            case .connected: isConnected.withLock { $0 = true }
            case .disconnected: isConnected.withLock { $0 = false }
            case .push: break
            }
        }
        let keys = (0..<3).map { node in (0...).lazy.map { "k\($0)" }.first { ClusterSlot.slot(of: $0.utf8) * 3 / ClusterSlot.count == node } ?? "" }
        _ = try await cluster.send(keys.map { set($0, "v") })
        try await waitUntil { isConnected.withLock { $0 } }
        servers.servers[2].kill()
        try await waitUntil { isConnected.withLock { !$0 } }
        // The other nodes refuse after a while too, as they require all slots; until then they answer.
        await #expect(throws: RedisError.self) { try await cluster.send(get(keys[2])) }
        await cluster.close()
    }
}

private final class Flag: Sendable {
    private let state: Mutex<Bool>

    init(_ isSet: Bool) { state = Mutex(isSet) }

    var isSet: Bool { state.withLock { $0 } }
    func set(_ isSet: Bool) { state.withLock { $0 = isSet } }
}
