// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@testable import HoardSimulator

/// A fleet of LRU caches, with or without leases. Its arrays are searched from end to end.
struct FleetModel {
    /// An object that a tier holds.
    private struct Entry {
        let key: UInt64
        var size: Int
        var deadline: UInt64
    }

    /// An LRU cache, with the last use first.
    struct Tier {
        let capacity: Int
        let countsBytes: Bool
        /// The keys that were evicted last.
        var evicted: [UInt64] = []
        private var entries: [Entry] = []

        init(capacity: Int, countsBytes: Bool) {
            self.capacity = capacity
            self.countsBytes = countsBytes
        }

        /// Removes an object. Returns whether it was there.
        mutating func remove(_ key: UInt64, expiredAt time: UInt64? = nil) -> Bool {
            guard let place = entries.firstIndex(where: { $0.key == key && (time == nil || $0.deadline <= time ?? 0) }) else { return false }
            entries.remove(at: place)
            return true
        }

        /// Notes a use and the new size of an object. Returns its deadline, or `nil` if it is not there.
        mutating func use(_ request: AccessRequest) -> UInt64? {
            guard let place = entries.firstIndex(where: { $0.key == request.key }) else { return nil }
            let deadline = entries[place].deadline
            entries.remove(at: place)
            insert(request, deadline: deadline, wasHeld: true)
            return deadline
        }

        /// Inserts an object that is not there, or that was just removed for this.
        mutating func insert(_ request: AccessRequest, deadline: UInt64, wasHeld: Bool = false) {
            let size = countsBytes ? max(1, request.size ?? 1) : 1
            guard size <= capacity else {
                if wasHeld { evicted.append(request.key) }
                return
            }
            entries.insert(Entry(key: request.key, size: size, deadline: deadline), at: 0)
            while entries.reduce(0, { $0 + $1.size }) > capacity { evicted.append(entries.removeLast().key) }
        }
    }

    private struct Load {
        let key: UInt64
        let node: Int
        let end: Double
    }

    let hasLeases: Bool
    let isInclusive: Bool
    private var nodes: [Tier]
    private var shared: Tier?
    private var running: [Load] = []
    private var loadsOfKeys: [UInt64: Int] = [:]

    private(set) var hits = 0
    private(set) var sharedHits = 0
    private(set) var expired = 0
    private(set) var bytesFromShared = 0
    private(set) var bytesToShared = 0

    var loads: Int { loadsOfKeys.values.reduce(0, +) }
    var mostLoadsOfAKey: Int { loadsOfKeys.values.max() ?? 0 }
    var keyCount: Int { loadsOfKeys.count }

    init(nodes: Int, near: Tier, shared: Tier?, hasLeases: Bool, isInclusive: Bool) {
        self.nodes = Array(repeating: near, count: nodes)
        self.shared = shared
        self.hasLeases = hasLeases
        self.isInclusive = isInclusive
    }

    /// Replays a complete request at a node.
    mutating func replay(_ request: AccessRequest, at node: Int) {
        loadsOfKeys[request.key, default: 0] += 0
        switch request.kind {
        case .write:
            for other in nodes.indices { _ = nodes[other].remove(request.key) }
            nodes[node].insert(request, deadline: request.deadline)
            let wasShared = shared?.remove(request.key) == true
            shared?.insert(request, deadline: request.deadline, wasHeld: wasShared)
            if shared != nil { bytesToShared += request.size ?? 1 }
            running.removeAll { $0.key == request.key }
        case .removal:
            for other in nodes.indices { _ = nodes[other].remove(request.key) }
            _ = shared?.remove(request.key)
            running.removeAll { $0.key == request.key }
        case .uncacheable: loadsOfKeys[request.key, default: 0] += 1
        default: read(request, at: node)
        }
        for key in shared?.evicted ?? [] where isInclusive {
            for other in nodes.indices { _ = nodes[other].remove(key) }
        }
        shared?.evicted = []
    }

    private mutating func read(_ request: AccessRequest, at node: Int) {
        let time = request.time ?? 0
        var hasExpired = nodes[node].remove(request.key, expiredAt: time)
        if nodes[node].use(request) != nil {
            hits += 1
            return
        }
        if shared?.remove(request.key, expiredAt: time) == true { hasExpired = true }
        let loads = running.filter { $0.key == request.key }
        if let deadline = shared?.use(request) {
            hits += 1
            sharedHits += 1
            bytesFromShared += request.size ?? 1
            nodes[node].insert(request, deadline: deadline)
            let isThere = loads.isEmpty || loads.contains { $0.end <= Double(time) || $0.node == node }
            if !isThere { begin(request, at: node, waits: hasLeases) }
            return
        }
        if hasExpired { expired += 1 }
        nodes[node].insert(request, deadline: request.deadline)
        shared?.insert(request, deadline: request.deadline)
        running.removeAll { $0.key == request.key && $0.end <= Double(time) }
        guard !running.contains(where: { $0.key == request.key && $0.node == node }) else { return }
        begin(request, at: node, waits: false)
        if shared != nil { bytesToShared += request.size ?? 1 }
    }

    /// - Parameter waits: Whether the node waits for the load of another node.
    private mutating func begin(_ request: AccessRequest, at node: Int, waits: Bool) {
        if !waits { loadsOfKeys[request.key, default: 0] += 1 }
        guard let time = request.time, let cost = request.cost, cost > 0 else { return }
        running.append(Load(key: request.key, node: node, end: Double(time) + Double(cost) / 1000))
    }
}
