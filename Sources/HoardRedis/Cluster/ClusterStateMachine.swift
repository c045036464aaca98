// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Decides about a cluster: which node a command goes to, which nodes there are connections to, and whether everything that others change is heard.
///
/// Does nothing itself. Its connections can be anything, so that tests need none.
struct ClusterStateMachine<Connection: Sendable>: Sendable {
    typealias Address = RedisConfiguration.Address

    struct Node: Sendable {
        let number: Int
        let address: Address
        let connection: Connection
        /// Whether the connection stands.
        var isConnected: Bool
        /// Whether the node takes part in the cluster. One that is cut off from the others goes on to answer for a while, but hears of no changes.
        var isHealthy = true
        /// The epochs that the node reported last.
        var epochs: ClusterInfo.Epochs?
        /// For nodes without slots: a command was sent there since ``sweep()`` last looked.
        var wasUsed = true
        /// A slot is being moved there, so that it may have keys though it owns no slots yet.
        var mayHaveKeys = false
    }

    enum Route {
        case node(Node)
        /// The slot is on a node to which there is no connection yet.
        case missing(Address)
        /// It is not known where the slot is.
        case unknown
        case closed
    }

    /// An announcement about the cluster as a whole.
    struct Announcement: Equatable {
        let isConnected: Bool
        fileprivate let version: Int
    }

    /// More nodes than a cluster has. A server that names more is not believed.
    static var maximumNodeCount: Int { 1_024 }

    private(set) var map: SlotMap? {
        didSet { masterAddresses = map?.masters ?? [] }
    }
    /// The nodes that own slots.
    private var masterAddresses: Set<Address> = []
    private(set) var isClosed = false
    private var nodes: [Address: Node] = [:]
    /// Connections that are being made, and whether they stand already.
    private var coming: [Int: Bool] = [:]
    private var lastNumber = 0
    private var announcement = Announcement(isConnected: false, version: 0)

    /// Whether changes of all keys are heard.
    var isConnected: Bool {
        guard map != nil, !isClosed else { return false }
        return nodes.values.allSatisfy { $0.isConnected && $0.isHealthy } && masterAddresses.allSatisfy { nodes[$0] != nil }
    }

    var allNodes: [Node] { nodes.values.sorted { $0.number < $1.number } }
    var masters: [Node] { masterAddresses.compactMap { nodes[$0] }.sorted { $0.number < $1.number } }
    /// The nodes that own slots; `nil` if a slot has no owner, or an owner to which there is no connection.
    var allMasters: [Node]? {
        guard let map, map.isComplete, missingMasters.isEmpty else { return nil }
        return masters
    }
}

/// Finding nodes.
extension ClusterStateMachine {
    /// The node of a slot; any for a command without a key. O(1) with a slot.
    func route(slot: Int?) -> Route {
        guard !isClosed else { return .closed }
        guard let map else { return .unknown }
        guard let slot else { return masters.first { $0.isConnected }.map { .node($0) } ?? masters.first.map { .node($0) } ?? .unknown }
        guard let address = map.owner(of: slot) else { return .unknown }
        return nodes[address].map { .node($0) } ?? .missing(address)
    }

    /// The node at an address that another node has named.
    mutating func route(to address: Address) -> Route {
        guard !isClosed else { return .closed }
        nodes[address]?.wasUsed = true
        return nodes[address].map { .node($0) } ?? .missing(address)
    }

    /// A command is sent to a node that a slot is being moved to.
    mutating func asked(_ number: Int) {
        guard let address = nodes.values.first(where: { $0.number == number })?.address else { return }
        nodes[address]?.mayHaveKeys = true
    }

    /// Masters to which there is no connection.
    var missingMasters: [Address] { masterAddresses.filter { nodes[$0] == nil } }

    /// A number for a connection that is going to be made; `nil` if there must not be another.
    mutating func reserve() -> Int? {
        guard !isClosed, nodes.count + coming.count < Self.maximumNodeCount else { return nil }
        lastNumber += 1
        coming[lastNumber] = false
        return lastNumber
    }

    mutating func giveUp(_ number: Int) {
        coming[number] = nil
    }

    /// Takes over a connection, unless it is not needed any more, because another connection was quicker or the cluster is closed. Returns the node
    /// that counts.
    mutating func add(_ connection: Connection, number: Int, address: Address) -> (node: Node?, isNeeded: Bool) {
        let isConnected = coming.removeValue(forKey: number) ?? false
        guard !isClosed else { return (nil, false) }
        if let node = nodes[address] { return (node, false) }
        let node = Node(number: number, address: address, connection: connection, isConnected: isConnected)
        nodes[address] = node
        return (node, true)
    }
}

/// The events.
extension ClusterStateMachine {
    /// A connection stands, or has ended. Returns the announcement of the loss.
    mutating func connectionChanged(_ number: Int, isConnected: Bool) -> Announcement? {
        if coming[number] != nil { coming[number] = isConnected }
        guard let address = nodes.values.first(where: { $0.number == number })?.address else { return nil }
        nodes[address]?.isConnected = isConnected
        return isConnected ? nil : lose()
    }

    /// A node tells of its state. True if the slots may be elsewhere now.
    mutating func learned(_ info: ClusterInfo, from number: Int) -> Bool {
        guard let address = nodes.values.first(where: { $0.number == number })?.address else { return false }
        let previous = nodes[address]?.epochs
        nodes[address]?.isHealthy = info.isHealthy
        nodes[address]?.epochs = info.epochs
        return previous != nil && previous != info.epochs
    }

    /// A node says that a slot is elsewhere. Returns the announcement of the loss, if that is news.
    mutating func moved(slot: Int, to address: Address) -> Announcement? {
        guard !isClosed, let map, map.owner(of: slot) != address else { return nil }
        self.map?.assign(slot...slot, to: address)
        return lose()
    }

    /// A node has told where all slots are. Returns the announcement of the loss, if a slot is elsewhere now.
    mutating func learned(_ newMap: SlotMap) -> Announcement? {
        guard !isClosed else { return nil }
        let hasMoved = map.map { newMap.hasTaken(anySlotFrom: $0) } ?? false
        map = newMap
        return hasMoved ? lose() : nil
    }

    /// To be called now and then: gives up nodes that have no slots and were not used since the last time. Returns their connections, and the
    /// announcement of the loss if changes of keys there are not heard any more. It is to be made when the connections have been closed.
    mutating func sweep() -> (unused: [Connection], loss: Announcement?) {
        guard map != nil else { return ([], nil) }
        var unused: [Connection] = []
        var isLoss = false
        for (address, node) in nodes where !masterAddresses.contains(address) {
            if node.wasUsed {
                nodes[address]?.wasUsed = false
            } else {
                unused.append(node.connection)
                isLoss = isLoss || node.mayHaveKeys
                nodes[address] = nil
            }
        }
        return (unused, isLoss ? lose() : nil)
    }

    /// Returns the connections, which are to be closed. Nothing is told any more.
    mutating func close() -> [Connection] {
        isClosed = true
        defer { nodes = [:] }
        return nodes.values.map(\.connection)
    }
}

/// Announcements about the cluster. They are made outside the lock, so that of two threads that announce at the same time, one can be late. A thread
/// that has made an announcement asks whether it was overtaken, and then announces the present state once more.
extension ClusterStateMachine {
    /// Returns the announcement that a change calls for, if any.
    mutating func announce() -> Announcement? {
        guard !isClosed, isConnected != announcement.isConnected else { return nil }
        announcement = Announcement(isConnected: isConnected, version: announcement.version + 1)
        return announcement
    }

    /// Returns the announcement that has to follow one that was made, if any.
    mutating func announce(after told: Announcement) -> Announcement? {
        announce() ?? (isClosed || told.version == announcement.version ? nil : announcement)
    }

    /// Changes may have been missed.
    private mutating func lose() -> Announcement {
        announcement = Announcement(isConnected: false, version: announcement.version + 1)
        return announcement
    }
}
