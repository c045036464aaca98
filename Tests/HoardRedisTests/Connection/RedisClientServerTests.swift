// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardRedisTestSupport
import HoardTesting
import NIOCore
import NIOPosix
import Testing

@_spi(Client) @testable import HoardRedis

/// Against a real server.
@Suite(.enabled(if: RedisServer.isAvailable, "\(RedisServer.requirement)"), .timeLimit(.minutes(2))) struct RedisClientServerTests {
    private func makeClient(_ server: RedisServer, _ log: EventLog = EventLog(), trackedPrefix: String? = nil) throws -> RedisClient {
        try RedisClient(RedisConfiguration(address: server.address).patient, trackedPrefix: trackedPrefix.map { Array($0.utf8) }, onEvent: log.take)
    }

    private func code(_ body: () async throws(RedisError) -> RESPValue) async -> RedisError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func anyBytesComeBackAsTheyWere() async throws {
        let server = try await RedisServer.start()
        let clients = [
            try makeClient(server), try RedisClient(RedisConfiguration(address: server.unixAddress).patient),
        ]
        for client in clients {
            for count in [0, 1, 255, 16_383, 16_384, 70_000, 3_000_000] {
                var random = SeededNumbers(UInt64(count))
                let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                #expect(try await client.send(RedisCommand("SET", key: .bytes([0, 13, 10, 255]), [.bytes(bytes)])) == .simpleString("OK"))
                #expect(
                    try await client.send(RedisCommand("GET", key: .buffer(ByteBuffer(bytes: [0, 13, 10, 255]))))
                        == .bulkString(ByteBuffer(bytes: bytes))
                )
            }
            await client.close()
        }
        server.stop()
    }

    @Test func changesOfOthersAreToldAndOnesOwnAreNot() async throws {
        let server = try await RedisServer.start()
        let log = EventLog()
        let client = try makeClient(server, log, trackedPrefix: "h:")
        let other = try makeClient(server)
        _ = try await client.send(RedisCommand("SET", key: .string("h:own"), [.string("1")]))
        _ = try await other.send(RedisCommand("SET", key: .string("elsewhere"), [.string("1")]))
        _ = try await other.send(RedisCommand("SET", key: .string("h:a"), [.string("1")]))
        // A command is sent after the change was acknowledged: its reply comes after the push.
        #expect(try await client.send(RedisCommand("GET", key: .string("h:a"))).text == "1")
        #expect(log.entries == ["connected", "push invalidate [h:a]"])
        _ = try await other.send(RedisCommand("FLUSHALL"))
        _ = try await client.send(RedisCommand("PING"))
        #expect(log.entries.last == "push invalidate null")
        await client.close()
        await other.close()
        server.stop()
    }

    @Test func aReadThatBeginsAfterAChangeWasAcknowledgedReturnsAfterItsPush() async throws {
        let server = try await RedisServer.start()
        let pushed = Shared<Set<String>>([])
        let client = try RedisClient(RedisConfiguration(address: server.address).patient, trackedPrefix: Array("h:".utf8)) { event in
            if case .push(let elements) = event, case .array(let keys)? = elements.last { pushed.update { $0.formUnion(keys.map(\.text)) } }
        }
        let other = try makeClient(server)
        // Nothing is told before there is a connection.
        _ = try await client.send(RedisCommand("PING"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for round in 0..<100 {
                        let key = "h:\(task):\(round)"
                        _ = try await other.send(RedisCommand("SET", key: .string(key), [.string("1")]))
                        _ = try await client.send(RedisCommand("GET", key: .string(key)))
                        #expect(pushed.update { $0.contains(key) })
                    }
                }
            }
            try await group.waitForAll()
        }
        await client.close()
        await other.close()
        server.stop()
    }

    @Test func aConnectionThatTheServerEndsIsMadeAgain() async throws {
        let server = try await RedisServer.start()
        let log = EventLog()
        let client = try makeClient(server, log, trackedPrefix: "h:")
        _ = try await client.send(RedisCommand("PING"))
        try server.command("CLIENT", "KILL", "TYPE", "normal")
        await log.noted("connected", times: 2)
        #expect(try await client.send(RedisCommand("PING")) == .simpleString("PONG"))
        try await server.restart()
        await log.noted("connected", times: 3)
        #expect(try await client.send(RedisCommand("GET", key: .string("h:a"))) == .null)
        #expect(log.entries == ["connected", "disconnected", "connected", "disconnected", "connected"])
        await client.close()
        server.stop()
    }

    @Test func aServerThatStandsStillIsNoticed() async throws {
        let server = try await RedisServer.start()
        let log = EventLog()
        let time = ManualTicker()
        let client = try RedisClient(
            RedisConfiguration(address: server.address).patient,
            eventLoop: MultiThreadedEventLoopGroup.singleton.any(),
            ticker: time,
            random: { 0 },
            onEvent: log.take
        )
        _ = try await client.send(RedisCommand("PING"))
        server.pause()
        // Its heartbeat finds out.
        try await waitUntil {
            time.advance(by: .seconds(1))
            return log.entries.contains("disconnected")
        }
        server.resume()
        try await waitUntil {
            time.advance(by: .milliseconds(10))
            return log.entries.count { $0 == "connected" } == 2
        }
        #expect(try await client.send(RedisCommand("PING")) == .simpleString("PONG"))
        await client.close()
        server.stop()
    }

    @Test func usersArePermittedWhatTheServerSays() async throws {
        let server = try await RedisServer.start(
            RedisServer.Options(users: ["default off", "reader on >secret ~* +@all -client|tracking", "weak on >secret ~* +@all -set"])
        )
        var configuration = RedisConfiguration(address: server.address).patient
        #expect(await code { () throws(RedisError) in try await RedisClient(configuration).send(RedisCommand("PING")) } == .authenticationFailed)
        configuration.user = "reader"
        configuration.password = "wrong"
        #expect(await code { () throws(RedisError) in try await RedisClient(configuration).send(RedisCommand("PING")) } == .authenticationFailed)
        configuration.password = "secret"
        #expect(await code { () throws(RedisError) in try await RedisClient(configuration).send(RedisCommand("PING")) } == nil)
        let tracking = configuration
        #expect(
            await code { () throws(RedisError) in try await RedisClient(tracking, trackedPrefix: [1]).send(RedisCommand("PING")) } == .notPermitted
        )
        configuration.user = "weak"
        let client = try RedisClient(configuration)
        guard case .error(let text) = try await client.send(RedisCommand("SET", key: .string("a"), [.string("b")])) else {
            Issue.record("The server permits what it must not.")
            return
        }
        #expect(RedisError(serverError: text).code == .notPermitted)
        await client.close()
        server.stop()
    }

    @Test func theDatabaseIsTheOneThatWasChosen() async throws {
        let server = try await RedisServer.start()
        var configuration = RedisConfiguration(address: server.address).patient
        configuration.database = 3
        let client = try RedisClient(configuration)
        _ = try await client.send(RedisCommand("SET", key: .string("a"), [.string("b")]))
        #expect(try server.command("GET", "a").description != "b")
        configuration.database = 99
        #expect(await code { () throws(RedisError) in try await RedisClient(configuration).send(RedisCommand("PING")) } == .invalidConfiguration)
        await client.close()
        server.stop()
    }
}
