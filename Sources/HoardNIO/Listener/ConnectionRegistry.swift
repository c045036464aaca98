// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Synchronization

/// Knows the connections of a server: how many there are, and how to end them.
final class ConnectionRegistry: Sendable {
    /// A connection, as far as ending it is concerned.
    struct Entry: Sendable {
        /// Asks it to take no more requests.
        let quiesce: @Sendable () -> Void
        /// Closes it, whatever it is doing.
        let close: @Sendable () -> Void
    }

    fileprivate struct State {
        var maximumCount: Int
        var acceptedCount = 0
        var totalCount = 0
        /// How many connections each client has, by ``ClientNetwork``.
        var clientCounts: [ClientNetwork: Int] = [:]
        var entries: [ObjectIdentifier: Entry] = [:]
        var isShuttingDown = false
        var isAcceptingHeld = false
        /// Functions that open the gates in front of the listening sockets. They refer to the registry, so they must leave it.
        var gates: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(maximumCount: Int) {
        state = Mutex(State(maximumCount: maximumCount))
    }

    /// The most connections that may be open from now on. Excess connections stay open.
    func setMaximumCount(_ maximumCount: Int) {
        let gates = state.withLock { state -> [@Sendable () -> Void] in
            state.maximumCount = maximumCount
            guard state.isAcceptingHeld, state.acceptedCount < maximumCount else { return [] }
            state.isAcceptingHeld = false
            return Array(state.gates.values)
        }
        for open in gates { open() }
    }

    /// The most connections that may be open.
    var maximumCount: Int { state.withLock { $0.maximumCount } }

    /// The number of connections that have been accepted since the start.
    var totalCount: Int { state.withLock { $0.totalCount } }

    /// Adds something that accepts connections, and is told when it may do so again, until ``removeGate(_:)``.
    func addGate(_ id: ObjectIdentifier, _ open: @escaping @Sendable () -> Void) {
        state.withLock { $0.gates[id] = open }
    }

    func removeGate(_ id: ObjectIdentifier) {
        state.withLock { _ = $0.gates.removeValue(forKey: id) }
    }

    /// Has every gate look again whether it may accept.
    func openGates() {
        for open in state.withLock({ Array($0.gates.values) }) { open() }
    }

    /// Counts a connection of a client.
    ///
    /// - Returns: Whether the client may have one more. If so, ``left(_:)`` must follow.
    func entered(_ client: ClientNetwork, maximumCount: Int) -> Bool {
        state.withLock { state in
            let count = state.clientCounts[client, default: 0]
            guard count < maximumCount else { return false }
            state.clientCounts[client] = count + 1
            return true
        }
    }

    /// A connection that was counted for a client has closed.
    func left(_ client: ClientNetwork) {
        state.withLock { state in
            guard let count = state.clientCounts[client] else { return }
            state.clientCounts[client] = count > 1 ? count - 1 : nil
        }
    }

    /// The number of connections that are open.
    var count: Int { state.withLock { $0.acceptedCount } }

    /// Whether another connection may be accepted. If not, the next ``released()`` says so.
    func mayAccept() -> Bool {
        state.withLock { state in
            state.isAcceptingHeld = state.acceptedCount >= state.maximumCount
            return !state.isAcceptingHeld
        }
    }

    /// A connection has been accepted. ``released()`` must follow.
    func accepted() {
        state.withLock { state in
            state.acceptedCount += 1
            state.totalCount += 1
        }
    }

    /// An accepted connection has closed.
    ///
    /// - Returns: Whether accepting was held back until now.
    func released() -> Bool {
        let (isAcceptingHeld, waiters) = state.withLock { state in
            state.acceptedCount -= 1
            let isAcceptingHeld = state.isAcceptingHeld && state.acceptedCount < state.maximumCount
            if isAcceptingHeld { state.isAcceptingHeld = false }
            return (isAcceptingHeld, state.acceptedCount == 0 ? state.takeWaiters() : [])
        }
        for waiter in waiters { waiter.resume() }
        return isAcceptingHeld
    }

    /// Adds a connection, unless the server is shutting down.
    func add(_ id: ObjectIdentifier, _ entry: Entry) -> Bool {
        state.withLock { state in
            guard !state.isShuttingDown else { return false }
            state.entries[id] = entry
            return true
        }
    }

    func remove(_ id: ObjectIdentifier) {
        state.withLock { _ = $0.entries.removeValue(forKey: id) }
    }

    /// Asks every connection to take no more requests, and refuses new ones.
    func quiesce() {
        let entries = state.withLock { state in
            state.isShuttingDown = true
            return Array(state.entries.values)
        }
        for entry in entries { entry.quiesce() }
    }

    /// Closes every connection.
    func closeAll() {
        let entries = state.withLock { Array($0.entries.values) }
        for entry in entries { entry.close() }
    }

    /// Waits until no connection is open.
    func waitUntilEmpty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                guard state.acceptedCount > 0 else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }
}

extension ConnectionRegistry.State {
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [] }
        return waiters
    }
}
