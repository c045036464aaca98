// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardNIOTestSupport
import HoardTesting
import Testing

@testable import HoardProxy

@Suite struct OriginGroupStateMachineTests {
    private static func machine(_ count: Int) -> OriginGroupStateMachine {
        OriginGroupStateMachine(
            serverCount: count,
            settings: .init(failureThreshold: 1, successThreshold: 1, pause: 100, maximumPause: 100, probeTime: 50),
            now: 0
        )
    }

    /// Makes the machine know that a server does not answer.
    private static func kill(_ server: Int, in machine: inout OriginGroupStateMachine, at now: Int64 = 0) throws {
        guard let ticket = machine.send(to: server, at: now) else { throw TestFailure() }
        machine.ended(ticket, .failed(.unreachable), at: now)
    }

    @Test func equalsAreTakenInTurn() {
        var machine = Self.machine(3)
        var servers: [Int] = []
        for _ in 0..<6 {
            guard let ticket = machine.choose(at: 0, isRepeatable: true) else { continue }
            servers.append(ticket.server)
            machine.answered(ticket, after: 1)
            machine.ended(ticket, .complete, at: 0)
        }
        #expect(servers == [0, 1, 2, 0, 1, 2])
    }

    @Test func requestThatIsWithdrawnLeavesTheTurnToItsServer() throws {
        var machine = Self.machine(3)
        var servers: [Int] = []
        for _ in 0..<6 {
            machine.withdraw(try machine.ticket(at: 0))
            let ticket = try machine.ticket(at: 0)
            servers.append(ticket.server)
            machine.ended(ticket, .complete, at: 0)
        }
        #expect(servers == [0, 1, 2, 0, 1, 2])
    }

    @Test func leastBusyIsTaken() throws {
        var machine = Self.machine(3)
        let tickets = try (0..<3).map { _ in try machine.ticket(at: 0) }
        machine.ended(tickets[1], .complete, at: 0)
        #expect(machine.choose(at: 0, isRepeatable: true)?.server == 1)
        #expect(machine.servers.map(\.inProgressCount) == [1, 1, 1])
    }

    @Test func deadServerGetsNothingUntilItsProbeIsDue() throws {
        var machine = Self.machine(2)
        try Self.kill(0, in: &machine)
        for _ in 0..<4 { #expect(machine.choose(at: 99, isRepeatable: true)?.server == 1) }
        let probe = try machine.ticket(at: 100)
        #expect(probe.server == 0 && probe.isProbe)
        // One is enough.
        #expect(machine.choose(at: 100, isRepeatable: true)?.server == 1)
        machine.answered(probe, after: 1)
        machine.ended(probe, .complete, at: 100)
        #expect(machine.choose(at: 100, isRepeatable: true)?.server == 0)
    }

    @Test func requestThatCannotBeRepeatedIsNoProbeWhileAnotherServerIsWell() throws {
        var machine = Self.machine(2)
        try Self.kill(0, in: &machine)
        #expect(machine.choose(at: 100, isRepeatable: false)?.server == 1)
        try Self.kill(1, in: &machine, at: 100)
        #expect(machine.choose(at: 100, isRepeatable: false)?.server == 0)
    }

    @Test func ifAllAreDeadRequestsAreRefusedUntilTheNextTry() throws {
        var machine = Self.machine(2)
        try Self.kill(0, in: &machine, at: 0)
        try Self.kill(1, in: &machine, at: 50)
        #expect(machine.choose(at: 60, isRepeatable: true) == nil)
        #expect(machine.nextTry(at: 60) == 100)
        #expect(machine.choose(at: 100, isRepeatable: true)?.server == 0)
        #expect(machine.choose(at: 100, isRepeatable: true) == nil)
        #expect(machine.nextTry(at: 100) == 150)
    }

    @Test func lastServerThatTakesRequestsIsLeftAloneOnlyIfItCannotBeReached() throws {
        var machine = Self.machine(2)
        for _ in 0..<2 { machine.ended(try machine.ticket(at: 0), .failed(.inExchange), at: 0) }
        // The first to fail had a stand-in; the second has none any more.
        #expect(machine.servers.map(\.health.isClosed) == [false, true])
        for _ in 0..<5 { machine.ended(try machine.ticket(at: 0), .failed(.inExchange), at: 0) }
        #expect(machine.choose(at: 0, isRepeatable: true)?.server == 1)
        try Self.kill(1, in: &machine)
        #expect(machine.choose(at: 0, isRepeatable: true) == nil)
    }

    @Test func streamedRequestIsAProbeOnlyIfNoOtherComes() throws {
        var machine = Self.machine(1)
        try Self.kill(0, in: &machine)
        #expect(machine.choose(at: 149, isRepeatable: false, isStreamed: true) == nil)
        #expect(machine.choose(at: 149, isRepeatable: false)?.isProbe == true)
        machine = Self.machine(1)
        try Self.kill(0, in: &machine)
        #expect(machine.choose(at: 150, isRepeatable: false, isStreamed: true)?.isProbe == true)
        // The probe may take its time, but other requests wait only so long for it.
        #expect(machine.choose(at: 199, isRepeatable: true) == nil)
        #expect(machine.nextTry(at: 199) == 200)
        #expect(machine.choose(at: 200, isRepeatable: true)?.isProbe == true)
    }

    @Test func serverThatFailsItsChecksIsTheLastChoice() {
        var machine = Self.machine(2)
        machine.checked(0, .rejected, at: 0)
        for _ in 0..<3 { #expect(machine.choose(at: 0, isRepeatable: true)?.server == 1) }
        #expect(machine.choose(at: 0, excluding: [1], isRepeatable: true)?.server == 0)
        // If all fail them, the checks may be wrong: requests are served in turn.
        machine.checked(1, .rejected, at: 0)
        let servers = (0..<4).compactMap { _ in machine.choose(at: 0, isRepeatable: true)?.server }
        #expect(Set(servers) == [0, 1])
    }

    @Test func requestThatWasNotSentAfterAllLeavesNoTrace() throws {
        var machine = Self.machine(1)
        try Self.kill(0, in: &machine)
        let probe = try machine.ticket(at: 100)
        machine.withdraw(probe)
        #expect(machine.servers[0].inProgressCount == 0 && machine.servers[0].requestCount == 1)
        #expect(machine.choose(at: 100, isRepeatable: true) != nil)
    }

    @Test func requestsAndFailuresAreCountedAndTimesAveraged() throws {
        var machine = Self.machine(1)
        let first = try machine.ticket(at: 0)
        machine.answered(first, after: 800)
        machine.ended(first, .complete, at: 0)
        let second = try machine.ticket(at: 0)
        machine.answered(second, after: 1_600)
        #expect(machine.servers[0].meanResponseTime == 900)
        // The content broke off.
        machine.ended(second, .failed(.inExchange), at: 0)
        #expect(machine.servers[0].requestCount == 2 && machine.servers[0].failureCount == 1)
        #expect(machine.servers[0].health.state == .healthy)
    }

    @Test(arguments: 0..<10)
    func whatIsInProgressEndsAtZero(_ round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var machine = Self.machine(4)
        var tickets: [OriginGroupStateMachine.Ticket] = []
        for step in 0..<1_000 {
            let now = Int64(step * 7)
            if Bool.random(using: &random), let ticket = machine.choose(at: now, isRepeatable: Bool.random(using: &random)) {
                tickets.append(ticket)
            } else if let index = tickets.indices.randomElement(using: &random) {
                let ending: OriginGroupStateMachine.Ending =
                    [.complete, .failed(.unreachable), .failed(.inExchange), .abandoned].randomElement(using: &random) ?? .complete
                if ending == .complete { machine.answered(tickets[index], after: 1) }
                machine.ended(tickets.remove(at: index), ending, at: now)
            }
            #expect(machine.servers.map(\.inProgressCount).reduce(0, +) == tickets.count, "seed \(seed)")
        }
        for ticket in tickets { machine.ended(ticket, .abandoned, at: 7_000) }
        #expect(machine.servers.allSatisfy { $0.inProgressCount == 0 }, "seed \(seed)")
        #expect(machine.choose(at: 10_000, isRepeatable: true) != nil, "seed \(seed)")
    }
}

extension OriginGroupStateMachine {
    /// The server for a request. There must be one.
    fileprivate mutating func ticket(at now: Int64) throws -> Ticket {
        guard let ticket = choose(at: now, isRepeatable: true) else { throw TestFailure() }
        return ticket
    }
}
