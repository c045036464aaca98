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
        var acceptedCount = 0
        var entries: [ObjectIdentifier: Entry] = [:]
        var isShuttingDown = false
        var isAcceptingHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let maximumCount: Int
    private let state = Mutex(State())

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// How many connections are open.
    var count: Int { state.withLock { $0.acceptedCount } }

    /// Whether another connection may be accepted. If not, the next ``released()`` says so.
    func mayAccept() -> Bool {
        state.withLock { state in
            state.isAcceptingHeld = state.acceptedCount >= maximumCount
            return !state.isAcceptingHeld
        }
    }

    /// A connection has been accepted. ``released()`` must follow.
    func accepted() {
        state.withLock { $0.acceptedCount += 1 }
    }

    /// An accepted connection has closed.
    ///
    /// - Returns: Whether accepting was held back until now.
    func released() -> Bool {
        let (isAcceptingHeld, waiters) = state.withLock { state in
            state.acceptedCount -= 1
            defer { state.isAcceptingHeld = false }
            return (state.isAcceptingHeld, state.acceptedCount == 0 ? state.takeWaiters() : [])
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
