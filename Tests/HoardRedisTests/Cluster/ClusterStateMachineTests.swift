// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@_spi(Client) @testable import HoardRedis

@Suite struct ClusterStateMachineTests {
    typealias Machine = ClusterStateMachine<String>
    typealias Address = RedisConfiguration.Address

    private func address(_ name: String) -> Address { .tcp(host: name, port: 1) }

    private func map(_ parts: (ClosedRange<Int>, String)...) -> SlotMap {
        var map = SlotMap()
        for (slots, name) in parts { map.assign(slots, to: address(name)) }
        return map
    }

    /// Adds a node, and tells its number.
    @discardableResult
    private func add(_ name: String, to machine: inout Machine, isConnected: Bool = true) throws -> Int {
        let number = try required(machine.reserve())
        _ = machine.connectionChanged(number, isConnected: isConnected)
        check(machine.add(name, number: number, address: address(name)).isNeeded)
        return number
    }

    /// Two nodes with a half of the slots each, connected.
    private func connected() throws -> (machine: Machine, a: Int, b: Int) {
        var machine = Machine()
        let (a, b) = (try add("a", to: &machine), try add("b", to: &machine))
        check(machine.learned(map((0...8_191, "a"), (8_192...16_383, "b"))) == nil)
        check(machine.announce()?.isConnected == true)
        return (machine, a, b)
    }

    private func target(_ route: Machine.Route) -> String {
        switch route {
        case .node(let node): node.connection
        case .missing(let address): "missing \(address)"
        case .unknown: "unknown"
        case .closed: "closed"
        }
    }

    @Test func aCommandGoesToTheNodeOfItsSlot() throws {
        var (machine, a, _) = try connected()
        check(target(machine.route(slot: 0)) == "a")
        check(target(machine.route(slot: 8_192)) == "b")
        check(target(machine.route(slot: nil)) == "a")
        _ = machine.connectionChanged(a, isConnected: false)
        check(target(machine.route(slot: 0)) == "a")
        check(target(machine.route(slot: nil)) == "b")
    }

    @Test func beforeTheSlotsAreKnownThereIsNoWay() throws {
        var machine = Machine()
        check(target(machine.route(slot: 0)) == "unknown")
        check(target(machine.route(slot: nil)) == "unknown")
        try add("a", to: &machine)
        check(target(machine.route(slot: 0)) == "unknown")
        _ = machine.learned(map((1...1, "b")))
        check(target(machine.route(slot: 0)) == "unknown")
        check(target(machine.route(slot: 1)) == "missing \(address("b"))")
        check(machine.missingMasters == [address("b")])
    }

    @Test func theClusterIsConnectedWhenAllMastersAre() throws {
        var machine = Machine()
        try add("a", to: &machine)
        check(machine.announce() == nil)
        _ = machine.learned(map((0...8_191, "a"), (8_192...16_383, "b")))
        check(machine.announce() == nil)
        let b = try add("b", to: &machine, isConnected: false)
        check(machine.announce() == nil)
        check(machine.connectionChanged(b, isConnected: true) == nil)
        check(machine.announce()?.isConnected == true)
        check(machine.announce() == nil)
    }

    @Test func theLossOfOneNodeIsALoss() throws {
        var (machine, _, b) = try connected()
        let loss = try required(machine.connectionChanged(b, isConnected: false))
        check(!loss.isConnected)
        check(machine.announce(after: loss) == nil)
        check(machine.connectionChanged(b, isConnected: true) == nil)
        check(machine.announce()?.isConnected == true)
    }

    @Test func aSecondLossIsToldEvenIfTheFirstIsNotOver() throws {
        var (machine, a, b) = try connected()
        check(machine.connectionChanged(b, isConnected: false)?.isConnected == false)
        check(machine.connectionChanged(a, isConnected: false)?.isConnected == false)
        _ = machine.connectionChanged(b, isConnected: true)
        check(machine.announce() == nil)
        _ = machine.connectionChanged(a, isConnected: true)
        check(machine.announce()?.isConnected == true)
    }

    /// Two threads: one tells that the cluster is connected, and is overtaken by the other, which tells of a loss.
    @Test func whoIsOvertakenTellsWhatHoldsNow() throws {
        var (machine, _, b) = try connected()
        _ = machine.connectionChanged(b, isConnected: false)
        _ = machine.connectionChanged(b, isConnected: true)
        let slow = try required(machine.announce())
        let fast = try required(machine.connectionChanged(b, isConnected: false))
        check(machine.announce(after: fast) == nil)
        let correction = try required(machine.announce(after: slow))
        check(slow.isConnected && !correction.isConnected)
        check(machine.announce(after: correction) == nil)
    }

    @Test func aSlotThatMovesIsALossOnce() throws {
        var (machine, _, _) = try connected()
        let loss = try required(machine.moved(slot: 7, to: address("b")))
        check(!loss.isConnected)
        check(machine.moved(slot: 7, to: address("b")) == nil)
        check(target(machine.route(slot: 7)) == "b")
        check(target(machine.route(slot: 8)) == "a")
        check(machine.announce(after: loss)?.isConnected == true)
    }

    @Test func aMapWithAnotherOwnerIsALoss() throws {
        var (machine, _, _) = try connected()
        check(machine.learned(map((0...8_191, "a"), (8_192...16_383, "b"))) == nil)
        check(machine.learned(map((0...8_192, "a"), (8_193...16_383, "b"))) != nil)
        check(machine.learned(map((0...8_192, "a"))) != nil)
    }

    @Test func aNodeThatComesIsWaitedFor() throws {
        var (machine, _, _) = try connected()
        let c = try add("c", to: &machine, isConnected: false)
        check(machine.announce()?.isConnected == false)
        _ = machine.connectionChanged(c, isConnected: true)
        check(machine.announce()?.isConnected == true)
    }

    @Test func aNodeThatTheOthersCannotReachIsALoss() throws {
        var (machine, a, _) = try connected()
        let good = try required(ClusterInfo(reply: .bulk("cluster_state:ok\r\ncluster_current_epoch:1\r\n")))
        let bad = try required(ClusterInfo(reply: .bulk("cluster_state:fail\r\ncluster_current_epoch:1\r\n")))
        check(!machine.learned(good, from: a))
        check(!machine.learned(bad, from: a))
        check(machine.announce()?.isConnected == false)
        check(!machine.learned(good, from: a))
        check(machine.announce()?.isConnected == true)
    }

    @Test func anotherEpochMeansThatSlotsMayHaveMoved() throws {
        var (machine, a, _) = try connected()
        func info(_ current: Int, _ own: Int) throws -> ClusterInfo {
            try required(ClusterInfo(reply: .bulk("cluster_state:ok\r\ncluster_current_epoch:\(current)\r\ncluster_my_epoch:\(own)\r\n")))
        }
        check(!machine.learned(try info(1, 1), from: a))
        check(!machine.learned(try info(1, 1), from: a))
        check(machine.learned(try info(2, 1), from: a))
        check(machine.learned(try info(2, 2), from: a))
        check(!machine.learned(try info(3, 2), from: 99))
    }

    @Test func aNodeWithoutSlotsIsGivenUpWhenItIsNotUsed() throws {
        var (machine, _, _) = try connected()
        try add("c", to: &machine)
        check(machine.sweep().unused == [])
        check(target(machine.route(to: address("c"))) == "c")
        check(machine.sweep().unused == [])
        let (unused, loss) = machine.sweep()
        check(unused == ["c"] && loss == nil)
        check(machine.sweep().unused == [])
        check(target(machine.route(to: address("c"))) == "missing \(address("c"))")
        check(machine.masters.map(\.connection) == ["a", "b"])
    }

    @Test func nothingIsGivenUpBeforeTheSlotsAreKnown() throws {
        var machine = Machine()
        try add("a", to: &machine)
        for _ in 1...3 { check(machine.sweep().unused == []) }
    }

    @Test func aNodeThatIsGivenUpWithKeysOfAMovingSlotIsALoss() throws {
        var (machine, _, _) = try connected()
        machine.asked(try add("c", to: &machine))
        check(machine.sweep().loss == nil)
        let (unused, found) = machine.sweep()
        let loss = try required(found)
        check(unused == ["c"] && !loss.isConnected)
        check(machine.announce(after: loss)?.isConnected == true)
    }

    @Test func allMastersAreKnownIfEachSlotHasOneWithAConnection() throws {
        var (machine, _, _) = try connected()
        check(machine.allMasters?.map(\.connection) == ["a", "b"])
        _ = machine.learned(map((0...8_191, "a"), (8_192...16_382, "b")))
        check(machine.allMasters == nil)
        _ = machine.learned(map((0...8_191, "a"), (8_192...16_383, "c")))
        check(machine.allMasters == nil)
        try add("c", to: &machine)
        check(machine.allMasters?.map(\.connection) == ["a", "c"])
        check(Machine().allMasters == nil)
    }

    @Test func ofTwoConnectionsToOneNodeTheFirstCounts() throws {
        var (machine, _, _) = try connected()
        let (one, other) = (try required(machine.reserve()), try required(machine.reserve()))
        check(machine.add("one", number: one, address: address("c")).isNeeded)
        let second = machine.add("other", number: other, address: address("c"))
        check(!second.isNeeded && second.node?.connection == "one")
        check(machine.connectionChanged(other, isConnected: false) == nil)
    }

    @Test func thereAreNotMoreNodesThanAClusterHas() throws {
        var machine = Machine()
        for number in 0..<Machine.maximumNodeCount { try add("n\(number)", to: &machine) }
        check(machine.reserve() == nil)
    }

    @Test func aNumberThatIsNotUsedIsGivenBack() throws {
        var machine = Machine()
        for _ in 0...Machine.maximumNodeCount { machine.giveUp(try required(machine.reserve())) }
        check(machine.reserve() != nil)
    }

    @Test func afterTheEndNothingIsToldAndNothingSent() throws {
        var (machine, a, _) = try connected()
        let late = try required(machine.reserve())
        check(Set(machine.close()) == ["a", "b"])
        check(machine.close() == [])
        check(machine.connectionChanged(a, isConnected: false) == nil)
        check(machine.moved(slot: 1, to: address("b")) == nil)
        check(machine.learned(map((0...9, "b"))) == nil)
        check(machine.announce() == nil)
        check(machine.reserve() == nil)
        let added = machine.add("c", number: late, address: address("c"))
        check(added.node == nil && !added.isNeeded)
        check(target(machine.route(slot: 0)) == "closed")
        check(target(machine.route(to: address("a"))) == "closed")
    }
}

/// The macros do not take calls that change something.
private func check(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: sourceLocation)
}

private func required<Value>(_ value: Value?, sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    try #require(value, sourceLocation: sourceLocation)
}
