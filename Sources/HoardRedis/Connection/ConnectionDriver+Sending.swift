// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore
internal import Synchronization

extension ConnectionDriver {
    fileprivate enum Added {
        case refused(RedisError)
        case added(UInt64, Writing, watchedDeadline: Int64?)
    }

    /// How the commands that were added get written.
    fileprivate enum Writing {
        case isExpected
        case byLoop
        case directly(DirectSocket, ByteBuffer)
    }

    /// Adds a command. Its sink is completed exactly once, perhaps before this returns.
    func enqueue(_ command: RedisCommand, _ sink: ReplySink, _ place: borrowing PlaceNumber) {
        let capacity = RESPEncoder.largestByteCount(of: command)
        let encoded = capacity > OutgoingBytes.longByteCount ? Self.encoded(command, capacity: capacity) : nil
        let added = state.withLock { state -> Added in
            if let refusal = state.refusal(of: 1) { return .refused(refusal) }
            let (isIdle, deadline) = (state.queue.isEmpty, self.deadline(&state))
            let byteCount = state.outgoing.append(command, capacity, encoded)
            return state.added(state.queue.append(sink, deadline: deadline, byteCount: byteCount), deadline, isIdle: isIdle)
        }
        switch added {
        case .refused(let error): sink.complete(.failure(error))
        case .added(let number, let writing, let deadline): complete(number, writing, deadline, place)
        }
    }

    /// Adds commands one after another, without any other between them.
    func enqueue(_ commands: [RedisCommand], _ group: ReplyGroup, _ place: borrowing PlaceNumber) {
        let capacities = commands.map { RESPEncoder.largestByteCount(of: $0) }
        let encoded = zip(commands, capacities).map { $1 > OutgoingBytes.longByteCount ? Self.encoded($0, capacity: $1) : nil }
        let added = state.withLock { state -> Added in
            if let refusal = state.refusal(of: commands.count) { return .refused(refusal) }
            let (isIdle, deadline) = (state.queue.isEmpty, self.deadline(&state))
            var last: UInt64 = 0
            for index in commands.indices {
                let byteCount = state.outgoing.append(commands[index], capacities[index], encoded[index])
                last = state.queue.append(.part(group, index), deadline: deadline, byteCount: byteCount)
            }
            return state.added(last, deadline, isIdle: isIdle)
        }
        switch added {
        case .refused(let error): group.complete(0, .failure(error))
        case .added(let number, let writing, let deadline): complete(number, writing, deadline, place)
        }
    }

    /// A long command is encoded outside the lock.
    private static func encoded(_ command: RedisCommand, capacity: Int) -> ByteBuffer {
        var bytes = ByteBuffer()
        RESPEncoder.encode(command, into: &bytes, capacity: capacity)
        return bytes
    }

    /// When a reply must be there to a command that is added now. Those that are written together have one, so that not each has to ask for the time.
    private func deadline(_ state: inout State) -> Int64 {
        if case .connected = state.machine.state, state.isWriteExpected { return state.writeDeadline }
        state.writeDeadline = max(state.writeDeadline, ticker.nanoseconds().addingSaturated(commandTimeout))
        return state.writeDeadline
    }

    /// Does the work outside the lock after commands were added.
    private func complete(_ number: UInt64, _ writing: Writing, _ watchedDeadline: Int64?, _ place: borrowing PlaceNumber) {
        if place.assign(number) { cancel(at: number) }
        switch writing {
        case .isExpected: break
        case .byLoop: wakeLoop()
        case .directly(let socket, let bytes): write(bytes, to: socket)
        }
        if let watchedDeadline { watchDeadlines(at: watchedDeadline) }
    }

    /// Writes to the socket on the caller's thread. Bytes that it does not take, and commands that were added
    /// meanwhile, are left to the event loop.
    private func write(_ bytes: ByteBuffer, to socket: DirectSocket) {
        var bytes = bytes
        bytes.moveReaderIndex(forwardBy: socket.send(bytes))
        let isLeft = state.withLock { state in
            // Otherwise the connection has ended meanwhile, and all that with it.
            guard state.socket === socket else { return false }
            state.isWrittenDirectly = false
            if bytes.readableBytes > 0 {
                state.outgoing.prepend(bytes)
            } else if state.outgoing.isEmpty {
                bytes.clear(minimumCapacity: 0)
                state.outgoing.reuse(bytes)
            }
            state.isWriteExpected = !state.outgoing.isEmpty
            return state.isWriteExpected
        }
        if isLeft { wakeLoop() }
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
            guard case .connected = state.machine.state, state.machine.isCurrent(connection.attempt), !state.isWrittenDirectly
            else { return nil }
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
    fileprivate mutating func append(_ command: RedisCommand, _ capacity: Int, _ encoded: ByteBuffer?) -> Int {
        guard let encoded else { return append(command, capacity: capacity) }
        append(encoded: encoded)
        return encoded.readableBytes
    }
}

extension ConnectionDriver.State {
    /// The reason why so many commands are not accepted now; `nil` if they are.
    fileprivate func refusal(of count: Int) -> RedisError? {
        if case .refuse(let error) = machine.admission { return error }
        return queue.hasRoom(for: count) ? nil : .queueIsFull
    }

    /// Notes that commands were added, and returns the work that follows.
    ///
    /// - Parameter isIdle: Whether nothing was on the way before.
    fileprivate mutating func added(_ number: UInt64, _ deadline: Int64, isIdle: Bool) -> ConnectionDriver.Added {
        let watchedDeadline = isDeadlineExpected ? nil : deadline
        isDeadlineExpected = true
        guard case .connected = machine.state, !isWriteExpected else { return .added(number, .isExpected, watchedDeadline: watchedDeadline) }
        isWriteExpected = true
        guard isIdle, let socket, let bytes = outgoing.takeShort() else { return .added(number, .byLoop, watchedDeadline: watchedDeadline) }
        isWrittenDirectly = true
        return .added(number, .directly(socket, bytes), watchedDeadline: watchedDeadline)
    }
}

extension RedisError {
    static var queueIsFull: RedisError { RedisError(.tooManyCommands, "More commands are waiting for the server than may.") }
}
