// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// Carries out the decisions of ``ClusterStateMachine``: makes connections to nodes and gives them up, asks where slots
/// are, tells of events.
final class ClusterDriver: Sendable {
    typealias Machine = ClusterStateMachine<any RedisConnection>
    typealias Node = Machine.Node
    typealias Address = RedisConfiguration.Address
    typealias MakeConnection = @Sendable (Address, @escaping @Sendable (RedisEvent) -> Void) throws(RedisError) -> any RedisConnection

    struct State {
        var machine = Machine()
        /// The asking that is under way.
        var refresh: Task<Void, Never>?
        var lastRefresh: Int64?
        /// The reason why the slots are not known.
        var failure: RedisError?
        var watch: Task<Void, any Error>?
    }

    /// Nothing is asked again within so long, however many commands are sent to the wrong node.
    static let refreshInterval: Int64 = 100_000_000

    let state = Mutex(State())
    let seeds: [Address]
    let ticker: any Ticker
    let random: @Sendable () -> Double
    let commandTimeout: Int64
    private let watchInterval: Int64
    private let onEvent: @Sendable (RedisEvent) -> Void
    private let makeConnection: MakeConnection

    init(
        _ configuration: RedisConfiguration,
        ticker: any Ticker,
        random: @escaping @Sendable () -> Double,
        onEvent: @escaping @Sendable (RedisEvent) -> Void,
        makeConnection: @escaping MakeConnection
    ) {
        seeds = [configuration.address] + configuration.otherAddresses
        self.ticker = ticker
        self.random = random
        commandTimeout = configuration.commandTimeout.saturatingNanoseconds
        watchInterval = max(1_000_000, configuration.heartbeatInterval.saturatingNanoseconds)
        self.onEvent = onEvent
        self.makeConnection = makeConnection
    }

    /// Begins to ask where the slots are.
    func start() throws(RedisError) {
        for seed in seeds { _ = try node(at: seed) }
        refresh()
        let watch = startTask { [weak self, ticker, watchInterval] in
            while true {
                try await ticker.sleep(until: ticker.nanoseconds().addingSaturated(watchInterval))
                guard let self else { return }
                await self.lookAround()
            }
        }
        state.withLock { $0.watch = watch }
    }

    /// Returns the connections, which have to be closed.
    @discardableResult
    func close() -> [any RedisConnection] {
        let (connections, refresh, watch) = state.withLock { ($0.machine.close(), $0.refresh, $0.watch) }
        refresh?.cancel()
        watch?.cancel()
        return connections
    }

    /// The node at an address, with a new connection if there is none.
    func node(at address: Address) throws(RedisError) -> Node {
        switch state.withLock({ $0.machine.route(to: address) }) {
        case .node(let node): return node
        case .closed, .unknown: throw .clusterClosed
        case .missing: break
        }
        guard let number = state.withLock({ $0.machine.reserve() }) else {
            throw state.withLock { $0.machine.isClosed } ? .clusterClosed : RedisError(.notReady, "The cluster names more nodes than can be.")
        }
        let connection: any RedisConnection
        do {
            connection = try makeConnection(address) { [weak self] event in self?.handle(event, of: number) }
        } catch {
            state.withLock { $0.machine.giveUp(number) }
            throw error
        }
        let (node, isNeeded) = state.withLock { $0.machine.add(connection, number: number, address: address) }
        if !isNeeded { startTask { await connection.close() } }
        announce(nil)
        guard let node else { throw .clusterClosed }
        return node
    }

    private func handle(_ event: RedisEvent, of number: Int) {
        switch event {
        case .connected: announce(state.withLock { $0.machine.connectionChanged(number, isConnected: true) })
        case .disconnected: announce(state.withLock { $0.machine.connectionChanged(number, isConnected: false) })
        case .push: onEvent(event)
        }
    }

    /// Announces a loss, if there was one, and then the present state.
    func announce(_ loss: Machine.Announcement?) {
        var next = loss ?? state.withLock { $0.machine.announce() }
        while let announcement = next {
            onEvent(announcement.isConnected ? .connected : .disconnected)
            next = state.withLock { $0.machine.announce(after: announcement) }
        }
    }
}

extension RedisError {
    static var clusterClosed: RedisError { RedisError(.closed, "The connection to the cluster was closed.") }
}
