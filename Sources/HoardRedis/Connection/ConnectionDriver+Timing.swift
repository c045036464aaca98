// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import Synchronization

extension ConnectionDriver {
    /// Looks at the deadlines of commands at a given time, and again for as long as there are any.
    func watchDeadlines(at deadline: Int64) {
        _ = deadlines.schedule(at: deadline) { [weak self] in self?.deadlineReached() }
    }

    private func deadlineReached() {
        let now = ticker.nanoseconds()
        let (overdue, next) = state.withLock { state in
            let overdue = state.queue.takeOverdue(now: now)
            let next = state.queue.nextDeadline
            state.isDeadlineExpected = next != nil
            return (overdue, next)
        }
        for sink in overdue { sink.complete(.failure(.noReplyInTime)) }
        if let next { watchDeadlines(at: next) }
    }

    /// Calls a function on the event loop at a given time, if the connection is still the same.
    func schedule(at deadline: Int64, for attempt: UInt64, _ action: @escaping @Sendable (ConnectionDriver) -> Void) {
        _ = deadlines.schedule(at: deadline) { [weak self] in
            guard let self, state.withLock({ $0.machine.attempt == attempt && !$0.machine.isClosed }) else { return }
            eventLoop.execute { action(self) }
        }
    }

    /// Asks the server whether it is there, if it has not been heard for the interval.
    func watchHeartbeat(_ connection: ConnectionHandler) {
        let attempt = connection.attempt
        schedule(at: connection.lastArrival.addingSaturated(heartbeatInterval), for: attempt) { $0.heartbeatDue(attempt) }
    }

    private func heartbeatDue(_ attempt: UInt64) {
        guard let connection = loopState.value.connection, connection.attempt == attempt else { return }
        let now = ticker.nanoseconds()
        guard connection.lastArrival.addingSaturated(heartbeatInterval) <= now else { return watchHeartbeat(connection) }
        sendHeartbeat(now: now)
        let heard = connection.lastArrival
        schedule(at: now.addingSaturated(heartbeatTimeout), for: attempt) { $0.judgeHeartbeat(attempt, heard: heard) }
    }

    /// Nothing needs to be sent if replies are awaited anyway.
    private func sendHeartbeat(now: Int64) {
        state.withLock { state in
            guard state.queue.isEmpty, case .send = state.machine.admission else { return }
            let byteCount = state.outgoing.append(RedisCommand("PING"))
            _ = state.queue.append(.heartbeat, deadline: now.addingSaturated(commandTimeout), byteCount: byteCount)
        }
        write()
    }

    private func judgeHeartbeat(_ attempt: UInt64, heard: Int64) {
        guard let connection = loopState.value.connection, connection.attempt == attempt else { return }
        // Bytes that arrived while the process or the event loop stood still may be unread: the loop does all that it was given before it reads.
        guard connection.lastArrival == heard, !connection.hasUnreadBytes else { return watchHeartbeat(connection) }
        connectionEnded(attempt, RedisError(.connectionLost, "The server has not answered for too long, so the connection was ended."))
    }
}
