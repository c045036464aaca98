// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
// Ports are known to the cluster before anything is asked of them.
// swift-format-ignore-file: NeverForceUnwrap

import HoardTesting
import NIOCore
import Synchronization

@_spi(Client) @testable import HoardRedis

/// Nodes of a cluster that are no servers: each has keys and slots, and answers as a server of Redis does, also while slots move.
final class FakeCluster: Sendable {
    struct Node {
        var values: [String: RESPValue] = [:]
        /// Slots that are being moved to another node.
        var migrating: [Int: Int] = [:]
        var importing: Set<Int> = []
        var isDown = false
        var isHealthy = true
        /// The node has lost its list of nodes.
        var knowsNoSlots = false
        /// Replies that the node gives instead, each once.
        var answers: [RESPValue] = []
        var commands: [String] = []
        var handlers: [Int: @Sendable (RedisEvent) -> Void] = [:]
        var isAskingAllowed = false
    }

    struct State {
        /// The nodes, by port.
        var nodes: [Int: Node] = [:]
        /// The port of each slot's owner.
        var owners = [Int](repeating: 0, count: ClusterSlot.count)
        var epoch = 1
        var connectionCount = 0
    }

    let state = Mutex(State())
    /// Commands wait here if it is shut.
    let gate = Gate(isOpen: true)
    /// `CLUSTER SLOTS` waits here.
    let slotsGate: Gate

    /// Nodes at these ports, with equal shares of the slots.
    init(ports: Int..., slotsAreOpen: Bool = true) {
        slotsGate = Gate(isOpen: slotsAreOpen)
        state.withLock { state in
            for port in ports { state.nodes[port] = Node() }
            for slot in 0..<ClusterSlot.count { state.owners[slot] = ports[slot * ports.count / ClusterSlot.count] }
        }
    }

    func change(_ port: Int, _ change: (inout Node) -> Void) {
        state.withLock { state in
            if state.nodes[port] == nil { state.nodes[port] = Node() }
            change(&state.nodes[port]!)
        }
    }

    func commands(_ port: Int) -> [String] { state.withLock { $0.nodes[port]?.commands ?? [] } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }

    func tell(_ port: Int, _ event: RedisEvent) {
        let handlers = state.withLock { $0.nodes[port]?.handlers.values.map { $0 } ?? [] }
        for handler in handlers { handler(event) }
    }

    /// Whether a node can be reached. Tells its connections.
    func setDown(_ port: Int, _ isDown: Bool) {
        change(port) { $0.isDown = isDown }
        tell(port, isDown ? .disconnected : .connected)
    }

    /// A node takes over the slots and keys of another one, as its replica does when it fails.
    func failOver(from port: Int, to other: Int) {
        state.withLock { state in
            let values = state.nodes[port]?.values ?? [:]
            state.nodes[other, default: Node()].values.merge(values) { $1 }
            state.nodes[port]?.values = [:]
            state.owners = state.owners.map { $0 == port ? other : $0 }
            state.epoch += 1
        }
    }

    // MARK: Moving a slot, in the steps of `redis-cli --cluster reshard`

    func beginMoving(_ slot: Int, to port: Int) {
        state.withLock { state in
            guard state.owners[slot] != port else { return }
            state.nodes[state.owners[slot]]?.migrating[slot] = port
            state.nodes[port, default: Node()].importing.insert(slot)
        }
    }

    func move(_ key: String) {
        state.withLock { state in
            let slot = ClusterSlot.slot(of: key.utf8)
            guard let target = state.nodes[state.owners[slot]]?.migrating[slot] else { return }
            guard let value = state.nodes[state.owners[slot]]?.values.removeValue(forKey: key) else { return }
            state.nodes[target]?.values[key] = value
        }
    }

    func finishMoving(_ slot: Int) {
        state.withLock { state in
            let source = state.owners[slot]
            guard let target = state.nodes[source]?.migrating.removeValue(forKey: slot) else { return }
            for (key, value) in state.nodes[source]?.values ?? [:] where ClusterSlot.slot(of: key.utf8) == slot {
                state.nodes[target]?.values[key] = value
                state.nodes[source]?.values[key] = nil
            }
            state.nodes[target]?.importing.remove(slot)
            state.owners[slot] = target
            state.epoch += 1
        }
    }

    // MARK: Connections

    func connect(_ address: RedisConfiguration.Address, _ onEvent: @escaping @Sendable (RedisEvent) -> Void) -> FakeNodeConnection {
        guard case .tcp(_, let port) = address.base else { preconditionFailure("a node of a cluster has a port") }
        let (number, isDown) = state.withLock { state in
            state.connectionCount += 1
            if state.nodes[port] == nil { state.nodes[port] = Node(isDown: true) }
            state.nodes[port]?.handlers[state.connectionCount] = onEvent
            return (state.connectionCount, state.nodes[port]?.isDown ?? true)
        }
        let connection = FakeNodeConnection(cluster: self, port: port, number: number)
        if !isDown { onEvent(.connected) }
        return connection
    }

    fileprivate func answer(_ commands: [RedisCommand], _ port: Int) async throws(RedisError) -> [RESPValue] {
        if commands.first.map({ "\($0.name)" == "CLUSTER" }) == true { await slotsGate.pass() } else { await gate.pass() }
        let isDown = state.withLock { state in
            let isDown = state.nodes[port]?.isDown ?? true
            if !isDown { for command in commands { state.nodes[port]?.commands.append(command.text) } }
            return isDown
        }
        guard !isDown else { throw RedisError(.connectionFailed, "The node is down.") }
        var replies: [RESPValue] = []
        for command in commands { replies.append(state.withLock { $0.answer(command, port) }) }
        return replies
    }

    fileprivate func disconnect(_ port: Int, _ number: Int) {
        state.withLock { state in _ = state.nodes[port]?.handlers.removeValue(forKey: number) }
    }
}

final class FakeNodeConnection: RedisConnection {
    private let cluster: FakeCluster
    private let port: Int
    private let number: Int
    private let isClosed = Mutex(false)

    init(cluster: FakeCluster, port: Int, number: Int) {
        (self.cluster, self.port, self.number) = (cluster, port, number)
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        try await send([command])[0]
    }

    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        guard !isClosed.withLock({ $0 }) else { throw RedisError(.closed, "The connection was closed.") }
        return try await cluster.answer(commands, port)
    }

    func close() async {
        isClosed.withLock { $0 = true }
        cluster.disconnect(port, number)
    }
}

extension FakeCluster.State {
    /// The replies of a Redis server.
    fileprivate mutating func answer(_ command: RedisCommand, _ port: Int) -> RESPValue {
        let isAsking = nodes[port]!.isAskingAllowed
        nodes[port]!.isAskingAllowed = false
        switch command.text.split(separator: " ").first ?? "" {
        case "ASKING":
            nodes[port]!.isAskingAllowed = true
            return .simpleString("OK")
        case "CLUSTER": return command.text == "CLUSTER INFO" ? .bulk(info(port)) : nodes[port]!.knowsNoSlots ? .array([]) : slots
        default: break
        }
        if !nodes[port]!.answers.isEmpty { return nodes[port]!.answers.removeFirst() }
        guard let key = command.key?.text else { return .simpleString("PONG") }
        let slot = ClusterSlot.slot(of: key.utf8)
        if owners[slot] != port {
            guard isAsking, nodes[port]!.importing.contains(slot) else { return .error("MOVED \(slot) node:\(owners[slot])") }
        } else if let target = nodes[port]!.migrating[slot], nodes[port]!.values[key] == nil {
            return .error("ASK \(slot) node:\(target)")
        }
        guard "\(command.name)" == "SET" else { return nodes[port]!.values[key] ?? .null }
        nodes[port]!.values[key] = .bulk(command.arguments[0].text)
        return .simpleString("OK")
    }

    private func info(_ port: Int) -> String {
        "cluster_state:\(nodes[port]!.isHealthy ? "ok" : "fail")\r\ncluster_current_epoch:\(epoch)\r\ncluster_my_epoch:1\r\n"
    }

    /// The reply of `CLUSTER SLOTS`.
    private var slots: RESPValue {
        var ranges: [RESPValue] = []
        var start = 0
        for slot in 1...ClusterSlot.count where slot == ClusterSlot.count || owners[slot] != owners[start] {
            let master = RESPValue.array([.bulk("node"), .integer(Int64(owners[start])), .bulk("id")])
            if owners[start] > 0 { ranges.append(.array([.integer(Int64(start)), .integer(Int64(slot - 1)), master])) }
            start = slot
        }
        return .array(ranges)
    }
}

extension RedisCommand {
    /// The command as one line, for texts without spaces.
    var text: String {
        (["\(name)"] + leading.map(\.text) + (key.map { [$0.text] } ?? []) + arguments.map(\.text)).joined(separator: " ")
    }
}

extension RedisCommand.Argument {
    var text: String {
        switch self {
        case .string(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .data(let data): String(decoding: data, as: UTF8.self)
        case .buffer(let bytes): String(buffer: bytes)
        case .integer(let integer): String(integer)
        }
    }
}
