// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Decides who gets which connection to an origin; does no I/O.
///
/// There are never more connections to one origin than allowed, those being made included, and never more being made than requests wait. Who waits gets
/// the first connection that is made or becomes free. Who has just lost one that had been used gets only one that has not.
struct ConnectionPoolStateMachine<Connection: AnyObject, Waiter> {
    /// What is known of one origin.
    struct Host {
        fileprivate(set) var idle: [Connection] = []
        /// All that are open, whether idle or in use.
        fileprivate var open: [ObjectIdentifier: Connection] = [:]
        fileprivate var openingCount = 0
        fileprivate var waiters = CircularBuffer<(id: UInt64, waiter: Waiter)>()
        /// Those that want a connection nobody has used.
        fileprivate var freshWaiters = CircularBuffer<(id: UInt64, waiter: Waiter)>()

        fileprivate var connectionCount: Int { open.count + openingCount }
        fileprivate var waiterCount: Int { waiters.count + freshWaiters.count }
        fileprivate var isUnused: Bool { connectionCount == 0 && waiterCount == 0 }
    }

    private let maximumConnectionCountPerHost: Int
    private let maximumIdleCountPerHost: Int
    private let maximumWaiterCountPerHost: Int
    private(set) var hosts: [OriginServer: Host] = [:]
    private(set) var isShutDown = false

    init(maximumConnectionCountPerHost: Int, maximumIdleCountPerHost: Int, maximumWaiterCountPerHost: Int) {
        self.maximumConnectionCountPerHost = maximumConnectionCountPerHost
        self.maximumIdleCountPerHost = maximumIdleCountPerHost
        self.maximumWaiterCountPerHost = maximumWaiterCountPerHost
    }

    enum LeaseAction {
        case use(Connection)
        /// The waiter has been noted. A connection must be made, and `closing` ended to make room for it.
        case waitAndOpen(closing: Connection?)
        /// The waiter has been noted.
        case wait
        case refuse(ExchangeError)
    }

    /// An idle connection, the best one first, if there is one.
    ///
    /// - Parameter isPreferred: Whether a connection is better than others. Among equals the last one used is the best.
    mutating func leaseIdle(_ server: OriginServer, isPreferred: (Connection) -> Bool) -> Connection? {
        guard !isShutDown, let idle = hosts[server]?.idle, !idle.isEmpty else { return nil }
        return hosts[server]?.idle.remove(at: idle.lastIndex(where: isPreferred) ?? idle.count - 1)
    }

    /// A request wants a connection.
    ///
    /// - Parameter wantsFresh: Only one that has not been used will do.
    mutating func lease(
        _ server: OriginServer,
        id: UInt64,
        waiter: Waiter,
        wantsFresh: Bool,
        isPreferred: (Connection) -> Bool
    ) -> LeaseAction {
        guard !isShutDown else { return .refuse(.shutDown) }
        if !wantsFresh, let connection = leaseIdle(server, isPreferred: isPreferred) { return .use(connection) }
        var host = hosts[server] ?? Host()
        defer { hosts[server] = host }
        let hasRoom = host.connectionCount < maximumConnectionCountPerHost
        let makesRoom = !hasRoom && wantsFresh && !host.idle.isEmpty
        guard hasRoom || makesRoom || host.waiterCount - host.openingCount < maximumWaiterCountPerHost else { return .refuse(.tooManyWaiting) }
        if wantsFresh {
            host.freshWaiters.append((id, waiter))
        } else {
            host.waiters.append((id, waiter))
        }
        guard hasRoom || makesRoom else { return .wait }
        host.openingCount += 1
        return .waitAndOpen(closing: makesRoom ? host.takeOldestIdle() : nil)
    }

    /// A request does not wait any more.
    ///
    /// - Returns: Its waiter, if it has not been given anything.
    mutating func cancelWaiting(_ server: OriginServer, id: UInt64) -> Waiter? {
        hosts[server]?.removeWaiter(id)
    }

    enum FreeAction {
        case handOver(Connection, to: Waiter)
        case keep
        case close
        /// A request waits for a connection that nobody has used: end this one and make that.
        case closeAndOpen
    }

    /// A connection has been made.
    mutating func opened(_ connection: Connection, to server: OriginServer) -> FreeAction {
        guard !isShutDown, var host = hosts[server] else { return .close }
        defer { hosts[server] = host }
        host.openingCount -= 1
        host.open[ObjectIdentifier(connection)] = connection
        if let waiter = host.freshWaiters.popFirst() ?? host.waiters.popFirst() { return .handOver(connection, to: waiter.waiter) }
        return host.keep(connection, maximumIdleCount: maximumIdleCountPerHost)
    }

    /// A connection has served its exchange and can serve another.
    mutating func released(_ connection: Connection, to server: OriginServer) -> FreeAction {
        guard !isShutDown, var host = hosts[server], host.open[ObjectIdentifier(connection)] != nil else { return .close }
        defer { hosts[server] = host }
        if host.freshWaiters.count > host.openingCount {
            host.open[ObjectIdentifier(connection)] = nil
            host.openingCount += 1
            return .closeAndOpen
        }
        if let waiter = host.waiters.popFirst() { return .handOver(connection, to: waiter.waiter) }
        return host.keep(connection, maximumIdleCount: maximumIdleCountPerHost)
    }

    /// Takes an idle connection out, so that it can be closed.
    ///
    /// - Returns: Whether it was idle.
    mutating func takeIdle(_ connection: Connection, to server: OriginServer) -> Bool {
        guard let index = hosts[server]?.idle.firstIndex(where: { $0 === connection }) else { return false }
        hosts[server]?.idle.remove(at: index)
        return true
    }

    /// A connection has ended.
    ///
    /// - Returns: Whether another must be made, since there is room and somebody waits.
    mutating func closed(_ connection: Connection, to server: OriginServer) -> Bool {
        _ = takeIdle(connection, to: server)
        hosts[server]?.open[ObjectIdentifier(connection)] = nil
        return opensForWaiter(server)
    }

    /// A connection could not be made.
    ///
    /// - Returns: Who is told, if anybody is left without hope; and whether another must be made.
    mutating func openingFailed(_ server: OriginServer) -> (waiter: Waiter?, opensAnother: Bool) {
        guard !isShutDown, var host = hosts[server] else { return (nil, false) }
        host.openingCount -= 1
        var waiter: Waiter?
        if host.waiterCount > host.openingCount { waiter = (host.freshWaiters.popFirst() ?? host.waiters.popFirst())?.waiter }
        hosts[server] = host
        return (waiter, opensForWaiter(server))
    }

    /// Refuses everything from now on.
    ///
    /// - Returns: Who waits, and all that is open.
    mutating func shutDown() -> (waiters: [Waiter], connections: [Connection]) {
        isShutDown = true
        let all = hosts.values
        hosts = [:]
        return (all.flatMap { ($0.freshWaiters + $0.waiters).map(\.waiter) }, all.flatMap { $0.open.values })
    }

    private mutating func opensForWaiter(_ server: OriginServer) -> Bool {
        guard let host = hosts[server] else { return false }
        if host.isUnused {
            hosts[server] = nil
            return false
        }
        guard host.waiterCount > host.openingCount, host.connectionCount < maximumConnectionCountPerHost else { return false }
        hosts[server]?.openingCount += 1
        return true
    }
}

extension ConnectionPoolStateMachine.Host {
    fileprivate mutating func keep(_ connection: Connection, maximumIdleCount: Int) -> ConnectionPoolStateMachine.FreeAction {
        guard idle.count < maximumIdleCount else {
            open[ObjectIdentifier(connection)] = nil
            return .close
        }
        idle.append(connection)
        return .keep
    }

    fileprivate mutating func takeOldestIdle() -> Connection {
        let connection = idle.removeFirst()
        open[ObjectIdentifier(connection)] = nil
        return connection
    }

    fileprivate mutating func removeWaiter(_ id: UInt64) -> Waiter? {
        if let index = waiters.firstIndex(where: { $0.id == id }) { return waiters.remove(at: index).waiter }
        if let index = freshWaiters.firstIndex(where: { $0.id == id }) { return freshWaiters.remove(at: index).waiter }
        return nil
    }
}
