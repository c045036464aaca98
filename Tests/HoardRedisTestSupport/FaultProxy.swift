// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardProcessTestSupport
@_spi(Client) package import HoardRedis
import NIOCore
import NIOPosix
import Synchronization

/// Stands between clients and a server, and loses, delays and cuts their bytes.
///
/// Bytes that are kept back when a connection ends are lost: they never reach the server later.
package final class FaultProxy: Sendable {
    private struct State {
        var pairs: [ObjectIdentifier: NIOLoopBound<FaultPair>] = [:]
        /// For connections to come, in this order: after how many bytes for the client each is cut.
        var limits: [Int] = []
        var isRefusing = false
        var connectionCount = 0
    }

    /// The address to which clients connect.
    package let address: RedisConfiguration.Address
    private let listener: any Channel
    private let state: Shared

    private final class Shared: Sendable {
        let orders = FaultOrders()
        let state = Mutex(State())
    }

    /// Listens on a free port of loopback. May suspend.
    package static func start(to server: RedisConfiguration.Address) async throws -> FaultProxy {
        let shared = Shared()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in accept(client, to: server, shared) }
            .bind(host: "127.0.0.1", port: 0).get()
        return FaultProxy(listener, shared)
    }

    private init(_ listener: any Channel, _ shared: Shared) {
        self.listener = listener
        state = shared
        address = .tcp(host: "127.0.0.1", port: listener.localAddress?.port ?? 0)
    }

    /// Connections that clients have made so far.
    package var connectionCount: Int { state.state.withLock { $0.connectionCount } }

    /// How often bytes were kept back so far.
    package var keptBackCount: Int { state.orders.current.keptBackCount }

    /// Connections to come are cut, the first after so many bytes for the client, and so on; those after the last are not.
    package func cutNextConnections(afterBytesToClient limits: [Int]) {
        state.state.withLock { $0.limits = limits }
    }

    /// Ends all connections. Bytes that are sent on them from now on are lost.
    package func cut() {
        order { $0.cutCount += 1 }
    }

    /// Ends all connections, and those to come as soon as they are made, until ``accept()``.
    package func refuse() {
        state.state.withLock { $0.isRefusing = true }
        cut()
    }

    /// Lets connections be made again.
    package func accept() {
        state.state.withLock { $0.isRefusing = false }
    }

    /// Keeps all bytes back, also on connections to come, until ``flow()``. Neither end hears of it.
    package func stall() {
        order { $0.stalled = Set(FaultPair.Direction.allCases) }
    }

    /// Keeps the bytes for clients back until ``flow()``: the server carries commands out,
    /// and the clients hear nothing.
    package func stallReplies() {
        order { $0.stalled = [.toClient] }
    }

    /// Hands on the bytes that were kept back, and all bytes from now on.
    package func flow() {
        order { $0.stalled = [] }
    }

    /// Delays bytes for clients by so many milliseconds from now on.
    package func delayReplies(by milliseconds: Int) {
        order { $0.delay = .milliseconds(Int64(milliseconds)) }
    }

    /// Ends all connections and listens no more. Calling it again does nothing. May suspend.
    package func stop() async {
        refuse()
        try? await listener.close()
    }

    private func order(_ change: (inout FaultOrders.Values) -> Void) {
        state.orders.change(change)
        let pairs = state.state.withLock { Array($0.pairs.values) }
        for pair in pairs { pair.eventLoop.execute { pair.value.obey() } }
    }

    /// Makes the connection to the server before the client's is read from.
    private static func accept(_ client: any Channel, to server: RedisConfiguration.Address, _ shared: Shared) -> EventLoopFuture<Void> {
        let (isRefused, limit) = shared.state.withLock { state -> (Bool, Int?) in
            state.connectionCount += 1
            if state.isRefusing { return (true, nil) }
            return (false, state.limits.isEmpty ? nil : state.limits.removeFirst())
        }
        if isRefused { return client.eventLoop.makeFailedFuture(SystemFailure("the connection is refused")) }
        let pair = NIOLoopBound(FaultPair(client: client, orders: shared.orders, bytesToClient: limit), eventLoop: client.eventLoop)
        let identity = ObjectIdentifier(client as AnyObject)
        do {
            try client.pipeline.syncOperations.addHandler(FaultHandler(pair.value, .toServer))
        } catch {
            return client.eventLoop.makeFailedFuture(error)
        }
        client.closeFuture.whenComplete { _ in shared.state.withLock { _ = $0.pairs.removeValue(forKey: identity) } }
        let bootstrap = ClientBootstrap(group: client.eventLoop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FaultHandler(pair.value, .toClient))
                }
            }
        let connection =
            switch server.base {
            case .tcp(let host, let port): bootstrap.connect(host: host, port: port)
            case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        return connection.map { channel in
            pair.value.server = channel
            let isRefused = shared.state.withLock { state in
                state.pairs[identity] = pair
                return state.isRefusing
            }
            if isRefused { pair.value.cut() } else { pair.value.obey() }
        }
    }
}
