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

    /// Leases for the waiter `id`, and returns the outcome in a word.
    private static func lease(_ machine: inout Machine, _ id: Int, fresh: Bool = false) -> String {
        switch machine.lease(server, id: UInt64(id), waiter: id, wantsFresh: fresh, isPreferred: { _ in false }) {
        case .use: "use"
        case .waitAndOpen(nil): "open"
        case .waitAndOpen: "closeAndOpen"
        case .waitAndReplace: "leaveAndOpen"
        case .wait: "wait"
        case .refuse(let error): "\(error)"
        }
    }

    private static func describe(_ action: Machine.FreeAction) -> String {
        switch action {
        case .handOver(_, let waiters): waiters.map { "\($0)" }.joined(separator: " ")
        case .none: "none"
        case .keep: "keep"
        case .close: "close"
        case .closeAndOpen: "closeAndOpen"
        case .leaveAndOpen: "leaveAndOpen"
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

    @Test func onlyAConnectionThatWillDoIsLent() {
        var machine = Self.machine(connections: 2, idle: 2)
        let connections = [Connection(), Connection()]
        for (index, connection) in connections.enumerated() {
            _ = Self.lease(&machine, index)
            _ = machine.opened(connection, to: Self.server)
        }
        for connection in connections { _ = machine.released(connection, to: Self.server) }
        #expect(machine.leaseIdleConnection(to: Self.server) { $0 === connections[0] } === connections[0])
        #expect(machine.leaseIdleConnection(to: Self.server) { $0 === connections[0] } == nil)
        #expect(machine.leaseIdleConnection(to: Self.server) { _ in true } === connections[1])
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
        #expect(first.waiters == [1] && first.opensAnother)
        let second = machine.openingFailed(Self.server)
        #expect(second.waiters == [2] && !second.opensAnother)
        #expect(machine.hosts.isEmpty)
    }

    @Test func failureIsToldToNobodyWhoHasBeenServed() {
        var machine = Self.machine()
        let connection = Connection()
        for id in 1...2 { _ = Self.lease(&machine, id) }
        _ = machine.opened(connection, to: Self.server)
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "2")
        #expect(machine.openingFailed(Self.server).waiters.isEmpty)
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
        let (hopeless, opensAnother) = machine.openingFailed(Self.server)
        #expect(hopeless.isEmpty && !opensAnother)
    }

    // MARK: Connections that carry several exchanges

    private static func sharing(_ capacity: Int = 3, connections: Int = 2, waiters: Int = 2) -> Machine {
        Machine(maximumConnectionCountPerHost: connections, maximumIdleCountPerHost: 2, maximumWaiterCountPerHost: waiters) { _ in capacity }
    }

    @Test func oneConnectionIsMadeForAsManyAsItCanCarry() {
        var machine = Self.sharing()
        let outcomes = (1...4).map { Self.lease(&machine, $0) }
        #expect(outcomes == ["open", "wait", "wait", "open"])
        let connection = Connection()
        #expect(Self.describe(machine.opened(connection, to: Self.server, capacity: 3)) == "1 2 3")
        #expect(machine.takeOpenings(Self.server) == 0)
        // The next one waits for the other connection.
        #expect(Self.lease(&machine, 5) == "wait")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "4")
    }

    @Test func sharedConnectionIsLentUntilItIsFull() {
        var machine = Self.sharing(2, connections: 1)
        _ = Self.lease(&machine, 1)
        let connection = Connection()
        #expect(Self.describe(machine.opened(connection, to: Self.server, capacity: 2)) == "1")
        #expect(Self.lease(&machine, 2) == "use")
        #expect(Self.lease(&machine, 3) == "wait")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "3")
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "none")
        #expect(machine.takeIdle(connection, to: Self.server) == false)
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "keep")
        #expect(machine.takeIdle(connection, to: Self.server) == true)
    }

    @Test func moreConnectionsAreMadeIfTheyCarryLessThanThought() {
        var machine = Self.sharing(100, connections: 3, waiters: 10)
        for id in 1...5 { _ = Self.lease(&machine, id) }
        #expect(Self.describe(machine.opened(Connection(), to: Self.server, capacity: 1)) == "1")
        #expect(machine.takeOpenings(Self.server) == 2)
        #expect(machine.takeOpenings(Self.server) == 0)
    }

    @Test func waitersForAConnectionThatIsBeingMadeAreLimitedToo() {
        var machine = Self.sharing(3, connections: 1, waiters: 2)
        let outcomes = (1...6).map { Self.lease(&machine, $0) }
        #expect(outcomes == ["open", "wait", "wait", "wait", "wait", "tooManyWaiting"])
    }

    @Test func failureIsToldToAllThatTheConnectionWasFor() {
        var machine = Self.sharing(3, connections: 1)
        for id in 1...4 { _ = Self.lease(&machine, id) }
        let first = machine.openingFailed(Self.server)
        #expect(first.waiters == [1, 2, 3] && first.opensAnother)
        let second = machine.openingFailed(Self.server)
        #expect(second.waiters == [4] && !second.opensAnother)
    }

    @Test func connectionThatLeavesMakesRoomForAnother() {
        var machine = Self.sharing(2, connections: 1)
        for id in 1...3 { _ = Self.lease(&machine, id) }
        let connection = Connection()
        #expect(Self.describe(machine.opened(connection, to: Self.server, capacity: 2)) == "1 2")
        #expect(machine.left(connection, to: Self.server) == true)
        #expect(machine.left(connection, to: Self.server) == false)
        // Its last exchanges change nothing.
        #expect(Self.describe(machine.released(connection, to: Self.server)) == "none")
        #expect(machine.hosts[Self.server]?.openCount == 1)
        #expect(machine.closed(connection, to: Self.server) == false)
        #expect(Self.describe(machine.opened(Connection(), to: Self.server, capacity: 2)) == "3")
        #expect(machine.shutDown().connections.count == 1)
    }

    @Test func sharedConnectionThatIsNeverFreeMakesWayForAFreshOne() {
        var machine = Self.sharing(2, connections: 1, waiters: 9)
        let busy = Connection()
        for id in 1...2 { _ = Self.lease(&machine, id) }
        _ = machine.opened(busy, to: Self.server, capacity: 2)
        #expect(Self.lease(&machine, 3, fresh: true) == "leaveAndOpen")
        #expect(machine.hosts[Self.server]?.openCount == 1)
        // The other requests on the connection go on, and it takes no new ones.
        #expect(Self.lease(&machine, 4) == "wait")
        #expect(Self.describe(machine.released(busy, to: Self.server)) == "none")
        let fresh = Connection()
        // The waiter that wants a fresh connection has it alone.
        #expect(Self.describe(machine.opened(fresh, to: Self.server, capacity: 2)) == "3")
        #expect(Self.describe(machine.released(fresh, to: Self.server)) == "4")
        #expect(Self.lease(&machine, 7) == "use")
        // One connection beyond the limit may be open, and no second one while it is there.
        #expect(machine.hosts[Self.server]?.openCount == 2)
        #expect(Self.lease(&machine, 5, fresh: true) == "wait")
        #expect(Self.describe(machine.released(fresh, to: Self.server)) == "none")
        #expect(machine.closed(busy, to: Self.server) == false)
        // The next exchange to end on a connection makes it leave, although other exchanges are in progress on it.
        _ = Self.lease(&machine, 6)
        #expect(Self.describe(machine.released(fresh, to: Self.server)) == "leaveAndOpen")
        #expect(Self.describe(machine.opened(Connection(), to: Self.server, capacity: 2)) == "5")
    }

    @Test func leastUsedSharedConnectionMakesWay() {
        var machine = Self.sharing(2, connections: 2, waiters: 9)
        let (full, half) = (Connection(), Connection())
        for id in 1...3 { _ = Self.lease(&machine, id) }
        #expect(Self.describe(machine.opened(full, to: Self.server, capacity: 2)) == "1 2")
        #expect(Self.describe(machine.opened(half, to: Self.server, capacity: 2)) == "3")
        guard case .waitAndReplace(let leaving) = machine.lease(Self.server, id: 4, waiter: 4, wantsFresh: true, isPreferred: { _ in false }) else {
            Issue.record("No connection makes way.")
            return
        }
        #expect(leaving === half)
    }

    @Test func shutdownFindsConnectionsThatLeave() {
        var machine = Self.sharing(2, connections: 1)
        _ = Self.lease(&machine, 1)
        let connection = Connection()
        _ = machine.opened(connection, to: Self.server, capacity: 2)
        _ = machine.left(connection, to: Self.server)
        #expect(machine.shutDown().connections.count == 1)
    }

    @Test func afterALossEachExchangeHasAConnectionOfItsOwnWhileThereIsRoom() {
        var machine = Self.sharing(10, connections: 2, waiters: 9)
        let (lost, first, second) = (Connection(), Connection(), Connection())
        for id in 1...2 { _ = Self.lease(&machine, id) }
        #expect(Self.describe(machine.opened(lost, to: Self.server, capacity: 10)) == "1 2")
        machine.failed(Self.server, endangersOthers: true)
        #expect(machine.closed(lost, to: Self.server) == false)
        #expect(Self.lease(&machine, 3) == "open")
        #expect(Self.lease(&machine, 4) == "open")
        #expect(Self.describe(machine.opened(first, to: Self.server, capacity: 10)) == "3")
        #expect(Self.describe(machine.opened(second, to: Self.server, capacity: 10)) == "4")
        // When no more can be made, sharing is better than waiting.
        #expect(Self.lease(&machine, 5) == "use")
        #expect(Self.describe(machine.released(first, to: Self.server)) != "close")
        #expect(Self.describe(machine.released(second, to: Self.server)) != "close")
        _ = machine.released(first, to: Self.server)
        // Many that end well make up for it.
        for id in 0..<1_000 {
            #expect(Self.lease(&machine, 10 + id) == "use")
            _ = machine.released(second, to: Self.server)
        }
        for id in 0..<10 { #expect(Self.lease(&machine, 5_000 + id) == "use") }
    }

    @Test func lossOfOneThatWasAloneIsNoReasonToShareLess() {
        var machine = Self.sharing(10, connections: 2, waiters: 9)
        let lost = Connection()
        _ = Self.lease(&machine, 1)
        _ = machine.opened(lost, to: Self.server, capacity: 10)
        machine.failed(Self.server, endangersOthers: false)
        _ = machine.closed(lost, to: Self.server)
        _ = Self.lease(&machine, 2)
        _ = Self.lease(&machine, 3)
        #expect(Self.describe(machine.opened(Connection(), to: Self.server, capacity: 10)) == "2 3")
    }

    /// In any order of events, no connection carries more than it can, no waiter is served twice,
    /// and no waiter is left waiting.
    @Test(arguments: 0..<20)
    func sharedConnectionsAreNeverOverfull(_ round: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 2...4, using: &random)
        var machine = Self.sharing(capacity, connections: 3, waiters: 6)
        var opening = 0
        var waiting: Set<Int> = []
        var uses: [(connection: Connection, count: Int)] = []
        var leaving: [(connection: Connection, count: Int)] = []
        func add(_ connection: Connection, _ count: Int) {
            if let index = uses.firstIndex(where: { $0.connection === connection }) {
                uses[index].count += count
            } else {
                uses.append((connection, count))
            }
        }
        func perform(_ action: Machine.FreeAction, _ connection: Connection) {
            switch action {
            case .handOver(let connection, let waiters):
                #expect(waiters.allSatisfy { waiting.remove($0) != nil }, "seed \(seed)")
                add(connection, waiters.count)
            case .none, .keep: add(connection, 0)
            case .close:
                uses.removeAll { $0.connection === connection }
                if machine.closed(connection, to: Self.server) { opening += 1 }
            case .closeAndOpen:
                uses.removeAll { $0.connection === connection }
                opening += 1
            case .leaveAndOpen: leave(connection)
            }
        }
        func leave(_ connection: Connection) {
            leaving += uses.filter { $0.connection === connection }
            uses.removeAll { $0.connection === connection }
            opening += 1
        }
        func open() {
            opening -= 1
            let connection = Connection()
            perform(machine.opened(connection, to: Self.server, capacity: capacity), connection)
            opening += machine.takeOpenings(Self.server)
        }
        func release(_ index: Int) {
            uses[index].count -= 1
            let connection = uses[index].connection
            perform(machine.released(connection, to: Self.server), connection)
        }
        for id in 1...400 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1, 2:
                switch machine.lease(Self.server, id: UInt64(id), waiter: id, wantsFresh: id % 9 == 0, isPreferred: { _ in false }) {
                case .use(let connection): add(connection, 1)
                case .waitAndOpen(let closing):
                    if let closing { uses.removeAll { $0.connection === closing } }
                    opening += 1
                    waiting.insert(id)
                case .waitAndReplace(let connection):
                    #expect(leaving.isEmpty, "seed \(seed)")
                    leave(connection)
                    waiting.insert(id)
                case .wait: waiting.insert(id)
                case .refuse: break
                }
            case 3 where opening > 0: open()
            case 4 where opening > 0:
                opening -= 1
                let (waiters, opensAnother) = machine.openingFailed(Self.server)
                #expect(waiters.allSatisfy { waiting.remove($0) != nil }, "seed \(seed)")
                if opensAnother { opening += 1 }
            case 5:
                if let index = uses.indices.filter({ uses[$0].count > 0 }).randomElement(using: &random) { release(index) }
            case 6 where id % 5 == 0:
                guard let index = uses.indices.randomElement(using: &random) else { continue }
                let use = uses.remove(at: index)
                leaving.append(use)
                if machine.left(use.connection, to: Self.server) { opening += 1 }
                if id % 2 == 0 { machine.failed(Self.server, endangersOthers: id % 4 == 0) }
            default: break
            }
            #expect(uses.allSatisfy { (0...capacity).contains($0.count) }, "seed \(seed)")
            #expect(uses.count + opening <= 3, "seed \(seed)")
            if !waiting.isEmpty { #expect(opening > 0 || uses.contains { $0.count > 0 }, "seed \(seed)") }
        }
        for use in leaving {
            for _ in 0..<use.count { #expect(Self.describe(machine.released(use.connection, to: Self.server)) == "none", "seed \(seed)") }
            if machine.closed(use.connection, to: Self.server) { opening += 1 }
        }
        while opening > 0 || uses.contains(where: { $0.count > 0 }) {
            if opening > 0 { open() } else if let index = uses.firstIndex(where: { $0.count > 0 }) { release(index) }
        }
        #expect(waiting.isEmpty, "seed \(seed)")
    }

    /// In any order of events, the limit holds, no waiter gets two connections, no connection serves two waiters,
    /// and in the end no waiter is left waiting.
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
            case .handOver(let connection, let waiters):
                #expect(waiters.count == 1 && waiters.allSatisfy { waiting.remove($0) != nil }, "seed \(seed)")
                lent.append(connection)
            case .none: Issue.record("A connection for one exchange is shared; seed \(seed)")
            case .keep: idle.append(connection)
            case .close: _ = machine.closed(connection, to: Self.server) ? (opening += 1) : ()
            case .closeAndOpen: opening += 1
            case .leaveAndOpen: Issue.record("A connection for one exchange is shared; seed \(seed)")
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
                case .waitAndReplace: Issue.record("A connection for one exchange is shared; seed \(seed)")
                case .wait: waiting.insert(id)
                case .refuse: break
                }
            case 2 where opening > 0:
                opening -= 1
                let connection = Connection()
                perform(machine.opened(connection, to: Self.server), connection)
            case 3 where opening > 0:
                opening -= 1
                let (waiters, opensAnother) = machine.openingFailed(Self.server)
                for waiter in waiters { #expect(waiting.remove(waiter) != nil, "seed \(seed)") }
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
