// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import HoardTransports

@Suite struct ConnectionPoolStateMachineTests {
    private final class Connection {}
    private typealias Machine = ConnectionPoolStateMachine<Connection, Int>

    private static let server = OriginServer(isSecure: false, host: "a", port: 80)

    private static func machine(connections: Int = 2, idle: Int = 2, waiters: Int = 2) -> Machine {
        Machine(maximumConnectionCountPerHost: connections, maximumIdleCountPerHost: idle, maximumWaiterCountPerHost: waiters)
    }

    /// Leases for the waiter `id`, and says in a word what came of it.
    private static func lease(_ machine: inout Machine, _ id: Int, fresh: Bool = false) -> String {
        switch machine.lease(server, id: UInt64(id), waiter: id, wantsFresh: fresh, isPreferred: { _ in false }) {
        case .use: "use"
        case .waitAndOpen(nil): "open"
        case .waitAndOpen: "closeAndOpen"
        case .wait: "wait"
        case .refuse(let error): "\(error)"
        }
    }

    private static func describe(_ action: Machine.FreeAction) -> String {
        switch action {
        case .handOver(_, let waiter): "\(waiter)"
        case .keep: "keep"
        case .close: "close"
        case .closeAndOpen: "closeAndOpen"
        }
    }

    @Test func connectionsAreMadeUpToTheLimitThenRequestsWait() {
        var machine = Self.machine()
        let outcomes = (1...5).map { Self.lease(&machine, $0) }
        #expect(outcomes == ["open", "open", "wait", "wait", "tooManyWaiting"])
    }

    @Test func whoWaitsLongestIsServedFirst() {
        var machine = Self.machine(connections: 1)
        let connection = Connection()
        for id in 1...3 { _ = Self.lease(&machine, id) }
        #expect(Self.describe(machine.opened(connection, to: Self.server)) == "1")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "2")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "3")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "keep")
        #expect(Self.lease(&machine, 4) == "use")
    }

    @Test func lastUsedConnectionOfThePreferredKindIsTaken() {
        var machine = Self.machine(connections: 3, idle: 3)
        let connections = [Connection(), Connection(), Connection()]
        for (index, connection) in connections.enumerated() {
            _ = Self.lease(&machine, index)
            _ = machine.opened(connection, to: Self.server)
        }
        for connection in connections { _ = machine.released(connection, to: Self.server) }
        #expect(machine.leaseIdle(Self.server) { $0 === connections[1] } === connections[1])
        #expect(machine.leaseIdle(Self.server) { $0 === connections[1] } === connections[2])
        #expect(machine.leaseIdle(OriginServer(isSecure: true, host: "a", port: 80)) { _ in true } == nil)
    }

    @Test func noMoreIdleConnectionsAreKeptThanAllowed() {
        var machine = Self.machine(connections: 2, idle: 1)
        let connections = [Connection(), Connection()]
        for (index, connection) in connections.enumerated() {
            _ = Self.lease(&machine, index)
            _ = machine.opened(connection, to: Self.server)
        }
        #expect(Self.describe(machine.released(connections[0], to: Self.server)) == "keep")
        #expect(Self.describe(machine.released(connections[1], to: Self.server)) == "close")
    }

    @Test func endOfAConnectionMakesRoomForWhoWaits() {
        var machine = Self.machine(connections: 1)
        let connection = Connection()
        for id in 1...2 { _ = Self.lease(&machine, id) }
        _ = machine.opened(connection, to: Self.server)
        #expect(machine.closed(connection, to: Self.server) == true)
        #expect(Self.describe(machine.opened(Connection(), to: Self.server)) == "2")
    }

    @Test func failureIsToldToOneAndTheNextIsTried() {
        var machine = Self.machine(connections: 1)
        for id in 1...2 { _ = Self.lease(&machine, id) }
        let first = machine.openingFailed(Self.server)
        #expect(first.waiter == 1 && first.opensAnother)
        let second = machine.openingFailed(Self.server)
        #expect(second.waiter == 2 && !second.opensAnother)
        #expect(machine.hosts.isEmpty)
    }

    @Test func failureIsToldToNobodyWhoHasBeenServed() {
        var machine = Self.machine()
        let connection = Connection()
        for id in 1...2 { _ = Self.lease(&machine, id) }
        _ = machine.opened(connection, to: Self.server)
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "2")
        #expect(machine.openingFailed(Self.server).waiter == nil)
    }

    @Test func freshConnectionIsMadeAlthoughOthersAreIdle() {
        var machine = Self.machine(connections: 1)
        let used = Connection()
        _ = Self.lease(&machine, 1)
        _ = machine.opened(used, to: Self.server)
        _ = machine.released(used, to: Self.server)
        #expect(Self.lease(&machine, 2, fresh: true) == "closeAndOpen")
        let fresh = Connection()
        #expect(Self.describe(machine.opened(fresh, to: Self.server)) == "2")
        // The one that had to go is told to have ended later.
        #expect(machine.closed(used, to: Self.server) == false)
        #expect(Self.describe(machine.released(fresh, to: Self.server)) == "keep")
    }

    @Test func connectionThatBecomesFreeIsReplacedForWhoWantsAFreshOne() {
        var machine = Self.machine(connections: 1)
        let used = Connection()
        _ = Self.lease(&machine, 1)
        _ = machine.opened(used, to: Self.server)
        #expect(Self.lease(&machine, 2, fresh: true) == "wait")
        #expect(Self.describe(machine.released(used, to: Self.server)) == "closeAndOpen")
        #expect(Self.describe(machine.opened(Connection(), to: Self.server)) == "2")
    }

    @Test func whoStopsWaitingIsForgotten() {
        var machine = Self.machine(connections: 1)
        _ = Self.lease(&machine, 1)
        #expect(machine.cancelWaiting(Self.server, id: 1) == 1)
        #expect(machine.cancelWaiting(Self.server, id: 1) == nil)
        #expect(Self.describe(machine.opened(Connection(), to: Self.server)) == "keep")
    }

    @Test func idleConnectionIsTakenOutOnce() {
        var machine = Self.machine()
        let connection = Connection()
        _ = Self.lease(&machine, 1)
        _ = machine.opened(connection, to: Self.server)
        #expect(machine.takeIdle(connection, to: Self.server) == false)
        _ = machine.released(connection, to: Self.server)
        #expect(machine.takeIdle(connection, to: Self.server) == true)
        #expect(machine.takeIdle(connection, to: Self.server) == false)
        #expect(Self.lease(&machine, 2) == "open")
    }

    @Test func afterTheShutdownEverythingIsRefused() {
        var machine = Self.machine(connections: 1)
        let connection = Connection()
        for id in 1...2 { _ = Self.lease(&machine, id) }
        _ = machine.opened(connection, to: Self.server)
        let (waiters, connections) = machine.shutDown()
        #expect(waiters == [2])
        #expect(connections.count == 1 && connections.first === connection)
        #expect(Self.lease(&machine, 3) == "shutDown")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "close")
        #expect(Self.describe(machine.opened(Connection(), to: Self.server)) == "close")
        let (waiter, opensAnother) = machine.openingFailed(Self.server)
        #expect(waiter == nil && !opensAnother)
    }

    /// Whatever happens in whatever order: the limit holds, nobody gets two connections, no connection serves two, and in the end nobody is left waiting.
    @Test(arguments: 0..<20)
    func everybodyIsServedOnceAndNoMoreAreOpenThanAllowed(_ round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var machine = Self.machine(connections: 3, idle: 2, waiters: 5)
        var opening = 0
        var waiting: Set<Int> = []
        var lent: [Connection] = []
        var idle: [Connection] = []
        func perform(_ action: Machine.FreeAction, _ connection: Connection) {
            switch action {
            case .handOver(let connection, let waiter):
                #expect(waiting.remove(waiter) != nil, "seed \(seed)")
                lent.append(connection)
            case .keep: idle.append(connection)
            case .close: _ = machine.closed(connection, to: Self.server) ? (opening += 1) : ()
            case .closeAndOpen: opening += 1
            }
        }
        for id in 1...300 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let fresh = Bool.random(using: &random)
                switch machine.lease(Self.server, id: UInt64(id), waiter: id, wantsFresh: fresh, isPreferred: { _ in false }) {
                case .use(let connection):
                    #expect(!fresh && idle.contains { $0 === connection }, "seed \(seed)")
                    idle.removeAll { $0 === connection }
                    lent.append(connection)
                case .waitAndOpen(let closing):
                    if let closing { idle.removeAll { $0 === closing } }
                    opening += 1
                    waiting.insert(id)
                case .wait: waiting.insert(id)
                case .refuse: break
                }
            case 2 where opening > 0:
                opening -= 1
                let connection = Connection()
                perform(machine.opened(connection, to: Self.server), connection)
            case 3 where opening > 0:
                opening -= 1
                let (waiter, opensAnother) = machine.openingFailed(Self.server)
                if let waiter { #expect(waiting.remove(waiter) != nil, "seed \(seed)") }
                if opensAnother { opening += 1 }
            case 4 where !lent.isEmpty:
                let connection = lent.remove(at: Int.random(in: 0..<lent.count, using: &random))
                perform(machine.released(connection, to: Self.server), connection)
            case 5 where !lent.isEmpty:
                let connection = lent.removeLast()
                if machine.closed(connection, to: Self.server) { opening += 1 }
            default: break
            }
            #expect(lent.count + idle.count + opening <= 3, "seed \(seed)")
            #expect(idle.count <= 2, "seed \(seed)")
            if !waiting.isEmpty { #expect(opening > 0 || !lent.isEmpty, "seed \(seed)") }
        }
        while opening > 0 || !lent.isEmpty {
            if opening > 0 {
                opening -= 1
                let connection = Connection()
                perform(machine.opened(connection, to: Self.server), connection)
            } else {
                let connection = lent.removeLast()
                perform(machine.released(connection, to: Self.server), connection)
            }
        }
        #expect(waiting.isEmpty, "seed \(seed)")
    }
}
