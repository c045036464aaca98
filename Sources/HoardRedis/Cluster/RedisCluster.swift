// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
public import Logging
internal import NIOCore
internal import NIOPosix

/// A cluster of Redis or Valkey servers, with a connection to each master.
///
/// A command goes to the node that has the slot of its key. If the slot has moved, or is being moved, the node says so, and the command follows; where
/// slots are is then asked again. Commands that are sent together are split by nodes, go out at the same time, and their replies come back in order.
/// All commands that are sent to one node are carried out in the order in which they are sent there.
///
/// Beside the failures of ``RedisClient``, a cluster throws ``RedisError/Code/notReady`` if no node has the slot for as long as a command may take. A
/// command that was sent to another node first may take that time once more.
///
/// By its events, the cluster is connected as long as all its masters are connected and take part in the cluster. When a slot goes to another node,
/// the cluster counts as disconnected for a moment, because changes there may have been missed. Handlers are called on the threads of all nodes, in
/// order for each node.
///
/// Every ``RedisConfiguration/heartbeatInterval`` each node is asked whether it takes part. A node that the others cannot reach any more finds that out
/// after the cluster's `cluster-node-timeout`; until then it goes on to answer, so that changes elsewhere may be noticed later by that time.
@_spi(Client) public final class RedisCluster: RedisConnection {
    let driver: ClusterDriver

    /// Creates the connections, and begins to ask where the slots are: first the node at ``RedisConfiguration/address``, then those at
    /// ``RedisConfiguration/otherAddresses``.
    ///
    /// - Parameters:
    ///   - trackedPrefix: Every node is asked to tell of changes to keys that begin with this. By default of none.
    ///   - logger: Told of connections that are lost and found. Nothing it is told is secret.
    ///   - onEvent: Called for each event; it must neither wait nor do much, and may be called on several threads at the same time.
    /// - Throws: ``RedisError`` of code ``RedisError/Code/invalidConfiguration`` or ``RedisError/Code/tlsFailed`` if the configuration cannot be used.
    public convenience init(
        _ configuration: RedisConfiguration,
        trackedPrefix: [UInt8]? = nil,
        logger: Logger? = nil,
        onEvent: @escaping @Sendable (RedisEvent) -> Void = { _ in }
    ) throws(RedisError) {
        guard configuration.database == 0 else { throw RedisError(.invalidConfiguration, "A cluster has only database 0.") }
        try self.init(configuration, ticker: MonotonicTicker(), random: { .random(in: 0..<1) }, onEvent: onEvent) {
            address,
            onEvent throws(RedisError) in
            var node = configuration
            node.address = address
            return try RedisClient(node, trackedPrefix: trackedPrefix, logger: logger, onEvent: onEvent)
        }
    }

    /// - Parameter makeConnection: Makes the connection to a node. Must not call its arguments before it returns.
    init(
        _ configuration: RedisConfiguration,
        ticker: any Ticker,
        random: @escaping @Sendable () -> Double,
        onEvent: @escaping @Sendable (RedisEvent) -> Void,
        makeConnection: @escaping ClusterDriver.MakeConnection
    ) throws(RedisError) {
        driver = ClusterDriver(configuration, ticker: ticker, random: random, onEvent: onEvent, makeConnection: makeConnection)
        do {
            try driver.start()
        } catch {
            driver.close()
            throw error
        }
    }

    deinit {
        driver.close()
    }

    public func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        try await driver.send(command)
    }

    public func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        try await driver.send(commands)
    }

    /// The connections to the masters, after the cluster was asked where the slots are. Empty if a slot has no master that is known.
    public var nodes: [any RedisConnection] {
        get async { await driver.masters() }
    }

    public func close() async {
        for connection in driver.close() { await connection.close() }
    }
}
