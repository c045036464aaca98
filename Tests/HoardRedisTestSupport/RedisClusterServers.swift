// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
@_spi(Client) package import HoardRedis

/// A private cluster for tests: some masters on loopback, which have the slots in equal parts, and no replicas.
package final class RedisClusterServers: Sendable {
    package static let slotCount = 16_384

    package let servers: [RedisServer]

    /// Starts the servers, and waits until each says that the cluster serves. May suspend; takes a few seconds.
    ///
    /// - Parameter options: Those of each server. With a certificate, clients and the nodes themselves speak TLS only.
    package static func start(count: Int = 3, _ options: RedisServer.Options = RedisServer.Options()) async throws -> RedisClusterServers {
        var servers: [RedisServer] = []
        for _ in 0..<count { servers.append(try await node(options)) }
        let cluster = RedisClusterServers(servers)
        try await cluster.join()
        return cluster
    }

    private init(_ servers: [RedisServer]) {
        self.servers = servers
    }

    /// By default the port for other nodes is 10,000 above the server's, which may be beyond the last port.
    private static func node(_ options: RedisServer.Options) async throws -> RedisServer {
        guard let port = SocketCalls.freePort() else { throw SystemFailure("no port is free") }
        var options = options
        options.isClusterNode = true
        if options.certificate != nil { options.settings.append("tls-cluster yes") }
        options.settings += ["cluster-port \(port)", "cluster-node-timeout 1500", "loglevel verbose"]
        return try await RedisServer.start(options)
    }

    private func join() async throws {
        for (index, server) in servers.enumerated() {
            let first = index * Self.slotCount / servers.count
            let last = (index + 1) * Self.slotCount / servers.count - 1
            try server.expectOK("CLUSTER", "ADDSLOTSRANGE", "\(first)", "\(last)")
            try server.expectOK("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
            guard index > 0 else { continue }
            let busPort = try server.command("CONFIG", "GET", "cluster-port").description.split(separator: "\n").last.map { String($0) } ?? ""
            try servers[0].expectOK("CLUSTER", "MEET", "127.0.0.1", "\(server.clusterPort)", busPort)
        }
        let deadline = ContinuousClock.now + .seconds(60)
        for server in servers {
            while try !server.command("CLUSTER", "INFO").description.contains("cluster_state:ok") || !knowsAllSlots(server) {
                guard .now < deadline else { throw SystemFailure("the nodes of the cluster do not find each other") }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func knowsAllSlots(_ server: RedisServer) throws -> Bool {
        guard case .array(let ranges) = try server.command("CLUSTER", "SLOTS") else { return false }
        return ranges.count >= servers.count
    }

    /// How a client finds the cluster: by its first node.
    package var configuration: RedisConfiguration {
        let addresses = servers.map { $0.tlsAddress ?? $0.address }
        var configuration = RedisConfiguration(address: addresses[0])
        configuration.otherAddresses = Array(addresses.dropFirst())
        configuration.isCluster = true
        if servers[0].tlsAddress != nil {
            configuration.tls = RedisConfiguration.TLS()
            configuration.tls?.additionalTrustRootsPath = servers[0].directory + "/certificate.pem"
        }
        return configuration
    }

    /// Moves a slot from one node to another while both serve, in the steps of
    /// <https://redis.io/docs/latest/commands/cluster-setslot/#redis-cluster-live-resharding-explained>.
    ///
    /// May suspend: nodes that do not hear of each other for a while, on a busy machine, can be mistaken about
    /// the owner of a slot until they do.
    package func move(slot: Int, from source: Int, to target: Int) async throws {
        let (from, to) = (servers[source], servers[target])
        let sourceName = try from.command("CLUSTER", "MYID").description
        let targetName = try to.command("CLUSTER", "MYID").description
        try to.expectOK("CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", sourceName)
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let reply = try from.command("CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", targetName)
            if reply == .text("OK") { break }
            guard reply.description.contains("not the owner"), .now < deadline else {
                throw SystemFailure("a slot cannot be moved: \(reply.description)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        while case .array(let keys) = try from.command("CLUSTER", "GETKEYSINSLOT", "\(slot)", "3"), !keys.isEmpty {
            let reply = try from.command(["MIGRATE", "127.0.0.1", "\(to.port)", "", "0", "5000", "KEYS"] + keys.map(\.description))
            if case .error(let text) = reply { throw SystemFailure("keys cannot be moved: \(text)") }
        }
        // An older message of a node that has a later epoch by now can take the slot away again. So the
        // nodes are told until all agree.
        var agreed = 0
        while agreed < 3 {
            if agreed == 0 { for server in [to, from] + servers { try server.expectOK("CLUSTER", "SETSLOT", "\(slot)", "NODE", targetName) } }
            try await Task.sleep(for: .milliseconds(10))
            agreed = try servers.allSatisfy { try $0.knows(slot: slot, at: to.port) } ? agreed + 1 : 0
            guard .now < deadline else { throw SystemFailure("the nodes do not agree whose a slot is") }
        }
    }

    package func stop() {
        for server in servers { server.stop() }
    }
}

extension RedisServer {
    /// The port by which the other nodes of a cluster know it.
    fileprivate var clusterPort: Int {
        if case .tcp(_, let port)? = tlsAddress?.base { port } else { port }
    }

    /// Whether a node of a cluster believes that the node on a port has a slot.
    fileprivate func knows(slot: Int, at port: Int) throws -> Bool {
        guard case .array(let ranges) = try command("CLUSTER", "SLOTS") else { return false }
        return ranges.contains { range in
            guard case .array(let parts) = range, parts.count > 2, case .array(let node) = parts[2], node.count > 1 else { return false }
            let (first, last) = (Int(parts[0].description) ?? .max, Int(parts[1].description) ?? .min)
            return first <= slot && slot <= last && node[1].description == "\(port)"
        }
    }

    fileprivate func expectOK(_ words: String...) throws {
        let reply = try command(words)
        guard reply == .text("OK") else { throw SystemFailure("\(words.joined(separator: " ")): \(reply.description)") }
    }
}
