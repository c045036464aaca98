// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

@_spi(Client) import HoardRedis
import NIOCore
import Synchronization
import Testing

/// The events of a connection as words, and the notes of a test between them.
final class EventLog: Sendable {
    private struct State {
        var entries: [String] = []
        var observers: [(entry: String, count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var entries: [String] { state.withLock { $0.entries } }

    func note(_ entry: String) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.entries.append(entry)
            let due = state.observers.filter { observer in state.entries.count { $0 == observer.entry } >= observer.count }
            state.observers.removeAll { observer in state.entries.count { $0 == observer.entry } >= observer.count }
            return due.map(\.2)
        }
        for observer in woken { observer.resume() }
    }

    /// Suspends until an entry has been noted so many times.
    func noted(_ entry: String, times count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard state.entries.count(where: { $0 == entry }) < count else { return true }
                state.observers.append((entry, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// For `onEvent`.
    var take: @Sendable (RedisEvent) -> Void {
        { event in
            switch event {
            case .connected: self.note("connected")
            case .disconnected: self.note("disconnected")
            case .push(let elements): self.note("push " + elements.map(\.text).joined(separator: " "))
            }
        }
    }
}

extension RESPValue {
    /// The text of a string, or a description of something else.
    var text: String {
        switch self {
        case .bulkString(let bytes): String(buffer: bytes)
        case .simpleString(let text): text
        case .integer(let number): String(number)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: " ") + "]"
        case .null: "null"
        default: "\(self)"
        }
    }
}

extension RedisConfiguration {
    /// With time enough for machines that do a lot of other things.
    var patient: RedisConfiguration {
        var patient = self
        patient.connectTimeout = .seconds(100)
        patient.commandTimeout = .seconds(100)
        patient.heartbeatTimeout = .seconds(100)
        return patient
    }
}
