// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import NIOCore
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

@Suite(.timeLimit(.minutes(2))) struct RedisClusterTests {
    /// Keys whose slots are on the first, second and third of three nodes.
    private static let keys = (1...3).map { third in
        (0...).lazy.map { "key\($0)" }.first { ClusterSlot.slot(of: $0.utf8) * 3 / ClusterSlot.count == third - 1 } ?? ""
    }
    private let a = Self.keys[0]
    private let b = Self.keys[1]
    private let c = Self.keys[2]
    private let fake = FakeCluster(ports: 1, 2, 3)
    private let ticker = ManualTicker()
    private let events = ClusterEvents()

    private func cluster(ticker: (any Ticker)? = nil, ports: [Int] = [1]) throws -> RedisCluster {
        var configuration = RedisConfiguration(address: .tcp(host: "node", port: ports[0]))
        configuration.otherAddresses = ports.dropFirst().map { .tcp(host: "node", port: $0) }
        // In real time, a busy machine needs long for commands that are tried again.
        if ticker is MonotonicTicker { configuration.commandTimeout = .seconds(4_000) }
        let (fake, events) = (fake, events)
        return try RedisCluster(configuration, ticker: ticker ?? self.ticker, random: { 0 }, onEvent: { events.append($0) }) { address, onEvent in
            fake.connect(address, onEvent)
        }
    }

    private func get(_ key: String) -> RedisCommand { RedisCommand("GET", key: .string(key)) }
    private func set(_ key: String, _ value: String) -> RedisCommand { RedisCommand("SET", key: .string(key), [.string(value)]) }

    @Test func eachCommandGoesToTheNodeThatHasItsSlot() async throws {
        let cluster = try cluster()
        for key in [a, b, c] { #expect(try await cluster.send(set(key, "of \(key)")) == .simpleString("OK")) }
        for key in [a, b, c] { #expect(try await cluster.send(get(key)) == .bulk("of \(key)")) }
        #expect(fake.commands(1).filter { $0.contains("key") } == ["SET \(a) of \(a)", "GET \(a)"])
        #expect(fake.commands(2).filter { $0.contains("key") } == ["SET \(b) of \(b)", "GET \(b)"])
        #expect(await cluster.nodes.count == 3)
        #expect(try await cluster.send(RedisCommand("PING")) == .simpleString("PONG"))
        await cluster.close()
    }

    @Test func theRepliesOfSeveralNodesComeInTheOrderOfTheCommands() async throws {
        let cluster = try cluster()
        let commands = [set(a, "1"), set(b, "2"), get(a), set(c, "3"), get(c), RedisCommand("PING"), get(b), set(a, "4"), get(a)]
        let ok = RESPValue.simpleString("OK")
        let expected: [RESPValue] = [ok, ok, .bulk("1"), ok, .bulk("3"), .simpleString("PONG"), .bulk("2"), ok, .bulk("4")]
        #expect(try await cluster.send(commands) == expected)
        #expect(try await cluster.send([]) == [])
        #expect(try await cluster.send([get(b)]) == [.bulk("2")])
        await cluster.close()
    }

    @Test func theFirstNodeThatAnswersTellsWhereTheOthersAre() async throws {
        fake.setDown(1, true)
        let cluster = try cluster(ports: [1, 2])
        #expect(try await cluster.send(set(b, "x")) == .simpleString("OK"))
        await cluster.close()
    }

    @Test func aNodeThatHasLostItsListOfNodesTellsOfNoSlots() async throws {
        fake.change(9) { $0.knowsNoSlots = true }
        let cluster = try cluster(ports: [9])
        // The only node that is known so far knows of nothing.
        await cluster.driver.refresh(isUrgent: true)?.value
        #expect(cluster.driver.state.withLock { $0.failure?.code } == .notReady)
        #expect(events.texts.isEmpty)
        fake.change(9) { $0.knowsNoSlots = false }
        ticker.advance(by: .seconds(1))
        #expect(try await cluster.send(set(a, "1")) == .simpleString("OK"))

        fake.change(9) { $0.knowsNoSlots = true }
        let known = try cluster.driver.node(at: .tcp(host: "node", port: 9))
        await cluster.driver.refresh(preferring: known, isUrgent: true)?.value
        #expect(await cluster.nodes.count == 3)
        #expect(events.texts == ["connected"], "The slots are where they were.")
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        await cluster.close()
    }

    @Test func aCommandFollowsItsSlot() async throws {
        let cluster = try cluster()
        #expect(try await cluster.send(set(a, "1")) == .simpleString("OK"))
        fake.failOver(from: 1, to: 2)
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        await cluster.driver.refresh()?.value
        let count = fake.commands(1).count
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        #expect(fake.commands(1).count == count, "It is known now.")
        #expect(events.texts == ["connected", "disconnected", "connected"])
        await cluster.close()
    }

    @Test func aCommandFollowsItsSlotToANodeThatWasNotKnown() async throws {
        let cluster = try cluster()
        #expect(try await cluster.send(set(a, "1")) == .simpleString("OK"))
        fake.change(4) { _ in }
        fake.failOver(from: 1, to: 4)
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        #expect(events.texts.last == "connected")
        await cluster.close()
    }

    @Test func commandsThatAreSentTogetherFollowTheirSlots() async throws {
        let cluster = try cluster()
        _ = try await cluster.send([set(a, "1"), set(b, "2"), set(c, "3")])
        fake.failOver(from: 1, to: 3)
        #expect(
            try await cluster.send([get(a), get(c), get(b), set(a, "4"), get(a)]) == [
                .bulk("1"), .bulk("3"), .bulk("2"), .simpleString("OK"), .bulk("4"),
            ]
        )
        await cluster.close()
    }

    @Test func whileASlotMovesEachKeyIsFoundWhereItIs() async throws {
        let cluster = try cluster()
        let slot = ClusterSlot.slot(of: a.utf8)
        let other = "{\(a)}other"
        _ = try await cluster.send([set(a, "1"), set(other, "2")])
        fake.beginMoving(slot, to: 2)
        #expect(try await cluster.send([get(a), get(other)]) == [.bulk("1"), .bulk("2")])
        fake.move(a)
        #expect(try await cluster.send([get(a), get(other)]) == [.bulk("1"), .bulk("2")])
        #expect(try await cluster.send(set(a, "3")) == .simpleString("OK"))
        #expect(try await cluster.send(get(a)) == .bulk("3"))
        #expect(fake.commands(2).suffix(2) == ["ASKING", "GET \(a)"])
        #expect(events.texts == ["connected"], "The slot is where it was.")
        fake.finishMoving(slot)
        #expect(try await cluster.send([get(a), get(other)]) == [.bulk("3"), .bulk("2")])
        #expect(events.texts == ["connected", "disconnected", "connected"])
        await cluster.close()
    }

    @Test(arguments: ["TRYAGAIN x", "CLUSTERDOWN x", "LOADING x"])
    func whatMayWorkLaterIsTriedAgain(error: String) async throws {
        let cluster = try cluster(ticker: MonotonicTicker())
        _ = try await cluster.send(set(a, "1"))
        fake.change(1) { $0.answers = [.error(error), .error(error)] }
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        fake.change(1) { $0.answers = [.error(error)] }
        #expect(try await cluster.send([get(b), get(a)]) == [.null, .bulk("1")])
        await cluster.close()
    }

    @Test func whatDoesNotWorkInTimeIsAnswered() async throws {
        let cluster = try cluster(ticker: HastyTicker())
        _ = try await cluster.send(set(a, "1"))
        fake.change(1) { $0.answers = Array(repeating: .error("CLUSTERDOWN x"), count: 100) }
        #expect(try await cluster.send(get(a)) == .error("CLUSTERDOWN x"))
        await cluster.close()
    }

    @Test func nodesThatPointAtEachOtherAreAnError() async throws {
        let cluster = try cluster()
        _ = try await cluster.send(set(a, "1"))
        let slot = ClusterSlot.slot(of: a.utf8)
        fake.change(1) { $0.answers = Array(repeating: .error("MOVED \(slot) node:2"), count: 100) }
        fake.change(2) { $0.answers = Array(repeating: .error("MOVED \(slot) node:1"), count: 100) }
        let error = await #expect(throws: RedisError.self) { try await cluster.send(get(a)) }
        #expect(error?.code == .notReady)
        #expect((fake.commands(1) + fake.commands(2)).filter { $0 == "GET \(a)" }.count == ClusterAttempt.maximumRedirectionCount + 1)
        await cluster.close()
    }

    @Test func otherErrorsAreReplies() async throws {
        let cluster = try cluster()
        _ = try await cluster.send(set(a, "1"))
        fake.change(1) { $0.answers = [.error("WRONGTYPE x")] }
        #expect(try await cluster.send(get(a)) == .error("WRONGTYPE x"))
        await cluster.close()
    }

    @Test func whenAReplicaTakesOverCommandsGoThere() async throws {
        let cluster = try cluster()
        _ = try await cluster.send([set(a, "1"), set(b, "2")])
        fake.setDown(1, true)
        #expect(events.texts.last == "disconnected")
        let error = await #expect(throws: RedisError.self) { try await cluster.send(get(a)) }
        #expect(error?.code == .connectionFailed)
        #expect(try await cluster.send(get(b)) == .bulk("2"))

        fake.failOver(from: 1, to: 3)
        ticker.advance(by: .seconds(1))
        #expect(try await cluster.send([get(a), get(b)]) == [.bulk("1"), .bulk("2")])
        // The node that is gone counts until it is given up.
        for _ in 1...3 { await cluster.driver.lookAround() }
        #expect(events.texts.last == "connected")
        await cluster.close()
    }

    @Test func aLossIsToldBeforeTheReplyOfTheNodeThatHasTheSlotNow() async throws {
        let cluster = try cluster()
        _ = try await cluster.send(set(a, "1"))
        fake.failOver(from: 1, to: 2)
        let before = events.texts.count
        _ = try await cluster.send(get(a))
        #expect(events.texts.dropFirst(before).first == "disconnected")
        await cluster.close()
    }

    @Test func manyCommandsAskOnceWhereTheSlotsAre() async throws {
        let gated = FakeCluster(ports: 1, 2, 3, slotsAreOpen: false)
        let cluster = try RedisCluster(RedisConfiguration(address: .tcp(host: "node", port: 1)), ticker: ticker, random: { 0 }, onEvent: { _ in }) {
            address,
            onEvent in
            gated.connect(address, onEvent)
        }
        try await withThrowingTaskGroup(of: RESPValue.self) { group in
            for number in 1...100 { group.addTask { try await cluster.send(RedisCommand("SET", key: .string("k\(number)"), [.string("v")])) } }
            await gated.slotsGate.arrivals(1)
            gated.slotsGate.open()
            for try await reply in group { #expect(reply == .simpleString("OK")) }
        }
        #expect(gated.commands(1).filter { $0 == "CLUSTER SLOTS" }.count == 1)
        await cluster.close()
    }

    @Test func aServerThatIsInNoClusterIsAnErrorThatSaysSo() async throws {
        let lonely = LonelyServer()
        let cluster = try RedisCluster(RedisConfiguration(address: .tcp(host: "a", port: 1)), ticker: HastyTicker(), random: { 0 }, onEvent: { _ in })
        { _, _ in
            lonely
        }
        let error = await #expect(throws: RedisError.self) { try await cluster.send(get(a)) }
        #expect(error?.code == .invalidConfiguration)
        #expect(await cluster.nodes.isEmpty)
        await cluster.close()
    }

    @Test func pushesOfAllNodesAreTold() async throws {
        let cluster = try cluster()
        _ = try await cluster.send([get(a), get(b), get(c)])
        for port in 1...3 { fake.tell(port, .push([.bulk("invalidate"), .integer(Int64(port))])) }
        #expect(events.texts == ["connected", "push 1", "push 2", "push 3"])
        await cluster.close()
    }

    @Test func aNodeThatTheOthersCannotReachIsNotListenedToAlone() async throws {
        let cluster = try cluster()
        _ = try await cluster.send(get(a))
        fake.change(2) { $0.isHealthy = false }
        await cluster.driver.lookAround()
        #expect(events.texts == ["connected", "disconnected"])
        fake.change(2) { $0.isHealthy = true }
        await cluster.driver.lookAround()
        #expect(events.texts == ["connected", "disconnected", "connected"])
        await cluster.close()
    }

    @Test func slotsThatMoveAreNoticedWithoutACommand() async throws {
        let cluster = try cluster()
        _ = try await cluster.send(get(a))
        await cluster.driver.lookAround()
        fake.failOver(from: 1, to: 2)
        ticker.advance(by: .seconds(1))
        await cluster.driver.lookAround()
        #expect(events.texts.prefix(3) == ["connected", "disconnected", "connected"])
        await cluster.close()
    }

    @Test func aClusterThatDoesNotKnowAllItsMastersTellsNone() async throws {
        let cluster = try cluster()
        #expect(await cluster.nodes.count == 3)
        // A slot without a node.
        fake.state.withLock { $0.owners[5] = 0 }
        #expect(await cluster.nodes.isEmpty)
        fake.state.withLock { $0.owners[5] = 2 }
        #expect(await cluster.nodes.count == 3)
        await cluster.close()
    }

    @Test func whenANodeWithKeysOfAMovingSlotIsGivenUpChangesMayHaveBeenMissed() async throws {
        let cluster = try cluster()
        fake.change(4) { _ in }
        _ = try await cluster.send(set(a, "1"))
        fake.beginMoving(ClusterSlot.slot(of: a.utf8), to: 4)
        fake.move(a)
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        let before = events.texts.count
        for _ in 1...2 { await cluster.driver.lookAround() }
        #expect(events.texts.dropFirst(before) == ["disconnected", "connected"])
        #expect(fake.state.withLock { $0.nodes[4]?.handlers.isEmpty } == true)
        #expect(try await cluster.send(get(a)) == .bulk("1"))
        await cluster.close()
    }

    @Test func aSeedThatIsNoMasterIsGivenUp() async throws {
        fake.change(9) { _ in }
        let cluster = try cluster(ports: [9])
        _ = try await cluster.send(get(a))
        for _ in 1...2 { await cluster.driver.lookAround() }
        #expect(fake.state.withLock { $0.nodes[9]?.handlers.isEmpty } == true)
        #expect(await cluster.nodes.count == 3)
        #expect(try await cluster.send(get(a)) == .null)
        #expect(events.texts.last == "connected")
        await cluster.close()
    }

    @Test func afterTheEndEverythingFails() async throws {
        let cluster = try cluster()
        _ = try await cluster.send(get(a))
        await cluster.close()
        await cluster.close()
        let error = await #expect(throws: RedisError.self) { try await cluster.send(get(a)) }
        #expect(error?.code == .closed)
        #expect(fake.state.withLock { state in state.nodes.values.allSatisfy { $0.handlers.isEmpty } })
    }

    @Test func aConfigurationThatCannotBeUsedIsRefusedAtOnce() throws {
        var configuration = RedisConfiguration(address: .tcp(host: "localhost", port: 1))
        configuration.database = 3
        let error = #expect(throws: RedisError.self) { try RedisCluster(configuration) }
        #expect(error?.code == .invalidConfiguration)
        let bad = #expect(throws: RedisError.self) {
            try RedisCluster(RedisConfiguration(address: .tcp(host: "a", port: 1)), ticker: ticker, random: { 0 }, onEvent: { _ in }) {
                _,
                _ throws(RedisError) in
                throw RedisError(.tlsFailed, "There is no such file.")
            }
        }
        #expect(bad?.code == .tlsFailed)
    }

    /// Slots move to and fro while values are written and read: a reading finds the last written
    /// value, whichever node has it.
    @Test(arguments: 1...8)
    func noValueIsWrongWhileSlotsMove(seed: UInt64) async throws {
        let cluster = try cluster(ticker: MonotonicTicker())
        _ = try await cluster.send(get(a))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: seed << 8 | UInt64(worker))
                    let keys = (0..<3).map { "w\(worker)k\($0)" }
                    var model: [String: String] = [:]
                    for step in 0..<120 {
                        let key = keys[Int.random(in: 0..<3, using: &random)]
                        do {
                            if Bool.random(using: &random) {
                                model[key] = "\(step)"
                                #expect(try await cluster.send(set(key, "\(step)")) == .simpleString("OK"))
                            } else {
                                let expected = keys.map { model[$0].map { RESPValue.bulk($0) } ?? .null }
                                #expect(try await cluster.send(keys.map { get($0) }) == expected, "seed \(seed)")
                            }
                        } catch {
                            Issue.record("seed \(seed): \(error)")
                        }
                    }
                }
            }
            group.addTask {
                var random = SeededGenerator(seed: seed)
                for _ in 0..<60 {
                    let key = "w\(Int.random(in: 0..<8, using: &random))k\(Int.random(in: 0..<3, using: &random))"
                    let slot = ClusterSlot.slot(of: key.utf8)
                    fake.beginMoving(slot, to: Int.random(in: 1...4, using: &random))
                    await Task.yield()
                    if Bool.random(using: &random) { fake.move(key) }
                    await Task.yield()
                    fake.finishMoving(slot)
                    await Task.yield()
                }
            }
        }
        await cluster.close()
    }
}

/// The reports of a cluster, in order.
private final class ClusterEvents: Sendable {
    private let log = Mutex<[String]>([])

    func append(_ event: RedisEvent) {
        let text =
            switch event {
            case .connected: "connected"
            case .disconnected: "disconnected"
            case .push(let elements): if case .integer(let number)? = elements.last { "push \(number)" } else { "push" }
            }
        log.withLock { $0.append(text) }
    }

    var texts: [String] { log.withLock { $0 } }
}

/// Time that passes as soon as a task waits for it.
private final class HastyTicker: Ticker {
    private let now = Mutex<Int64>(0)

    func nanoseconds() -> Int64 { now.withLock { $0 } }

    func sleep(until deadline: Int64) async throws {
        try Task.checkCancellation()
        now.withLock { $0 = max($0, deadline) }
        await Task.yield()
    }
}

private final class LonelyServer: RedisConnection {
    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue { .error("ERR This instance has cluster support disabled") }
    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] { try await [send(commands[0])] }
    func close() async {}
}
