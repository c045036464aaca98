// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardRedis
import HoardRedisTestSupport
import NIOCore
import Testing

@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(2)))
struct FaultProxyTests {
    private struct Site {
        let server: RedisServer
        let proxy: FaultProxy
        let client: RedisClient

        init(commandTimeout: Duration = .milliseconds(300)) async throws {
            server = try await RedisServer.start()
            proxy = try await FaultProxy.start(to: server.address)
            var configuration = RedisConfiguration(address: proxy.address)
            configuration.commandTimeout = commandTimeout
            configuration.backoff.initial = .milliseconds(1)
            configuration.backoff.maximum = .milliseconds(10)
            client = try RedisClient(configuration)
        }

        func set(_ value: String) async throws(RedisError) -> RESPValue {
            try await client.send(RedisCommand("SET", key: .string("k"), [.string(value)]))
        }

        /// Sends until a reply comes: connections are made again in the background.
        func setInTheEnd(_ value: String) async throws {
            while true {
                do {
                    _ = try await set(value)
                    return
                } catch {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }

        func end() async {
            await client.close()
            await proxy.stop()
            server.stop()
        }
    }

    @Test func bytesPassBothWays() async throws {
        let site = try await Site(commandTimeout: .seconds(10))
        #expect(try await site.set("1") == .simpleString("OK"))
        #expect(try site.server.command("GET", "k") == .text("1"))
        await site.end()
    }

    @Test func aCutConnectionIsMadeAgain() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.cut()
        try await site.setInTheEnd("2")
        #expect(try site.server.command("GET", "k") == .text("2"))
        #expect(site.proxy.connectionCount >= 2)
        await site.end()
    }

    @Test func withoutRepliesCommandsAreStillCarriedOut() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.stallReplies()
        await #expect(throws: RedisError.self) { try await site.set("2") }
        #expect(try site.server.command("GET", "k") == .text("2"))
        site.proxy.flow()
        try await site.setInTheEnd("3")
        await site.end()
    }

    @Test func whatIsKeptBackWhenAConnectionEndsIsLost() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.stall()
        await #expect(throws: RedisError.self) { try await site.set("2") }
        site.proxy.cut()
        site.proxy.flow()
        try await site.setInTheEnd("3")
        #expect(try site.server.command("GET", "k") == .text("3"))
        await site.end()
    }

    @Test func whileConnectionsAreRefusedNothingArrives() async throws {
        let site = try await Site()
        try await site.setInTheEnd("1")
        site.proxy.refuse()
        await #expect(throws: RedisError.self) { try await site.set("2") }
        #expect(try site.server.command("GET", "k") == .text("1"))
        site.proxy.accept()
        try await site.setInTheEnd("3")
        await site.end()
    }
}
