// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Logging
internal import NIOCore
internal import Synchronization

extension ConnectionDriver {
    /// Begins with the first connection. To be called once.
    func start() {
        eventLoop.execute { self.connect(self.state.withLock { $0.machine.attempt }) }
    }

    /// Makes a connection. On the event loop.
    private func connect(_ attempt: UInt64) {
        let now = ticker.nanoseconds()
        schedule(at: now.addingSaturated(connectTimeout), for: attempt) { $0.connectTimedOut(attempt) }
        connector.connect { channel in
            ConnectionHandler(self, channel: channel, attempt: attempt, handshake: self.handshake)
        } onFailure: { error in
            self.connectionEnded(attempt, error)
        }
    }

    private func connectTimedOut(_ attempt: UInt64) {
        let isConnecting = state.withLock { state in
            guard state.machine.isCurrent(attempt), case .connecting = state.machine.state else { return false }
            return true
        }
        if isConnecting { connectionEnded(attempt, RedisError(.connectionFailed, "No connection to the server could be made in time.")) }
    }

    /// A socket is open, and the handshake is sent on it. On the event loop.
    /// - Returns: Whether it is wanted.
    func connectionOpened(_ connection: ConnectionHandler) -> Bool {
        guard loopState.value.connection == nil, state.withLock({ $0.machine.isCurrent(connection.attempt) }) else { return false }
        loopState.value.connection = connection
        return true
    }

    /// The server has answered all that is said first. On the event loop.
    func handshakeDone(_ connection: ConnectionHandler) {
        guard loopState.value.connection === connection, state.withLock({ $0.machine.isCurrent(connection.attempt) }) else { return }
        let now = ticker.nanoseconds()
        let (isWanted, failureCount, overdue) = state.withLock { state -> (Bool, Int, [ReplySink]) in
            let failureCount = state.machine.failureCount
            guard state.machine.connectionMade(connection.attempt, now: now) else { return (false, failureCount, []) }
            return (true, failureCount, state.takeOverdueCommands(now: now))
        }
        guard isWanted else { return }
        // Commands are accepted from here on, so that a caller that hears of the connection can use it. They are written on this event
        // loop, so after this.
        loopState.value.isAnnounced = true
        onEvent(.connected)
        logger?.debug("Connected to the server of the shared cache.", metadata: ["redis.failures": "\(failureCount)"])
        write()
        for sink in overdue { sink.complete(.failure(.noReplyInTime)) }
        let socket = connection.makeDirectSocket()
        state.withLock { if $0.machine.isCurrent(connection.attempt) { $0.socket = socket } }
        watchHeartbeat(connection)
    }

    /// A connection has ended, is given up, or could not be made. On the event loop. Does nothing for one that has been told already.
    func connectionEnded(_ attempt: UInt64, _ error: RedisError) {
        let now = ticker.nanoseconds()
        let random = random()
        let (retry, isAwaited, waiting) = state.withLock { state -> (ConnectionStateMachine.Retry, Bool, [ReplySink]) in
            let retry = state.machine.connectionEnded(attempt, error, now: now, random: random)
            guard retry != .ignored else { return (retry, false, []) }
            return (retry, !state.queue.isEmpty, state.takeCommands())
        }
        guard retry != .ignored else { return }
        logger?.debug("There is no connection to the server of the shared cache.", metadata: ["error.code": "\(error.code)"])
        dropConnection(isAwaited: isAwaited)
        for sink in waiting { sink.complete(.failure(error)) }
        switch retry {
        case .ignored: break
        case .now(let attempt): connect(attempt)
        case .later(let attempt, let wait):
            schedule(at: now.addingSaturated(wait), for: attempt) { driver in
                if driver.state.withLock({ $0.machine.waitEnded(attempt) }) { driver.connect(attempt) }
            }
        }
    }

    /// Tells that the connection has ended, and closes its socket.
    private func dropConnection(isAwaited: Bool) {
        let loopState = loopState.value
        let connection = loopState.connection
        loopState.connection = nil
        if loopState.isAnnounced {
            loopState.isAnnounced = false
            onEvent(.disconnected)
        }
        connection?.drop(isAwaited: isAwaited)
    }

    /// Refuses commands from now on. Those that wait fail a moment later, after the event.
    func close() {
        guard state.withLock({ $0.machine.close() }) else { return }
        eventLoop.execute {
            let (isAwaited, waiting) = self.state.withLock { (!$0.queue.isEmpty, $0.takeCommands()) }
            self.dropConnection(isAwaited: isAwaited)
            for sink in waiting { sink.complete(.failure(.closedByOwner)) }
            let observers = self.state.withLock { state in
                state.hasEnded = true
                defer { state.endObservers = [] }
                return state.endObservers
            }
            for observer in observers { observer.resume() }
        }
    }

    /// Suspends until everything has ended after ``close()``.
    func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.endObservers.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }
}

extension ConnectionDriver.State {
    /// Takes away the commands that have waited too long for a connection. Their callers were told of a failure, and may have done something else
    /// since, or another process has, which a late write would undo. Only before anything is written on a connection.
    fileprivate mutating func takeOverdueCommands(now: Int64) -> [ReplySink] {
        let (sinks, byteCount) = queue.removeOverdue(now: now)
        outgoing.removeFirst(byteCount)
        return sinks
    }

    /// Takes away all commands, whether they have been written or not.
    fileprivate mutating func takeCommands() -> [ReplySink] {
        outgoing.removeAll()
        isWriteExpected = false
        isWrittenDirectly = false
        // A task that is about to write to the socket must not: its bytes would arrive after those that are sent on the next connection.
        socket?.shutDown()
        socket = nil
        return queue.takeAll()
    }
}
