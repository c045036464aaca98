// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import NIOCore
import Synchronization

@_spi(Client) @testable import HoardRedis

/// A connection to a ``FakeRedis``.
final class FakeRedisConnection: RedisConnection {
    private enum Message {
        case reply(RESPValue, Slot)
        case push([RESPValue])
    }

    private struct State {
        var commands: [(command: RedisCommand, slot: Slot)] = []
        var output: [Message] = []
        var isConnected = false
        var isClosed = false
        /// Whether a task delivers messages at this moment. Events of a connection come one after the other.
        var isDelivering = false
        /// Whether replies and messages are kept until ``release()``.
        var isHeld = false
    }

    let number: Int
    private let server: FakeRedis
    private let prefix: [UInt8]?
    private let onEvent: @Sendable (RedisEvent) -> Void
    private let state = Mutex(State())

    init(server: FakeRedis, number: Int, prefix: [UInt8]?, onEvent: @escaping @Sendable (RedisEvent) -> Void) {
        self.server = server
        self.number = number
        self.prefix = prefix
        self.onEvent = onEvent
    }

    // MARK: Connecting

    /// Connects at once.
    func begin() {
        if server.state.withLock({ $0.isDown }) { return }
        let isNew = state.withLock { state in
            if state.isConnected || state.isClosed { return false }
            state.isConnected = true
            return true
        }
        if isNew { onEvent(.connected) }
    }

    /// The connection ends; some of the commands have been executed, and no reply comes. Then it is made again.
    func cut() {
        let (slots, wasConnected) = state.withLock { state in
            defer {
                state.commands = []
                state.output = []
                state.isConnected = false
            }
            var slots = state.commands.map(\.slot)
            for case .reply(_, let slot) in state.output { slots.append(slot) }
            return (slots, state.isConnected)
        }
        if wasConnected { onEvent(.disconnected) }
        for slot in slots { slot.fill(.failure(RedisError(.connectionLost, "The connection was cut."))) }
        scheduleReconnection()
    }

    func scheduleReconnection() { startTask { self.begin() } }

    func close() async {
        let slots = state.withLock { state in
            state.isClosed = true
            state.isConnected = false
            defer {
                state.commands = []
                state.output = []
            }
            var slots = state.commands.map(\.slot)
            for case .reply(_, let slot) in state.output { slots.append(slot) }
            return slots
        }
        server.forget(number)
        for slot in slots { slot.fill(.failure(RedisError(.closed, "The connection was closed."))) }
    }

    // MARK: Sending

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        try await enqueue([command])[0].value()
    }

    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        var replies: [RESPValue] = []
        var failure: RedisError?
        for slot in try enqueue(commands) {
            do throws(RedisError) { replies.append(try await slot.value()) } catch { failure = error }
        }
        if let failure { throw failure }
        return replies
    }

    private func enqueue(_ commands: [RedisCommand]) throws(RedisError) -> [Slot] {
        let slots = commands.map { _ in Slot() }
        let failure: RedisError? = state.withLock { state in
            if state.isClosed { return RedisError(.closed, "The connection was closed.") }
            if !state.isConnected { return RedisError(.connectionFailed, "There is no connection.") }
            for (command, slot) in zip(commands, slots) { state.commands.append((command, slot)) }
            return nil
        }
        if let failure { throw failure }
        for _ in commands { startTask { self.server.work() } }
        return slots
    }

    /// A place for a reply, which may come before there is a waiter.
    final class Slot: Sendable {
        private struct State {
            var result: Result<RESPValue, RedisError>?
            var waiter: CheckedContinuation<Result<RESPValue, RedisError>, Never>?
        }
        private let state = Mutex(State())

        func fill(_ result: Result<RESPValue, RedisError>) {
            state.withLock { state in
                state.result = result
                return state.waiter.take()
            }?.resume(returning: result)
        }

        func value() async throws(RedisError) -> RESPValue {
            let result = await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.waiter = continuation }
                    return state.result
                }
                if let result { continuation.resume(returning: result) }
            }
            return try result.get()
        }
    }

    // MARK: The server's side

    var hasCommands: Bool { state.withLock { !$0.commands.isEmpty } }

    /// Executes up to `count` commands. The server's lock is held.
    func execute(_ count: Int, in server: inout FakeRedis.State, at now: Int64) {
        state.withLock { state in
            for _ in 0..<min(count, state.commands.count) {
                let (command, slot) = state.commands.removeFirst()
                state.output.append(.reply(server.execute(command, by: number, at: now), slot))
                startTask { self.deliver() }
            }
        }
    }

    /// Puts messages about the changed keys behind the replies.
    func tell(_ changed: [[UInt8]: Int?], isFlushed: Bool) {
        guard let prefix else { return }
        let keys = changed.filter { $0.key.starts(with: prefix) && $0.value != number }.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let count = state.withLock { state in
            guard state.isConnected else { return 0 }
            let before = state.output.count
            if isFlushed { state.output.append(.push([.bulkString(ByteBuffer(string: "invalidate")), .null])) }
            if !keys.isEmpty {
                let names = RESPValue.array(keys.map { .bulkString(ByteBuffer(bytes: $0)) })
                state.output.append(.push([.bulkString(ByteBuffer(string: "invalidate")), names]))
            }
            return state.output.count - before
        }
        for _ in 0..<count { startTask { self.deliver() } }
    }

    /// Keeps the server's messages until ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        state.withLock { $0.isHeld = false }
        startTask { self.deliver(all: true) }
    }

    /// Delivers one message or more, in their order.
    private func deliver(all: Bool = false) {
        var count = all ? Int.max : 1 + server.random(3)
        while count > 0 {
            let message: Message? = state.withLock { state in
                if state.isHeld || state.isDelivering || state.output.isEmpty { return nil }
                state.isDelivering = true
                return state.output.removeFirst()
            }
            guard let message else { return }
            switch message {
            case .reply(let value, let slot): slot.fill(.success(value))
            case .push(let values): onEvent(.push(values))
            }
            // A task that came meanwhile has left its messages to this one.
            let left = state.withLock { state in
                state.isDelivering = false
                return state.output.count
            }
            if count != .max { count -= 1 }
            if count == 0, left > 0 { startTask { self.deliver() } }
        }
    }
}
