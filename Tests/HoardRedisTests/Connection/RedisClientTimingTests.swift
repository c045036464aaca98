// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import NIOCore
import NIOPosix
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

/// Time that a test moves: deadlines, heartbeats, waits between attempts, limits, cancellation, the end.
@Suite(.timeLimit(.minutes(2))) struct RedisClientTimingTests {
    private func makeClient(
        _ server: ScriptedServer,
        _ time: ManualTicker,
        _ log: EventLog = EventLog(),
        change: (inout RedisConfiguration) -> Void = { _ in }
    ) throws -> RedisClient {
        var configuration = server.configuration
        configuration.heartbeatInterval = .seconds(1_000)
        change(&configuration)
        return try RedisClient(configuration, eventLoop: MultiThreadedEventLoopGroup.singleton.any(), ticker: time, random: { 0 }, onEvent: log.take)
    }

    private func echo(_ text: String) -> RedisCommand { RedisCommand("ECHO", [.string(text)]) }

    private func outcome(_ body: () async throws(RedisError) -> RESPValue) async -> Result<RESPValue, RedisError> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// Notes `over` at the end.
    private func noting(_ log: EventLog, _ body: () async throws(RedisError) -> RESPValue) async -> Result<RESPValue, RedisError> {
        let outcome = await outcome(body)
        log.note("over")
        return outcome
    }

    /// Moves time by small steps until a condition holds. It may run ahead of the network.
    private func advance(_ time: ManualTicker, until condition: () -> Bool) async throws {
        try await waitUntil {
            if !condition() { time.advance(by: .milliseconds(10)) }
            return condition()
        }
    }

    // MARK: Deadlines

    @Test func aCommandWithoutReplyFailsAtItsDeadlineAndItsLateReplyIsDropped() async throws {
        let server = try await ScriptedServer.start { _, command in (command.last ?? "") == "slow" ? .nothing : .text("+\((command.last ?? ""))\r\n")
        }
        let time = ManualTicker()
        let log = EventLog()
        let client = try makeClient(server, time, log)
        #expect(try await client.send(echo("quick")).text == "quick")
        async let slow = outcome { () throws(RedisError) in try await client.send(echo("slow")) }
        await server.received(2)
        time.advance(by: .seconds(1))
        #expect(await slow.code == .timedOut)
        // The connection stands; the reply belongs to no command, and the next one to the next command.
        async let next = client.send(echo("next"))
        await server.received(3)
        server.send("+late\r\n")
        // The server had answered `next` before, so it now sends a third reply. So the first,
        // which is `next`, was dropped.
        #expect(try await next.text == "late")
        #expect(log.entries == ["connected"])
        await client.close()
        await server.stop()
    }

    @Test func noCommandFailsBeforeItsDeadline() async throws {
        let server = try await ScriptedServer.start { _, _ in .nothing }
        let time = ManualTicker()
        let client = try makeClient(server, time)
        let failed = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
                group.addTask {
                    let outcome = await self.outcome { () throws(RedisError) in try await client.send(self.echo("\(index)")) }
                    #expect(outcome.code == .timedOut)
                    #expect(time.nanoseconds() >= Int64(index) * 100_000_000 + 1_000_000_000)
                    failed.update { $0.append(index) }
                }
                await server.received(index + 1)
                time.advance(by: .milliseconds(100))
            }
            try await self.advance(time) { failed.update { $0.count } == 4 }
        }
        await client.close()
        await server.stop()
    }

    @Test func severalCommandsFailTogether() async throws {
        let server = try await ScriptedServer.start { _, command in (command.last ?? "") == "b" ? .nothing : .text("+OK\r\n") }
        let time = ManualTicker()
        let client = try makeClient(server, time)
        async let outcome = outcome { () throws(RedisError) in try await client.send([echo("a"), echo("b"), echo("c")])[0] }
        await server.received(3)
        time.advance(by: .seconds(1))
        #expect(await outcome.code == .timedOut)
        await client.close()
        await server.stop()
    }

    // MARK: Limits and cancellation

    @Test func moreCommandsThanMayWaitAreRefused() async throws {
        let server = try await ScriptedServer.start { _, _ in .nothing }
        let time = ManualTicker()
        let client = try makeClient(server, time) { $0.maximumPendingCommands = 3 }
        let outcomes = await withTaskGroup(of: RedisError.Code?.self) { group in
            for index in 0..<3 { group.addTask { await self.outcome { () throws(RedisError) in try await client.send(self.echo("\(index)")) }.code } }
            await server.received(3)
            for _ in 0..<5 {
                let refused = await outcome { () throws(RedisError) in try await client.send(echo("more")) }
                #expect(refused.code == .tooManyCommands)
            }
            let many = await outcome { () throws(RedisError) in try await client.send([echo("x"), echo("y")])[0] }
            #expect(many.code == .tooManyCommands)
            time.advance(by: .seconds(1))
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == [.timedOut, .timedOut, .timedOut])
        // Commands without a waiting caller count until their replies have come.
        #expect(await outcome { () throws(RedisError) in try await client.send(echo("more")) }.code == .tooManyCommands)
        await client.close()
        await server.stop()
    }

    @Test func bytesAreLimitedToo() async throws {
        let server = try await ScriptedServer.start { _, _ in .nothing }
        let time = ManualTicker()
        let client = try makeClient(server, time) { $0.maximumPendingBytes = 1_000 }
        async let long = outcome { () throws(RedisError) in try await client.send(echo(String(repeating: "x", count: 5_000))) }
        await server.received(1)
        #expect(await outcome { () throws(RedisError) in try await client.send(echo("more")) }.code == .tooManyCommands)
        await client.close()
        #expect(await long.code == .closed)
        await server.stop()
    }

    @Test func aCancelledTaskLeavesAtOnceAndItsReplyGoesToNobody() async throws {
        let server = try await ScriptedServer.start { _, _ in .nothing }
        let client = try makeClient(server, ManualTicker())
        let waiting = Task { await outcome { () throws(RedisError) in try await client.send(echo("a")) } }
        await server.received(1)
        waiting.cancel()
        #expect(await waiting.value.code == .cancelled)
        async let next = client.send(echo("b"))
        await server.received(2)
        server.send("+a\r\n+b\r\n")
        #expect(try await next.text == "b")
        // A command that is cancelled before it begins leaves as well.
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await outcome { () throws(RedisError) in try await client.send([echo("c"), echo("d")])[0] }
        }
        #expect(await late.value.code == .cancelled)
        await client.close()
        await server.stop()
    }

    @Test func tasksThatAreCancelledInAnyMomentEndOnceAndOthersGetTheirReplies() async throws {
        let server = try await ScriptedServer.start { _, command in .text("+\((command.last ?? ""))\r\n") }
        let client = try makeClient(server, ManualTicker())
        for seed in UInt64(0)..<20 {
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<50 {
                    group.addTask {
                        var random = SeededNumbers(seed &* 1_000 &+ UInt64(task))
                        let work = Task { await self.outcome { () throws(RedisError) in try await client.send(self.echo("\(task)")) } }
                        for _ in 0..<random.next() % 4 { await Task.yield() }
                        if random.next() % 2 == 0 { work.cancel() }
                        switch await work.value {
                        case .success(let reply): #expect(reply.text == "\(task)", "seed \(seed)")
                        case .failure(let error): #expect(error.code == .cancelled, "seed \(seed)")
                        }
                    }
                }
            }
        }
        #expect(try await client.send(echo("end")).text == "end")
        await client.close()
        await server.stop()
    }

    // MARK: Heartbeats

    @Test func aSilentServerIsAskedAndItsAnswerKeepsTheConnection() async throws {
        let server = try await ScriptedServer.start { _, command in .text(command[0] == "PING" ? "+PONG\r\n" : "+OK\r\n") }
        let time = ManualTicker()
        let log = EventLog()
        let client = try makeClient(server, time, log) {
            $0.heartbeatInterval = .seconds(1)
            $0.heartbeatTimeout = .seconds(1_000)
            $0.commandTimeout = .seconds(1_000)
        }
        _ = try await client.send(echo("a"))
        // The server has been heard at 0, and is asked a second later. The answers are judged 1,000 seconds after their questions, and the next question follows.
        for count in 1...5 {
            time.advance(by: .seconds(count == 1 ? 1 : 1_000))
            try await waitUntil { server.commands.count { $0 == ["PING"] } == count }
            try await waitUntil { client.driver.state.withLock { $0.queue.isEmpty } }
        }
        #expect(try await client.send(echo("b")).text == "OK")
        #expect(server.commands.suffix(6).prefix(5).allSatisfy { $0 == ["PING"] })
        #expect(server.connectionCount == 1)
        await client.close()
        await server.stop()
    }

    @Test func aServerThatAnswersNoMoreIsLeft() async throws {
        let server = try await ScriptedServer.start { connection, command in connection == 1 && command[0] == "PING" ? .nothing : .text("+OK\r\n") }
        let time = ManualTicker()
        let log = EventLog()
        let client = try makeClient(server, time, log) {
            $0.heartbeatInterval = .seconds(1)
            $0.heartbeatTimeout = .seconds(2)
        }
        _ = try await client.send(echo("a"))
        // It was heard last at 0, is asked at 1 second and given up 2 seconds after that.
        time.advance(by: .seconds(1))
        try await waitUntil { server.commands.contains(["PING"]) }
        try await advance(time) { log.entries.contains("disconnected") }
        #expect(time.nanoseconds() >= 3_000_000_000)
        #expect(try await client.send(echo("b")).text == "OK")
        #expect(log.entries == ["connected", "disconnected", "connected"])
        await client.close()
        await server.stop()
    }

    @Test func anAnswerThatComesWhileTheEventLoopStandsStillCounts() async throws {
        let server = try await ScriptedServer.start { _, command in command[0] == "PING" ? .nothing : .text("+OK\r\n") }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let time = ManualTicker()
        let log = EventLog()
        var configuration = server.configuration
        configuration.heartbeatTimeout = .seconds(1_000)
        let client = try RedisClient(configuration, eventLoop: group.any(), ticker: time, random: { 0 }, onEvent: log.take)
        let driver = client.driver
        _ = try await client.send(echo("a"))
        time.advance(by: .seconds(1))
        try await waitUntil { server.commands.contains(["PING"]) }
        let (standsStill, isJudged) = (Shared(false), Shared(false))
        // Right behind the judgement.
        _ = driver.deadlines.schedule(at: 1_001_000_000_001) { isJudged.update { $0 = true } }
        group.any().execute {
            standsStill.update { $0 = true }
            while driver.loopState.value.connection?.hasUnreadBytes == false || !isJudged.value {}
        }
        try await waitUntil { standsStill.value }
        server.send("+PONG\r\n")
        time.advance(by: .seconds(1_001))
        #expect(try await client.send(echo("b")).text == "OK")
        #expect(log.entries == ["connected"])
        await client.close()
        await server.stop()
        try await group.shutdownGracefully()
    }

    // MARK: Attempts

    @Test func afterAFailureCommandsFailAtOnceUntilTheServerIsBack() async throws {
        let server = try await ScriptedServer.start { _, command in .text("+OK\r\n") }
        server.setDown(true)
        let time = ManualTicker()
        let log = EventLog()
        let client = try makeClient(server, time, log) {
            $0.connectTimeout = .seconds(1_000_000)
            $0.commandTimeout = .seconds(1_000)
        }
        // The first attempt is waited for.
        let first = await outcome { () throws(RedisError) in try await client.send(echo("a")) }
        #expect(first.code == .connectionFailed)
        let second = await outcome { () throws(RedisError) in try await client.send(echo("a")) }
        #expect(second.code == .connectionFailed)
        #expect(log.entries.isEmpty)
        for wait: Int64 in [50, 100, 200, 400, 800, 1_600, 2_000, 2_000] {
            let next = time.nanoseconds() + wait * 1_000_000
            try await waitUntil { time.nextDeadline == next }
            let count = server.connectionCount
            time.advance(by: .milliseconds(wait))
            try await waitUntil { server.connectionCount == count + 1 }
        }
        server.setDown(false)
        try await advance(time) { !log.entries.isEmpty }
        #expect(try await client.send(echo("a")).text == "OK")
        await client.close()
        #expect(log.entries == ["connected", "disconnected"])
        await server.stop()
    }

    @Test func aServerThatSaysNothingAtTheBeginningIsGivenUp() async throws {
        let server = try await ScriptedServer.startPlain { _, _ in .nothing }
        let time = ManualTicker()
        let client = try makeClient(server, time) {
            $0.connectTimeout = .seconds(3)
            $0.commandTimeout = .seconds(60)
        }
        let log = EventLog()
        async let outcome = noting(log) { () throws(RedisError) in try await client.send(echo("a")) }
        try await advance(time) { log.entries == ["over"] }
        #expect(await outcome.code == .connectionFailed)
        #expect(time.nanoseconds() >= 3_000_000_000)
        await client.close()
        await server.stop()
    }

    @Test func aCommandThatWaitsForAConnectionHasItsDeadline() async throws {
        let server = try await ScriptedServer.startPlain { _, _ in .nothing }
        let time = ManualTicker()
        let client = try makeClient(server, time) { $0.connectTimeout = .seconds(100_000) }
        let log = EventLog()
        async let outcome = noting(log) { () throws(RedisError) in try await client.send(echo("a")) }
        try await advance(time) { log.entries == ["over"] }
        #expect(await outcome.code == .timedOut)
        await client.close()
        await server.stop()
    }

    /// Otherwise a write whose caller was told of a failure could undo a later one of another process.
    @Test func commandsWhoseTimeIsOverBeforeThereIsAConnectionAreNotSent() async throws {
        let server = try await ScriptedServer.startPlain { _, command in
            command.first == "HELLO" ? .nothing : .text("+\(command.last ?? "")\r\n")
        }
        let time = ManualTicker()
        let client = try makeClient(server, time) { $0.connectTimeout = .seconds(100_000) }
        // A long command is encoded apart.
        let late = [echo("a"), echo(String(repeating: "b", count: 20_000)), echo("c")]
        async let outcome = outcome { () throws(RedisError) in .array(try await client.send(late)) }
        try await waitUntil { client.driver.state.withLock { $0.queue.count == 3 } }
        time.advance(by: .seconds(1))
        #expect(await outcome.code == .timedOut)
        async let next = client.send(echo("next"))
        try await waitUntil { client.driver.state.withLock { $0.queue.count == 4 } && server.commands.count == 1 }
        server.send(ScriptedServer.hello)
        #expect(try await next.text == "next")
        #expect(server.commands.dropFirst().map { $0.last } == ["next"])
        await client.close()
        await server.stop()
    }

    @Test(arguments: [
        ("-WRONGPASS invalid username-password pair\r\n", RedisError.Code.authenticationFailed),
        ("-ERR unknown command `HELLO`\r\n", .unsupportedServer), ("HTTP/1.1 400 Bad Request\r\n\r\n", .protocolViolation),
        ("*0\r\n", .unsupportedServer),
    ])
    func aRefusedLoginIsTheReasonForEveryCommand(answer: String, code: RedisError.Code) async throws {
        let server = try await ScriptedServer.startPlain { _, _ in .text(answer) }
        let client = try makeClient(server, ManualTicker())
        for _ in 0..<3 { #expect(await outcome { () throws(RedisError) in try await client.send(echo("a")) }.code == code) }
        await client.close()
        await server.stop()
    }

    // MARK: The end

    @Test func theEndIsToldToAllAndComesOnce() async throws {
        let server = try await ScriptedServer.start { _, _ in .nothing }
        let log = EventLog()
        let client = try makeClient(server, ManualTicker(), log)
        let outcomes = await withTaskGroup(of: RedisError.Code?.self) { group in
            for index in 0..<10 {
                group.addTask { await self.outcome { () throws(RedisError) in try await client.send(self.echo("\(index)")) }.code }
            }
            await server.received(10)
            await client.close()
            await client.close()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .closed, count: 10))
        #expect(await outcome { () throws(RedisError) in try await client.send(echo("a")) }.code == .closed)
        #expect(log.entries == ["connected", "disconnected"])
        await server.stop()
    }

    /// Otherwise a write that was given up could be carried out after a later one, which another connection has carried.
    @Test func bytesOfCommandsThatAreGivenUpAreNotSentAnyMore() async throws {
        let server = try await ScriptedServer.startPlain { _, _ in .lastText(ScriptedServer.hello) }
        let client = try makeClient(server, ManualTicker())
        // More than the sockets take.
        let value = ByteBuffer(repeating: 7, count: 32 << 20)
        async let outcome = outcome { () throws(RedisError) in try await client.send(RedisCommand("SET", key: .string("a"), [.buffer(value)])) }
        try await waitUntil { client.driver.state.withLock { !$0.queue.isEmpty && $0.outgoing.isEmpty } }
        await client.close()
        #expect(await outcome.code == .closed)
        // Otherwise the server would find the end of the connection behind the bytes.
        try await waitUntil { server.failureCount > 0 }
        await server.stop()
    }

    @Test func aClientThatNobodyHasAnyMoreEndsItsConnection() async throws {
        let server = try await ScriptedServer.start { _, _ in .text("+OK\r\n") }
        let log = EventLog()
        do {
            let client = try makeClient(server, ManualTicker(), log)
            _ = try await client.send(echo("a"))
        }
        await log.noted("disconnected")
        await server.stop()
    }

    @Test func closingWhileConnectingEndsWhatWaits() async throws {
        let server = try await ScriptedServer.startPlain { _, _ in .nothing }
        let client = try makeClient(server, ManualTicker())
        async let outcome = outcome { () throws(RedisError) in try await client.send(echo("a")) }
        try await waitUntil { client.driver.state.withLock { !$0.queue.isEmpty } }
        await client.close()
        #expect(await outcome.code == .closed)
        await server.stop()
    }
}
