// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import NIOCore
import Synchronization

@_spi(Client) @testable import HoardRedis

/// A server of Redis in the test's own process, with any number of connections, whose every step can be delayed.
///
/// It keeps the rules on which `docs/redis.md` relies:
/// - The commands of a connection are executed in their order.
/// - Commands that are executed together are one turn.
/// - At the end of a turn the clients that asked for it are told of the keys that it changed,
///   after the replies of the turn.
/// - A client is not told of its last change to a key, unless a script made it.
///
/// For each piece of work the server starts a task that does some of it: one command or several, one message or
/// several. On a `SeededExecutor` the seed so decides all delays; elsewhere they are left to chance.
final class FakeRedis: Sendable {
    struct Value {
        var bytes: [UInt8]
        /// By the server's ticker; `nil`: never.
        var expiration: Int64?
        /// Otherwise it is a list.
        var isText = true
    }

    fileprivate struct Weak {
        weak var connection: FakeRedisConnection?
    }

    struct State {
        var values: [[UInt8]: Value] = [:]
        /// Those of unused stores are gone.
        fileprivate var connections: [Int: Weak] = [:]
        var nextConnection = 0
        var generator: SeededGenerator
        /// Keys that were changed in the turn, and the number of the connection that changed each, if a connection did.
        var changed: [[UInt8]: Int?] = [:]
        var isFlushed = false
        var knownScripts: Set<String> = []
        var commandCounts: [String: Int] = [:]
        /// Errors that the next commands of these names get.
        var failures: [String: String] = [:]
        var isDown = false
    }

    let ticker: any Ticker
    let state: Mutex<State>

    init(ticker: any Ticker, seed: UInt64 = 1) {
        self.ticker = ticker
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// A store on a connection of its own.
    func makeStore(
        _ configuration: RedisStore.Configuration = .init(),
        clock: any WallClock,
        ticker: (any Ticker)? = nil
    ) throws -> RedisStore {
        try RedisStore(configuration: configuration, clock: clock, ticker: ticker ?? self.ticker) { (prefix, onEvent) throws(RedisError) in
            self.connect(prefix: prefix, onEvent: onEvent)
        }
    }

    func connect(prefix: [UInt8]?, onEvent: @escaping @Sendable (RedisEvent) -> Void) -> FakeRedisConnection {
        let connection = state.withLock { state in
            state.nextConnection += 1
            let connection = FakeRedisConnection(server: self, number: state.nextConnection, prefix: prefix, onEvent: onEvent)
            state.connections[state.nextConnection] = Weak(connection: connection)
            return connection
        }
        connection.begin()
        return connection
    }

    // MARK: What happens to a server

    /// Takes a key away, as an eviction does.
    func evict(_ isEvicted: ([UInt8]) -> Bool) {
        turn { state in
            for key in state.values.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) where isEvicted(key) {
                state.values[key] = nil
                state.changed.updateValue(nil, forKey: key)
            }
        }
    }

    /// `FLUSHALL`.
    func flush() {
        turn { state in
            state.values = [:]
            state.changed = [:]
            state.isFlushed = true
        }
    }

    /// A connection, if it is in use.
    func connection(_ number: Int) -> FakeRedisConnection? { state.withLock { $0.connections[number]?.connection } }

    /// A connection has been closed.
    func forget(_ number: Int) { state.withLock { $0.connections[number] = nil } }

    /// The server ends and is there again at once, without its values.
    func restart(keepingValues: Bool = false) {
        let connections = state.withLock { state in
            if !keepingValues { state.values = [:] }
            state.knownScripts = []
            return state.inOrder
        }
        for connection in connections { connection.cut() }
    }

    /// No connection can be made, and those that stand end.
    func stop() {
        let connections = state.withLock { state in
            state.isDown = true
            return state.inOrder
        }
        for connection in connections { connection.cut() }
    }

    func start() {
        let connections = state.withLock { state in
            state.isDown = false
            return state.inOrder
        }
        for connection in connections { connection.scheduleReconnection() }
    }

    /// The next command of this name gets an error.
    func failNext(_ name: String, with error: String) { state.withLock { $0.failures[name] = error } }

    func commandCount(_ name: String) -> Int { state.withLock { $0.commandCounts[name] ?? 0 } }

    func setValue(_ bytes: [UInt8]?, forKey key: [UInt8]) {
        turn { state in
            state.values[key] = bytes.map { Value(bytes: $0, expiration: nil) }
            state.changed.updateValue(nil, forKey: key)
        }
    }

    /// Another program puts a list there.
    func setList(forKey key: [UInt8]) {
        turn { state in
            state.values[key] = Value(bytes: [], expiration: nil, isText: false)
            state.changed.updateValue(nil, forKey: key)
        }
    }

    func value(forKey key: [UInt8]) -> [UInt8]? { state.withLock { $0.live(key, at: ticker.nanoseconds())?.bytes } }

    /// When a key expires, in nanoseconds; -1: never; `nil`: there is none.
    func expiration(ofKey key: [UInt8]) -> Int64? { state.withLock { state in state.values[key].map { $0.expiration ?? -1 } } }

    var keys: [[UInt8]] { state.withLock { Array($0.values.keys) } }

    // MARK: Turns

    func random(_ count: Int) -> Int { state.withLock { Int.random(in: 0..<max(1, count), using: &$0.generator) } }

    /// Executes commands, and tells all connections which keys they have changed.
    func turn(_ body: (inout State) -> Void) {
        state.withLock { state in
            state.expire(at: ticker.nanoseconds())
            body(&state)
            for connection in state.inOrder { connection.tell(state.changed, isFlushed: state.isFlushed) }
            state.changed = [:]
            state.isFlushed = false
        }
    }

    /// Executes some of the commands that the connections have sent: one command at least, if there is one.
    ///
    /// Each command brings a call of its own, so all are executed in the end. The connections that have commands must therefore be found inside the
    /// turn: another call may empty them before it.
    func work() {
        turn { state in
            let connections = state.inOrder.filter(\.hasCommands)
            guard !connections.isEmpty else { return }
            let first = Int.random(in: 0..<connections.count, using: &state.generator)
            connections[first].execute(1 + Int.random(in: 0..<4, using: &state.generator), in: &state, at: ticker.nanoseconds())
            for connection in connections where Bool.random(using: &state.generator) {
                connection.execute(Int.random(in: 0..<3, using: &state.generator), in: &state, at: ticker.nanoseconds())
            }
        }
    }
}

extension FakeRedis.State {
    fileprivate var inOrder: [FakeRedisConnection] { connections.sorted { $0.key < $1.key }.compactMap(\.value.connection) }

    func live(_ key: [UInt8], at now: Int64) -> FakeRedis.Value? {
        guard let value = values[key], value.expiration.map({ $0 > now }) ?? true else { return nil }
        return value
    }

    mutating func expire(at now: Int64) {
        for (key, value) in values where value.expiration.map({ $0 <= now }) ?? false {
            values[key] = nil
            changed.updateValue(nil, forKey: key)
        }
    }
}
