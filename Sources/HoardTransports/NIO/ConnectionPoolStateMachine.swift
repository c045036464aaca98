// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Decides which exchange gets which connection to an origin; does no I/O.
///
/// There are never more connections to one origin than allowed, those being made included, and never more being made than requests wait. A request
/// that waits gets the first connection that is made or becomes free. A request that has just lost a used connection gets only an unused one, and has
/// it for itself.
///
/// A connection can carry one exchange at a time, or several. It is idle, in the words used here, when it can carry another.
///
/// Connections that take no more exchanges do not count. A connection that carries several exchanges may never be without any. So if all allowed
/// connections are of that kind and a request wants an unused one, one of them takes no more exchanges. Until that one has ended, no other is given up
/// in this way: this adds at most one connection beyond the limit.
///
/// If a connection is lost with several exchanges on it, one of them may have cost the others theirs. Then each gets a connection of its own, while more can be
/// made, until many have ended well: one client's request must not fail another's for long.
struct ConnectionPoolStateMachine<Connection: AnyObject, Waiter> {
    /// The state of one origin.
    struct Host {
        fileprivate(set) var idle: [Connection] = []
        /// All that are open, whether idle or in use.
        fileprivate var open: [ObjectIdentifier: Connection] = [:]
        /// How far those are used that can carry several exchanges at once.
        fileprivate var shares: [ObjectIdentifier: Share] = [:]
        /// Those that take no more exchanges and end with those in progress.
        fileprivate var leaving: [ObjectIdentifier: Connection] = [:]
        fileprivate var openingCount = 0
        /// How many exchanges at once a connection that is being made is thought to carry.
        fileprivate var agreedCapacity: Int
        /// How many exchanges at once a connection carries at most, while others can be made.
        fileprivate var sharingLimit = Int.max
        /// How many have ended well since a connection failed.
        fileprivate var goodCount = 0
        fileprivate var waiters = CircularBuffer<(id: UInt64, waiter: Waiter)>()
        /// Those that want an unused connection.
        fileprivate var freshWaiters = CircularBuffer<(id: UInt64, waiter: Waiter)>()

        /// Those that take exchanges, those being made included.
        fileprivate var connectionCount: Int { open.count + openingCount }
        /// All that are open.
        var openCount: Int { open.count + leaving.count }
        fileprivate var waiterCount: Int { waiters.count + freshWaiters.count }
        fileprivate var isUnused: Bool { connectionCount == 0 && waiterCount == 0 && leaving.isEmpty && sharingLimit == .max }
        fileprivate var expectedCapacity: Int { min(agreedCapacity, sharingLimit) }
        /// Whether requests can only wait for a connection to become free, because none is being made.
        var isFull: Bool { openingCount == 0 }
    }

    fileprivate struct Share {
        let capacity: Int
        var useCount: Int
        /// Its exchange has it for itself.
        var isReserved = false

        func allows(_ count: Int, limit: Int) -> Bool { !isReserved && count <= min(capacity, limit) }
    }

    private let maximumConnectionCountPerHost: Int
    private let maximumIdleCountPerHost: Int
    private let maximumWaiterCountPerHost: Int
    private(set) var hosts: [OriginServer: Host] = [:]
    private(set) var isShutDown = false
    private let expectedCapacity: @Sendable (OriginServer) -> Int

    /// - Parameter expectedCapacity: How many exchanges at once a connection to a server is thought to carry before one has been made.
    init(
        maximumConnectionCountPerHost: Int,
        maximumIdleCountPerHost: Int,
        maximumWaiterCountPerHost: Int,
        expectedCapacity: @escaping @Sendable (OriginServer) -> Int = { _ in 1 }
    ) {
        self.expectedCapacity = expectedCapacity
        self.maximumConnectionCountPerHost = maximumConnectionCountPerHost
        self.maximumIdleCountPerHost = maximumIdleCountPerHost
        self.maximumWaiterCountPerHost = maximumWaiterCountPerHost
    }

    enum LeaseAction {
        case use(Connection)
        /// The waiter has been noted. A connection must be made, and `closing` ended to make room for it.
        case waitAndOpen(closing: Connection?)
        /// The waiter has been noted. A connection must be made, and `leaving` be told to end with the exchanges in progress on it.
        case waitAndReplace(leaving: Connection)
        /// The waiter has been noted.
        case wait
        case refuse(ExchangeError)
    }

    /// An idle connection, the best one first, if there is one.
    ///
    /// - Parameter isPreferred: Whether a connection is better than others. Among equals the last one used is the best.
    mutating func leaseIdle(_ server: OriginServer, isPreferred: (Connection) -> Bool) -> Connection? {
        guard !isShutDown, let idle = hosts[server]?.idle, !idle.isEmpty else { return nil }
        return hosts[server]?.takeIdle(at: idle.lastIndex(where: isPreferred) ?? idle.count - 1)
    }

    /// The idle connection that was used last of those that will do, if there is one.
    mutating func leaseIdleConnection(to server: OriginServer, where isUsable: (Connection) -> Bool) -> Connection? {
        guard !isShutDown, let index = hosts[server]?.idle.lastIndex(where: isUsable) else { return nil }
        return hosts[server]?.takeIdle(at: index)
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
        var host = hosts[server] ?? Host(agreedCapacity: expectedCapacity(server))
        defer { hosts[server] = host }
        let isFull = host.connectionCount >= maximumConnectionCountPerHost
        if isFull, !wantsFresh, let connection = host.takeShared() { return .use(connection) }
        let hasRoom = !isFull && host.needsOpening(forOneMore: wantsFresh)
        let makesRoom = isFull && wantsFresh && host.needsOpening(forOneMore: true) && (host.hasUnused || host.mayReplaceShared)
        guard hasRoom || makesRoom || host.waiterCount - host.openingCount * host.expectedCapacity < maximumWaiterCountPerHost else {
            return .refuse(.tooManyWaiting)
        }
        if wantsFresh {
            host.freshWaiters.append((id, waiter))
        } else {
            host.waiters.append((id, waiter))
        }
        guard hasRoom || makesRoom else { return .wait }
        host.openingCount += 1
        guard makesRoom else { return .waitAndOpen(closing: nil) }
        if let unused = host.takeOldestIdle() { return .waitAndOpen(closing: unused) }
        return host.takeLeastShared().map { .waitAndReplace(leaving: $0) } ?? .waitAndOpen(closing: nil)
    }

    /// A request does not wait any more.
    ///
    /// - Returns: Its waiter, if it has not been given anything.
    mutating func cancelWaiting(_ server: OriginServer, id: UInt64) -> Waiter? {
        hosts[server]?.removeWaiter(id)
    }

    enum FreeAction {
        case handOver(Connection, to: [Waiter])
        /// Others use it too, so that nothing changes.
        case none
        case keep
        case close
        /// A request waits for an unused connection: end this one and make a new one.
        case closeAndOpen
        /// A request waits for an unused connection: make a new one, and let this one end with the exchanges in progress on it.
        case leaveAndOpen
    }

    /// A connection has been made. To be followed by ``takeOpenings(_:)``.
    ///
    /// - Parameter capacity: How many exchanges it can carry at once.
    mutating func opened(_ connection: Connection, to server: OriginServer, capacity: Int = 1) -> FreeAction {
        guard !isShutDown, var host = hosts[server] else { return .close }
        defer { hosts[server] = host }
        host.openingCount -= 1
        host.agreedCapacity = capacity
        let isReserved = !host.freshWaiters.isEmpty
        let limit = isReserved ? 1 : min(capacity, host.sharingLimit)
        let id = ObjectIdentifier(connection)
        host.open[id] = connection
        var takers: [Waiter] = []
        while takers.count < limit, let waiter = host.freshWaiters.popFirst() ?? host.waiters.popFirst() { takers.append(waiter.waiter) }
        if capacity > 1 {
            host.shares[id] = Share(capacity: capacity, useCount: takers.count, isReserved: isReserved)
            if takers.count < limit, !takers.isEmpty { host.idle.append(connection) }
        }
        if !takers.isEmpty { return .handOver(connection, to: takers) }
        return host.keep(connection, maximumIdleCount: maximumIdleCountPerHost)
    }

    /// How many connections must be made now for those that wait, if connections carry fewer exchanges than thought.
    mutating func takeOpenings(_ server: OriginServer) -> Int {
        var count = 0
        while opensForWaiter(server) { count += 1 }
        return count
    }

    /// A connection has served its exchange and can serve another.
    mutating func released(_ connection: Connection, to server: OriginServer) -> FreeAction {
        let id = ObjectIdentifier(connection)
        guard !isShutDown, var host = hosts[server], host.open[id] != nil else {
            return hosts[server]?.leaving[id] == nil ? .close : .none
        }
        defer { hosts[server] = host }
        let useCount = host.endUse(of: id)
        host.exchangeEnded()
        if !host.freshWaiters.isEmpty, host.freshWaiters.count > host.openingCount, useCount == 0 || host.mayReplaceShared {
            host.remove(connection)
            host.openingCount += 1
            guard useCount > 0 else { return .closeAndOpen }
            host.leaving[id] = connection
            return .leaveAndOpen
        }
        let isFull = host.isFull && host.connectionCount >= maximumConnectionCountPerHost
        // When no more can be made, sharing is better than waiting.
        var room = host.shares[id].map { min($0.capacity, isFull ? .max : host.sharingLimit) - $0.useCount } ?? 1
        var takers: [Waiter] = []
        while room > 0, let waiter = host.waiters.popFirst() {
            host.beginUse(of: connection)
            takers.append(waiter.waiter)
            room -= 1
        }
        if takers.isEmpty, useCount == 0 { return host.keep(connection, maximumIdleCount: maximumIdleCountPerHost) }
        host.noteRoom(of: connection)
        if !takers.isEmpty { return .handOver(connection, to: takers) }
        return .none
    }

    /// A connection takes no more exchanges, and ends with those in progress. It does not count any more, so that others can be made in its place.
    ///
    /// - Returns: Whether another must be made, since a request waits.
    mutating func left(_ connection: Connection, to server: OriginServer) -> Bool {
        let id = ObjectIdentifier(connection)
        guard hosts[server]?.open[id] != nil else { return false }
        hosts[server]?.remove(connection)
        hosts[server]?.leaving[id] = connection
        return opensForWaiter(server)
    }

    /// Takes an idle connection out, so that it can be closed.
    ///
    /// - Returns: Whether it was idle.
    mutating func takeIdle(_ connection: Connection, to server: OriginServer) -> Bool {
        guard let host = hosts[server], let index = host.idle.firstIndex(where: { $0 === connection }) else { return false }
        if let share = host.shares[ObjectIdentifier(connection)], share.useCount > 0 { return false }
        hosts[server]?.idle.remove(at: index)
        return true
    }

    /// A connection has ended.
    ///
    /// - Returns: Whether another must be made, since there is room and a request waits.
    mutating func closed(_ connection: Connection, to server: OriginServer) -> Bool {
        hosts[server]?.remove(connection)
        hosts[server]?.leaving[ObjectIdentifier(connection)] = nil
        return opensForWaiter(server)
    }

    /// A connection ends with exchanges in progress on it.
    ///
    /// - Parameter endangersOthers: One of them may have cost others theirs.
    mutating func failed(_ server: OriginServer, endangersOthers: Bool) {
        hosts[server]?.failed(endangersOthers: endangersOthers)
    }

    /// A connection could not be made.
    ///
    /// - Returns: The waiters to tell because no connection is left for them, and whether another connection must be made.
    mutating func openingFailed(_ server: OriginServer) -> (waiters: [Waiter], opensAnother: Bool) {
        guard !isShutDown, var host = hosts[server] else { return ([], false) }
        host.openingCount -= 1
        var hopeless: [Waiter] = []
        if host.isShort(by: 0), let waiter = host.freshWaiters.popFirst() {
            hopeless.append(waiter.waiter)
        } else {
            while hopeless.count < host.expectedCapacity, host.isShort(by: 0), let waiter = host.waiters.popFirst() { hopeless.append(waiter.waiter) }
        }
        hosts[server] = host
        return (hopeless, opensForWaiter(server))
    }

    /// Refuses everything from now on.
    ///
    /// - Returns: The waiting exchanges, and all open connections.
    mutating func shutDown() -> (waiters: [Waiter], connections: [Connection]) {
        isShutDown = true
        let all = hosts.values
        hosts = [:]
        return (all.flatMap { ($0.freshWaiters + $0.waiters).map(\.waiter) }, all.flatMap { Array($0.open.values) + Array($0.leaving.values) })
    }

    private mutating func opensForWaiter(_ server: OriginServer) -> Bool {
        guard let host = hosts[server] else { return false }
        if host.isUnused {
            hosts[server] = nil
            return false
        }
        guard host.waiterCount > 0, host.needsOpening(forOneMore: nil), host.connectionCount < maximumConnectionCountPerHost else { return false }
        hosts[server]?.openingCount += 1
        return true
    }
}

extension ConnectionPoolStateMachine.Host {
    /// Whether more connections must be made for those that wait than are being made.
    ///
    /// - Parameter wantsFresh: Whether another request, which is about to wait, wants an unused connection. `nil`: none is about to wait.
    fileprivate func needsOpening(forOneMore wantsFresh: Bool?) -> Bool {
        // A connection for one exchange is made for each request that finds none.
        if wantsFresh != nil, expectedCapacity == 1 { return true }
        return isShort(by: wantsFresh.map { $0 ? expectedCapacity : 1 } ?? 0)
    }

    /// Whether the requests that wait need more than is being made. A request that wants an unused connection needs all of that connection.
    fileprivate func isShort(by more: Int) -> Bool {
        openingCount * expectedCapacity < waiters.count + freshWaiters.count * expectedCapacity + more
    }

    fileprivate mutating func keep(_ connection: Connection, maximumIdleCount: Int) -> ConnectionPoolStateMachine.FreeAction {
        let isIdle = !shares.isEmpty && idle.contains { $0 === connection }
        guard idle.count - (isIdle ? 1 : 0) < maximumIdleCount else {
            remove(connection)
            return .close
        }
        if !isIdle { idle.append(connection) }
        return .keep
    }

    /// Takes an idle connection for an exchange. It stays idle if it can carry yet another.
    fileprivate mutating func takeIdle(at index: Int) -> Connection {
        let connection = idle[index]
        if !shares.isEmpty, let share = shares[ObjectIdentifier(connection)] {
            shares[ObjectIdentifier(connection)]?.useCount += 1
            if share.allows(share.useCount + 2, limit: sharingLimit) { return connection }
        }
        idle.remove(at: index)
        return connection
    }

    /// An exchange begins on a connection that has just become free for it.
    fileprivate mutating func beginUse(of connection: Connection) {
        guard let share = shares[ObjectIdentifier(connection)] else { return }
        shares[ObjectIdentifier(connection)]?.useCount += 1
        if !share.allows(share.useCount + 2, limit: sharingLimit) { idle.removeAll { $0 === connection } }
    }

    /// A connection that carries exchanges is idle if it can carry another.
    fileprivate mutating func noteRoom(of connection: Connection) {
        guard let share = shares[ObjectIdentifier(connection)], share.allows(share.useCount + 1, limit: sharingLimit) else { return }
        if !idle.contains(where: { $0 === connection }) { idle.append(connection) }
    }

    /// An exchange has ended on a connection.
    ///
    /// - Returns: How many others are in progress on it.
    fileprivate mutating func endUse(of id: ObjectIdentifier) -> Int {
        guard let share = shares[id] else { return 0 }
        shares[id]?.useCount -= 1
        shares[id]?.isReserved = false
        return share.useCount - 1
    }

    fileprivate mutating func remove(_ connection: Connection) {
        let id = ObjectIdentifier(connection)
        idle.removeAll { $0 === connection }
        open[id] = nil
        shares[id] = nil
    }

    /// A connection that carries an exchange already and can carry another, although it should not: the one with the fewest.
    fileprivate mutating func takeShared() -> Connection? {
        let usable = shares.lazy.filter { $0.value.allows($0.value.useCount + 1, limit: .max) }
        guard sharingLimit < .max, let id = usable.min(by: { $0.value.useCount < $1.value.useCount })?.key, let connection = open[id] else {
            return nil
        }
        beginUse(of: connection)
        return connection
    }

    fileprivate mutating func failed(endangersOthers: Bool) {
        goodCount = 0
        guard endangersOthers else { return }
        sharingLimit = 1
        idle = idle.filter { !isUsed($0) }
    }

    /// An exchange has ended, and its connection goes on.
    fileprivate mutating func exchangeEnded() {
        guard sharingLimit < .max else { return }
        goodCount += 1
        if goodCount >= 1_000 { sharingLimit = .max }
    }

    /// Whether a connection that carries several exchanges may be given up for an unused one.
    fileprivate var mayReplaceShared: Bool { leaving.isEmpty && !shares.isEmpty }

    /// The connection with the fewest exchanges of those that carry several. It takes no more.
    fileprivate mutating func takeLeastShared() -> Connection? {
        guard let id = shares.min(by: { $0.value.useCount < $1.value.useCount })?.key, let connection = open[id] else { return nil }
        remove(connection)
        leaving[id] = connection
        return connection
    }

    /// Whether a connection is open on which no exchange is in progress.
    fileprivate var hasUnused: Bool { idle.contains { !isUsed($0) } }

    private func isUsed(_ connection: Connection) -> Bool { (shares[ObjectIdentifier(connection)]?.useCount ?? 0) > 0 }

    fileprivate mutating func takeOldestIdle() -> Connection? {
        guard let connection = idle.first(where: { !isUsed($0) }) else { return nil }
        remove(connection)
        return connection
    }

    fileprivate mutating func removeWaiter(_ id: UInt64) -> Waiter? {
        if let index = waiters.firstIndex(where: { $0.id == id }) { return waiters.remove(at: index).waiter }
        if let index = freshWaiters.firstIndex(where: { $0.id == id }) { return freshWaiters.remove(at: index).waiter }
        return nil
    }
}
