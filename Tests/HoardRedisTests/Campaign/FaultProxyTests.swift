// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@_spi(Client) import HoardRedis
import HoardRedisTestSupport
import HoardTesting
import Testing

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(2)))
struct FaultProxyTests {
    private struct Site {
        let server: RedisServer
        let proxy: FaultProxy
        let client: RedisClient

        init() async throws {
            server = try await RedisServer.start()
            proxy = try await FaultProxy.start(to: server.address)
            var configuration = RedisConfiguration(address: proxy.address).patient
            configuration.backoff.initial = .milliseconds(1)
            configuration.backoff.maximum = .milliseconds(10)
            // The proxy keeps back the test's own commands.
            configuration.heartbeatInterval = .seconds(100)
            client = try RedisClient(configuration)
        }

        func set(_ value: String) async throws(RedisError) -> RESPValue {
            try await client.send(RedisCommand("SET", key: .string("k"), [.string(value)]))
        }

        /// Sends, and does not wait for the reply.
        func setting(_ value: String) -> Task<RESPValue, any Error> {
            let client = client
            return Task { try await client.send(RedisCommand("SET", key: .string("k"), [.string(value)])) }
        }

        /// Sends until a reply comes: connections are made again in the background.
        func setInTheEnd(_ value: String) async throws {
            try await waitUntil { (try? await set(value)) != nil }
        }

        /// Whether the server has a value. It is asked directly.
        func hasArrived(_ value: String) throws -> Bool { try server.command("GET", "k") == .text(value) }

        func end() async {
            await client.close()
            await proxy.stop()
            server.stop()
        }
    }

    @Test func bytesPassBothWays() async throws {
        let site = try await Site()
        #expect(try await site.set("1") == .simpleString("OK"))
        #expect(try site.hasArrived("1"))
        await site.end()
    }

    @Test func aCutConnectionIsMadeAgain() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.cut()
        try await site.setInTheEnd("2")
        #expect(try site.hasArrived("2"))
        #expect(site.proxy.connectionCount >= 2)
        await site.end()
    }

    @Test func withoutRepliesCommandsAreStillCarriedOut() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.stallReplies()
        let unheard = site.setting("2")
        try await waitUntil { try site.hasArrived("2") }
        site.proxy.cut()
        await #expect(throws: RedisError.self) { try await unheard.value }
        site.proxy.flow()
        try await site.setInTheEnd("3")
        await site.end()
    }

    @Test func whatIsKeptBackWhenAConnectionEndsIsLost() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.stall()
        let lost = site.setting("2")
        try await waitUntil { site.proxy.keptBackCount > 0 }
        site.proxy.cut()
        site.proxy.flow()
        await #expect(throws: RedisError.self) { try await lost.value }
        try await site.setInTheEnd("3")
        #expect(try site.hasArrived("3"))
        await site.end()
    }

    @Test func whileConnectionsAreRefusedNothingArrives() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.refuse()
        let count = site.proxy.connectionCount
        let refused = site.setting("2")
        try await waitUntil { site.proxy.connectionCount >= count + 2 }
        #expect(try site.hasArrived("1"))
        site.proxy.accept()
        _ = await refused.result
        try await site.setInTheEnd("3")
        await site.end()
    }
}
