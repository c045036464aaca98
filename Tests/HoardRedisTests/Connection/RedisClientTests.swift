// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@_spi(Client) @testable import HoardRedis

@Suite(.timeLimit(.minutes(2))) struct RedisClientTests {
    private func makeClient(
        _ server: ScriptedServer,
        _ time: ManualTicker = ManualTicker(),
        _ log: EventLog = EventLog(),
        trackedPrefix: [UInt8]? = nil,
        change: (inout RedisConfiguration) -> Void = { _ in }
    ) throws -> RedisClient {
        var configuration = server.configuration.patient
        configuration.heartbeatInterval = .seconds(1_000)
        change(&configuration)
        return try RedisClient(
            configuration,
            trackedPrefix: trackedPrefix,
            eventLoop: MultiThreadedEventLoopGroup.singleton.any(),
            ticker: time,
            random: { 0 },
            onEvent: log.take
        )
    }

    private func echo(_ text: String) -> RedisCommand { RedisCommand("ECHO", [.string(text)]) }

    private static func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    private func outcome(_ body: () async throws(RedisError) -> RESPValue) async -> Result<RESPValue, RedisError> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    // MARK: Replies

    @Test func theLoginComesFirstAndThenCommandsWithTheirReplies() async throws {
        let server = try await ScriptedServer.start { _, command in .text(Self.bulk((command.last ?? ""))) }
        let log = EventLog()
        let client = try makeClient(server, ManualTicker(), log, trackedPrefix: Array("p:".utf8)) { $0.database = 2 }
        #expect(try await client.send(echo("hello")).text == "hello")
        #expect(
            server.commands == [
                ["HELLO", "3", "SETNAME", "hoard"], ["SELECT", "2"], ["CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "p:", "NOLOOP"],
                ["ECHO", "hello"],
            ]
        )
        await client.close()
        #expect(log.entries == ["connected", "disconnected"])
        await server.stop()
    }

    @Test func tasksOnTheExecutorOfAClientNeverLeaveTheThreadOfItsConnection() async throws {
        let server = try await ScriptedServer.start { _, command in .text(Self.bulk((command.last ?? ""))) }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let client = try RedisClient(
            server.configuration.patient,
            eventLoop: eventLoop,
            ticker: ManualTicker(),
            random: { 0 },
            onEvent: { _ in }
        )
        try await withTaskExecutorPreference(client.taskExecutor) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<20 {
                    group.addTask {
                        for step in 0..<50 {
                            #expect(eventLoop.inEventLoop)
                            let reply = try await client.send(echo("\(task) \(step)"))
                            #expect(reply.text == "\(task) \(step)")
                        }
                        #expect(eventLoop.inEventLoop)
                    }
                }
                try await group.waitForAll()
            }
        }
        await client.close()
        await server.stop()
    }

    @Test func severalCommandsStayTogetherAndTheirRepliesInOrder() async throws {
        let server = try await ScriptedServer.start { _, command in .text(Self.bulk((command.last ?? ""))) }
        let client = try makeClient(server)
        #expect(try await client.send([]).isEmpty)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<20 {
                group.addTask {
                    for round in 0..<20 {
                        let texts = (0..<5).map { "\(task) \(round) \($0)" }
                        let replies = try await client.send(texts.map { RedisCommand("ECHO", [.string($0)]) })
                        #expect(replies.map(\.text) == texts)
                    }
                }
            }
            try await group.waitForAll()
        }
        let words = server.commands.filter { $0[0] == "ECHO" }.map { $0[1].split(separator: " ") }
        for start in stride(from: 0, to: words.count, by: 5) { #expect(Set(words[start..<start + 5].map { $0[0] }).count == 1) }
        await client.close()
        await server.stop()
    }

    @Test func anErrorOfTheServerIsAValue() async throws {
        let server = try await ScriptedServer.start { _, _ in .text("-WRONGTYPE Operation\r\n") }
        let client = try makeClient(server)
        #expect(try await client.send(echo("a")) == .error("WRONGTYPE Operation"))
        #expect(try await client.send([echo("a"), echo("b")]) == [.error("WRONGTYPE Operation"), .error("WRONGTYPE Operation")])
        await client.close()
        await server.stop()
    }

    @Test func aLongCommandKeepsItsPlaceBetweenShortOnes() async throws {
        let server = try await ScriptedServer.start { _, command in .text(":\((command.last ?? "").utf8.count)\r\n") }
        let client = try makeClient(server)
        let lengths = [1, 20_000, 3, 300_000, 5]
        let replies = try await client.send(lengths.map { echo(String(repeating: "x", count: $0)) })
        #expect(replies == lengths.map { .integer(Int64($0)) })
        await withTaskGroup(of: Void.self) { group in
            for length in lengths + lengths {
                group.addTask { #expect(try! await client.send(echo(String(repeating: "x", count: length))) == .integer(Int64(length))) }
            }
        }
        await client.close()
        await server.stop()
    }

    // MARK: Order of events and replies

    @Test func aPushBeforeAReplyIsHandledBeforeTheReplyIsReturned() async throws {
        // Each value is pushed before it is replied, cut at a place that differs from one to the next.
        let server = try await ScriptedServer.start { _, command in
            .text(">2\r\n$10\r\ninvalidate\r\n*1\r\n\(Self.bulk((command.last ?? "")))\(Self.bulk((command.last ?? "")))")
        }
        let pushed = Shared<Set<String>>([])
        let client = try RedisClient(server.configuration.patient) { event in
            if case .push(let elements) = event, case .array(let keys)? = elements.last { pushed.update { $0.formUnion(keys.map(\.text)) } }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<32 {
                group.addTask {
                    for round in 0..<50 {
                        let text = "\(task)/\(round)"
                        let reply = try await client.send(RedisCommand("ECHO", [.string(text)]))
                        #expect(reply.text == text)
                        #expect(pushed.update { $0.contains(text) })
                    }
                }
            }
            try await group.waitForAll()
        }
        await client.close()
        await server.stop()
    }

    @Test func theEndOfAConnectionIsToldBeforeTheFailuresAndTheNextBeginningBeforeItsReplies() async throws {
        let server = try await ScriptedServer.start { connection, command in
            (command.last ?? "") == "end" ? .end : (command.last ?? "") == "wait" ? .nothing : .text(Self.bulk("\(connection)"))
        }
        let log = EventLog()
        let time = ManualTicker()
        let client = try makeClient(server, time, log)
        #expect(try await client.send(echo("a")).text == "1")
        // It has stood for long enough to be tried again at once.
        time.advance(by: .milliseconds(999))
        time.advance(by: .milliseconds(1))
        let failures = Shared<[[String]]>([])
        await withTaskGroup(of: Void.self) { group in
            for text in ["wait", "wait", "end"] {
                group.addTask {
                    let outcome = await self.outcome { () throws(RedisError) in try await client.send(self.echo(text)) }
                    failures.update { $0.append(log.entries) }
                    #expect(outcome.code == .connectionLost)
                }
            }
        }
        for entries in failures.update({ $0 }) { #expect(entries.starts(with: ["connected", "disconnected"])) }
        #expect(try await client.send(echo("b")).text == "2")
        #expect(log.entries == ["connected", "disconnected", "connected"])
        await client.close()
        await server.stop()
    }

    @Test(arguments: [1, 7, 100]) func aReplyIsNeverThatOfAnotherConnection(round: Int) async throws {
        // Every so many commands the connection ends, with replies outstanding.
        let counter = Shared(0)
        let server = try await ScriptedServer.start { connection, command in
            let count = counter.update { count in
                count += 1
                return count
            }
            return count % (31 * round) == 0 ? .end : .text(Self.bulk((command.last ?? "")))
        }
        let log = EventLog()
        let client = try RedisClient(server.configuration.patient, onEvent: log.take)
        let replied = Shared(0)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for index in 0..<100 {
                        let text = "\(task)/\(index)"
                        guard let reply = try? await client.send(RedisCommand("ECHO", [.string(text)])) else {
                            await Task.yield()
                            continue
                        }
                        #expect(reply.text == text)
                        replied.update { $0 += 1 }
                    }
                }
            }
        }
        #expect(replied.value > 0)
        await client.close()
        let entries = log.entries
        for (index, entry) in entries.enumerated() { #expect(entry == (index % 2 == 0 ? "connected" : "disconnected")) }
        await server.stop()
    }

    // MARK: Cut connections

    /// Two replies with a push between them, one of each kind of value among them.
    private static let answers = Array((bulk("first") + ">2\r\n+kind\r\n:1\r\n" + "*3\r\n:42\r\n_\r\n$0\r\n\r\n" + bulk("third")).utf8)

    @Test(arguments: 0...answers.count) func aConnectionCutAnywhereGivesRightRepliesOrFailures(offset: Int) async throws {
        let server = try await ScriptedServer.start { connection, command in
            guard command[0] == "LAST" else { return .nothing }
            return .bytesAndEnd(Array(Self.answers.prefix(offset)))
        }
        let time = ManualTicker()
        let client = try makeClient(server, time)
        async let first = outcome { () throws(RedisError) in try await client.send(RedisCommand("FIRST")) }
        await server.received(1)
        async let second = outcome { () throws(RedisError) in try await client.send(RedisCommand("SECOND")) }
        await server.received(2)
        async let third = outcome { () throws(RedisError) in try await client.send(RedisCommand("LAST")) }
        let outcomes = await [first, second, third]
        let expected: [RESPValue] = [
            .bulkString(ByteBuffer(string: "first")), .array([.integer(42), .null, .bulkString(ByteBuffer())]),
            .bulkString(ByteBuffer(string: "third")),
        ]
        var hasFailed = false
        for (outcome, value) in zip(outcomes, expected) {
            switch outcome {
            case .success(let reply):
                #expect(reply == value && !hasFailed)
            case .failure(let error):
                hasFailed = true
                #expect(error.code == .connectionLost)
            }
        }
        #expect(hasFailed == (offset < Self.answers.count))
        await client.close()
        await server.stop()
    }

    @Test func encryptionThatFailsBehindCommandsIsALossOfTheConnection() {
        let error = BoringSSLError.sslError([])
        #expect(RedisError.network(error, isReady: true).code == .connectionLost)
        #expect(RedisError.network(error, isReady: false).code == .tlsFailed)
    }

    @Test func aReplyCutIntoSingleBytesIsPutTogether() async throws {
        let server = try await ScriptedServer.start { _, _ in .nothing }
        let client = try makeClient(server)
        async let reply = client.send(echo("a"))
        await server.received(1)
        for byte in "$5\r\nhello\r\n" { server.send(String(byte)) }
        #expect(try await reply.text == "hello")
        await client.close()
        await server.stop()
    }

    @Test(arguments: ["hello\r\n", "$-5\r\n", ":1\r\n:2\r\n", "*1000000000\r\n"])
    func aServerThatSendsWhatWasNotAskedForIsLeft(bytes: String) async throws {
        let server = try await ScriptedServer.start { connection, command in .text(connection == 1 ? bytes : Self.bulk((command.last ?? ""))) }
        let time = ManualTicker()
        let log = EventLog()
        let client = try makeClient(server, time, log)
        await log.noted("connected")
        let outcome = await outcome { () throws(RedisError) in try await client.send(echo("a")) }
        if bytes.hasPrefix(":") { #expect(try outcome.get() == .integer(1)) } else { #expect(outcome.code == .protocolViolation) }
        await log.noted("disconnected")
        // It did not stand for long, so it is left alone for a moment.
        try await waitUntil { time.nextDeadline == 50_000_000 }
        time.advance(by: .milliseconds(50))
        await log.noted("connected", times: 2)
        #expect(try await client.send(echo("b")).text == "b")
        await client.close()
        await server.stop()
    }
}

extension Result where Failure == RedisError {
    var code: RedisError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
