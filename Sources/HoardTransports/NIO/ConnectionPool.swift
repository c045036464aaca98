// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The connections of a transport: makes them, lends them, and keeps those that are free.
///
/// ``ConnectionPoolStateMachine`` makes its decisions.
final class ConnectionPool: Sendable {
    fileprivate typealias Waiter = CheckedContinuation<ClientConnection, any Error>

    private let connector: ClientConnector
    private let connectTimeout: Duration
    private let group: any EventLoopGroup
    private let eventLoops: Set<ObjectIdentifier>
    private let machine: Mutex<ConnectionPoolStateMachine<ClientConnection, Waiter>>
    private let lastID = Atomic<UInt64>(0)

    init(connector: ClientConnector, configuration: NIOTransport.Configuration) {
        self.connector = connector
        connectTimeout = configuration.connectTimeout
        group = configuration.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        eventLoops = Set(group.makeIterator().map { ObjectIdentifier($0) })
        machine = Mutex(
            ConnectionPoolStateMachine(
                maximumConnectionCountPerHost: configuration.maximumConnectionCountPerHost,
                maximumIdleCountPerHost: configuration.maximumIdleConnectionCountPerHost,
                maximumWaiterCountPerHost: configuration.maximumWaitingCountPerHost,
                expectedCapacity: { connector.expectedCapacity($0) }
            )
        )
    }

    /// A connection to send one request on. Its handler gives it back.
    ///
    /// If the caller runs on an event loop of the pool's, a connection of that event loop is preferred.
    ///
    /// - Parameter wantsFresh: The connection must not have served anything yet.
    func lease(_ server: OriginServer, wantsFresh: Bool) async throws -> ClientConnection {
        let eventLoop = MultiThreadedEventLoopGroup.currentEventLoop
        let isPreferred: @Sendable (ClientConnection) -> Bool = { $0.eventLoop === eventLoop }
        if !wantsFresh, let connection = machine.withLock({ $0.leaseIdle(server, isPreferred: isPreferred) }) { return connection }
        let id = lastID.add(1, ordering: .relaxed).newValue
        var timeout: Scheduled<Void>?
        defer { timeout?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let action = machine.withLock { machine -> ConnectionPoolStateMachine<ClientConnection, Waiter>.LeaseAction? in
                    // A task cancelled before it came here would wait until the timeout: its cancellation handler has already run.
                    guard !Task.isCancelled else { return nil }
                    return machine.lease(server, id: id, waiter: continuation, wantsFresh: wantsFresh, isPreferred: isPreferred)
                }
                switch action {
                // Not before there is a waiter: a time that was over by then would be missed.
                case .wait, .waitAndOpen, .waitAndReplace: timeout = endWaiting(server, id: id)
                case .use, .refuse, nil: break
                }
                switch action {
                case .use(let connection): continuation.resume(returning: connection)
                case .waitAndOpen(let closing):
                    closing?.close(ExchangeError.connectionClosed)
                    open(server, on: eventLoop)
                case .waitAndReplace(let leaving):
                    leaving.leave()
                    open(server, on: eventLoop)
                case .wait: break
                case .refuse(let error): continuation.resume(throwing: error)
                case nil: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            machine.withLock { $0.cancelWaiting(server, id: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Ends the waiting of a request when it has taken too long.
    private func endWaiting(_ server: OriginServer, id: UInt64) -> Scheduled<Void> {
        group.any().scheduleTask(in: TimeAmount(connectTimeout)) { [self] in
            let (waiter, isFull) = machine.withLock { ($0.cancelWaiting(server, id: id), $0.hosts[server]?.isFull ?? false) }
            waiter?.resume(throwing: isFull ? ExchangeError.waitTimedOut : ExchangeError.connectTimedOut)
        }
    }

    /// An idle connection of the event loop on which the caller runs. Never suspends.
    func leaseIdle(_ server: OriginServer) -> ClientConnection? {
        guard let eventLoop = MultiThreadedEventLoopGroup.currentEventLoop else { return nil }
        return machine.withLock { $0.leaseIdleConnection(to: server, where: { $0.eventLoop === eventLoop && $0.capacity == 1 }) }
    }

    /// A connection has served its exchange and can serve another.
    func connectionReleased(_ connection: ClientConnection) {
        perform(machine.withLock { $0.released(connection, to: connection.server) }, with: connection)
    }

    /// A connection takes no more exchanges, and ends with those in progress.
    func connectionLeaves(_ connection: ClientConnection) {
        if machine.withLock({ $0.left(connection, to: connection.server) }) { open(connection.server, on: connection.eventLoop) }
    }

    /// A connection ends with exchanges in progress on it.
    ///
    /// - Parameter endangersOthers: One of them may have cost others theirs.
    func connectionFailed(_ connection: ClientConnection, endangersOthers: Bool) {
        machine.withLock { $0.failed(connection.server, endangersOthers: endangersOthers) }
    }

    /// How many connections to a server are open.
    func connectionCount(to server: OriginServer) -> Int {
        machine.withLock { $0.hosts[server]?.openCount ?? 0 }
    }

    /// A connection has ended.
    func connectionClosed(_ connection: ClientConnection) {
        if machine.withLock({ $0.closed(connection, to: connection.server) }) { open(connection.server, on: connection.eventLoop) }
    }

    /// Takes an idle connection out, so that it can be closed.
    ///
    /// - Returns: Whether it was idle.
    func takeIdle(_ connection: ClientConnection) -> Bool {
        machine.withLock { $0.takeIdle(connection, to: connection.server) }
    }

    /// Refuses everything from now on, and waits until all connections have ended.
    func shutDown() async {
        for connection in end(idleOnly: false) { await connection.waitUntilClosed() }
    }

    /// Refuses everything from now on. Exchanges in progress may end.
    func retire() {
        _ = end(idleOnly: true)
    }

    /// Refuses everything from now on, and closes the connections, or those without an exchange.
    private func end(idleOnly: Bool) -> [ClientConnection] {
        let (waiters, connections) = machine.withLock { machine in
            let idle = machine.hosts.values.flatMap(\.idle)
            let (waiters, all) = machine.shutDown()
            return (waiters, idleOnly ? idle : all)
        }
        for waiter in waiters { waiter.resume(throwing: ExchangeError.shutDown) }
        for connection in connections {
            if idleOnly { connection.leave() } else { connection.close(ExchangeError.shutDown) }
        }
        return connections
    }

    private func open(_ server: OriginServer, on eventLoop: (any EventLoop)?) {
        let own = eventLoop.flatMap { eventLoops.contains(ObjectIdentifier($0)) ? $0 : nil } ?? group.next()
        connector.connect(to: server, on: own, pool: self).whenComplete { [self] result in
            switch result {
            case .success(let connection):
                let (action, openingCount) = machine.withLock {
                    ($0.opened(connection, to: server, capacity: connection.capacity), $0.takeOpenings(server))
                }
                perform(action, with: connection)
                for _ in 0..<openingCount { open(server, on: own) }
            case .failure(let error):
                let (waiters, opensAnother) = machine.withLock { $0.openingFailed(server) }
                for waiter in waiters { waiter.resume(throwing: error) }
                if opensAnother { open(server, on: own) }
            }
        }
    }

    private func perform(_ action: ConnectionPoolStateMachine<ClientConnection, Waiter>.FreeAction, with connection: ClientConnection) {
        switch action {
        case .handOver(let connection, let waiters): for waiter in waiters { waiter.resume(returning: connection) }
        case .none: break
        case .keep: connection.kept()
        case .close: connection.leave()
        case .closeAndOpen:
            connection.close(ExchangeError.connectionClosed)
            open(connection.server, on: connection.eventLoop)
        case .leaveAndOpen:
            connection.leave()
            open(connection.server, on: connection.eventLoop)
        }
    }
}
