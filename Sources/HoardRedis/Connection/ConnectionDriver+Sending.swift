// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import Synchronization

extension ConnectionDriver {
    fileprivate enum Added {
        case refused(RedisError)
        case added(UInt64, wakesLoop: Bool, watchesDeadline: Bool)
    }

    /// A command that is so long that it is encoded outside the lock. `nil` for the others.
    static func encodedApart(_ command: RedisCommand) -> ByteBuffer? {
        guard RESPEncoder.largestByteCount(of: command) > OutgoingBytes.longByteCount else { return nil }
        var bytes = ByteBuffer()
        RESPEncoder.encode(command, into: &bytes)
        return bytes
    }

    /// Adds a command. Its sink is completed exactly once, perhaps before this returns.
    func enqueue(_ command: RedisCommand, _ encoded: ByteBuffer?, _ sink: ReplySink, _ place: borrowing PlaceNumber) {
        let now = ticker.nanoseconds()
        let added = state.withLock { state -> Added in
            let mayBeWritten: Bool
            switch state.machine.admission {
            case .send: mayBeWritten = true
            case .wait: mayBeWritten = false
            case .refuse(let error): return .refused(error)
            }
            guard state.queue.hasRoom(for: 1) else { return .refused(.queueIsFull) }
            let byteCount = state.outgoing.append(command, encoded)
            let deadline = now.addingSaturated(commandTimeout)
            return state.added(state.queue.append(sink, deadline: deadline, byteCount: byteCount), mayBeWritten)
        }
        switch added {
        case .refused(let error): sink.complete(.failure(error))
        case .added(let number, let wakesLoop, let watchesDeadline):
            if place.assign(number) { cancel(at: number) }
            if wakesLoop { wakeLoop() }
            if watchesDeadline { watchDeadlines(at: now.addingSaturated(commandTimeout)) }
        }
    }

    /// Adds commands one after another, without any other between them.
    func enqueue(_ commands: [RedisCommand], _ encoded: [ByteBuffer?], _ group: ReplyGroup, _ place: borrowing PlaceNumber) {
        let now = ticker.nanoseconds()
        let added = state.withLock { state -> Added in
            let mayBeWritten: Bool
            switch state.machine.admission {
            case .send: mayBeWritten = true
            case .wait: mayBeWritten = false
            case .refuse(let error): return .refused(error)
            }
            guard state.queue.hasRoom(for: commands.count) else { return .refused(.queueIsFull) }
            let deadline = now.addingSaturated(commandTimeout)
            var last: UInt64 = 0
            for index in commands.indices {
                let byteCount = state.outgoing.append(commands[index], encoded[index])
                last = state.queue.append(.part(group, index), deadline: deadline, byteCount: byteCount)
            }
            return state.added(last, mayBeWritten)
        }
        switch added {
        case .refused(let error): group.complete(0, .failure(error))
        case .added(let number, let wakesLoop, let watchesDeadline):
            if place.assign(number) { cancel(at: number) }
            if wakesLoop { wakeLoop() }
            if watchesDeadline { watchDeadlines(at: now.addingSaturated(commandTimeout)) }
        }
    }

    /// The task that waits at a place was cancelled. Its reply is dropped when it comes.
    func cancel(at number: UInt64) {
        state.withLock { $0.queue.takeWaiter(at: number) }?.complete(.failure(.cancelledByTask))
    }

    private func wakeLoop() {
        eventLoop.execute { self.write() }
    }

    /// Writes all that is outgoing, as one.
    func write() {
        let loopState = loopState.value
        guard let connection = loopState.connection else { return }
        let spare = loopState.spare
        loopState.spare = ByteBuffer()
        let taken = state.withLock { state -> (sealed: [ByteBuffer], open: ByteBuffer)? in
            guard case .connected = state.machine.state, state.machine.isCurrent(connection.attempt) else { return nil }
            state.isWriteExpected = false
            guard !state.outgoing.isEmpty else { return nil }
            return state.outgoing.take(replacingBy: spare)
        }
        guard var taken else { return }
        for bytes in taken.sealed { connection.write(bytes) }
        if taken.open.readableBytes > 0 { connection.write(taken.open) }
        connection.flush()
        // If the connection has taken everything, the storage is ours alone and can be used again.
        taken.open.clear(minimumCapacity: 0)
        if taken.open.capacity <= 1 << 20 { loopState.spare = taken.open }
    }
}

extension OutgoingBytes {
    /// - Returns: The number of bytes added.
    fileprivate mutating func append(_ command: RedisCommand, _ encoded: ByteBuffer?) -> Int {
        guard let encoded else { return append(command) }
        append(encoded: encoded)
        return encoded.readableBytes
    }
}

extension ConnectionDriver.State {
    /// Notes that something was added, and what has to be done for that.
    fileprivate mutating func added(_ number: UInt64, _ mayBeWritten: Bool) -> ConnectionDriver.Added {
        let wakesLoop = mayBeWritten && !isWriteExpected
        if wakesLoop { isWriteExpected = true }
        let watchesDeadline = !isDeadlineExpected
        isDeadlineExpected = true
        return .added(number, wakesLoop: wakesLoop, watchesDeadline: watchesDeadline)
    }
}

extension RedisError {
    static var queueIsFull: RedisError { RedisError(.tooManyCommands, "More commands are waiting for the server than may.") }
}
