// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTesting
import Synchronization
import Testing

@_spi(Client) @testable import HoardRedis

/// Listings, figures and removals on several nodes, of which each answers as it is told.
@Suite(.timeLimit(.minutes(1))) struct RedisStoreListingTests {
    private let world: ScatteredWorld

    init() throws {
        world = try ScatteredWorld()
    }

    /// The reply to `SCAN` that ends a listing.
    private static func found(_ keys: String..., next: String = "0") -> RESPValue {
        .array([.bulk(next), .array(keys.map { .bulk("hoard{}:r\($0)") })])
    }

    private func list() async throws(StoreError) -> [RecordKey] {
        try await world.store.recordPage(after: nil, limit: 10).records.map(\.key)
    }

    private func code(_ body: () async throws(StoreError) -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func withoutNodesThatAreKnownNothingIsListed() async throws {
        world.connection.nodesNow = []
        #expect(await code { () throws(StoreError) in _ = try await list() } == .unavailable)
        #expect(await code { () throws(StoreError) in _ = try await world.store.statistics() } == .unavailable)
        world.connection.nodesNow = [AnsweringNode { _ in Self.found() }]
        #expect(try await list() == [])
    }

    @Test func aNodeThatLeavesDuringAListingIsAnErrorAndDoesNotCloseTheStore() async throws {
        let gone = AnsweringNode { _ throws(RedisError) in throw RedisError(.closed, "The connection was closed.") }
        world.connection.nodesNow = [AnsweringNode { _ in Self.found() }, gone]
        #expect(await code { () throws(StoreError) in _ = try await list() } == .unavailable)
        #expect(await code { () throws(StoreError) in _ = try await world.store.statistics() } == .unavailable)
        await world.store.close()
        #expect(await code { () throws(StoreError) in _ = try await list() } == .closed)
    }

    @Test func aKeyThatGoesToANodeThatWasAskedBeforeIsListed() async throws {
        try await world.store.insert(world.record, forKey: "key")
        let hasMoved = Flag()
        let target = AnsweringNode { _ in hasMoved.isSet ? Self.found("key") : Self.found() }
        let source = AnsweringNode { [connection = world.connection] _ in
            if !hasMoved.exchange() { connection.moveSlot() }
            return Self.found()
        }
        world.connection.nodesNow = [target, source]
        #expect(try await list() == ["key"])
    }

    @Test func whileSlotsMoveAllTheTimeNoListingIsSaidToBeComplete() async throws {
        let node = AnsweringNode { [connection = world.connection] _ in
            connection.moveSlot()
            return Self.found()
        }
        world.connection.nodesNow = [node]
        #expect(await code { () throws(StoreError) in _ = try await list() } == .unavailable)
    }

    @Test(arguments: ["", "-1", "x", "18446744073709551616", "111111111111111111111"])
    func aCursorThatIsNoNumberIsAnError(text: String) async throws {
        world.connection.nodesNow = [AnsweringNode { _ in Self.found(next: text) }]
        #expect(await code { () throws(StoreError) in _ = try await list() } == .unavailable)
    }

    @Test func numbersOfKeysThatCannotBeAreNoTrap() async throws {
        func node(_ count: Int64) -> AnsweringNode { AnsweringNode { "\($0.name)" == "DBSIZE" ? .integer(count) : Self.found("key") } }
        try await world.store.insert(world.record, forKey: "key")
        world.connection.nodesNow = [node(.max), node(.max)]
        #expect(try await world.store.statistics().count > 1)
        world.time.advance(by: .seconds(10))
        world.connection.nodesNow = [node(-1)]
        #expect(await code { () throws(StoreError) in _ = try await world.store.statistics() } == .unavailable)
        // A listing without an end.
        world.connection.nodesNow = [AnsweringNode { "\($0.name)" == "DBSIZE" ? .integer(1) : Self.found(next: "7") }]
        #expect(await code { () throws(StoreError) in _ = try await world.store.statistics() } == .unavailable)
    }

    @Test func aGenerationThatIsReadBeforeItIsTakenAwayForWantOfMemoryIsNotRemembered() async throws {
        let store = world.store
        try await store.insert(world.record, forKey: "key")
        let scope = KeyHash(RecordScope.everything)
        let generation = try #require(store.coherence.withLock { $0.generation(of: scope)?.generation })
        world.connection.beforeSending = { name in
            // A reading in another task, whose reply comes before the server takes the generation away.
            if name == "DEL" { store.coherence.withLock { $0.saw(generation, .never, of: scope, sentAt: $0.moment()) } }
        }
        world.server.failNext("SET", with: "OOM command not allowed when used memory > 'maxmemory'.")
        #expect(await code { () throws(StoreError) in try await store.removeAll() } == .full)
        #expect(try await store.record(forKey: "key") == nil)
    }
}

/// A store whose records are on a fake server, and whose nodes are others.
private struct ScatteredWorld {
    let time = ManualTicker()
    let server: FakeRedis
    let store: RedisStore
    let connection: ScatteredConnection
    let record: Record

    init() throws {
        let server = FakeRedis(ticker: time)
        let made = Mutex<ScatteredConnection?>(nil)
        store = try RedisStore(clock: time, ticker: time) { (prefix, onEvent) throws(RedisError) in
            let connection = ScatteredConnection(server.connect(prefix: prefix, onEvent: onEvent), onEvent)
            made.withLock { $0 = connection }
            return connection
        }
        self.server = server
        let found = made.withLock { $0 }
        connection = try #require(found)
        record = Record(payload: .init([1]), created: time.now(), staleUntil: .forever)
    }
}

/// A connection that passes on all but the question for its nodes.
private final class ScatteredConnection: RedisConnection {
    private struct State {
        var nodes: [any RedisConnection]?
        var beforeSending: @Sendable (String) -> Void = { _ in }
    }

    private let base: FakeRedisConnection
    private let onEvent: @Sendable (RedisEvent) -> Void
    private let state = Mutex(State())

    init(_ base: FakeRedisConnection, _ onEvent: @escaping @Sendable (RedisEvent) -> Void) {
        self.base = base
        self.onEvent = onEvent
    }

    var nodesNow: [any RedisConnection]? {
        get { state.withLock { $0.nodes } }
        set { state.withLock { $0.nodes = newValue } }
    }

    /// Called with the names of commands.
    var beforeSending: @Sendable (String) -> Void {
        get { state.withLock { $0.beforeSending } }
        set { state.withLock { $0.beforeSending = newValue } }
    }

    /// The events of a cluster when a slot has gone to another node.
    func moveSlot() {
        onEvent(.disconnected)
        onEvent(.connected)
    }

    var nodes: [any RedisConnection] { get async { nodesNow ?? [self] } }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        beforeSending("\(command.name)")
        return try await base.send(command)
    }

    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        for command in commands { beforeSending("\(command.name)") }
        return try await base.send(commands)
    }

    func close() async { await base.close() }
}

private final class AnsweringNode: RedisConnection {
    private let answer: @Sendable (RedisCommand) throws(RedisError) -> RESPValue

    init(_ answer: @escaping @Sendable (RedisCommand) throws(RedisError) -> RESPValue) {
        self.answer = answer
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue { try answer(command) }

    func send(_ commands: [RedisCommand]) async throws(RedisError) -> [RESPValue] {
        var replies: [RESPValue] = []
        for command in commands { replies.append(try answer(command)) }
        return replies
    }

    func close() async {}
}

private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    /// Sets it, and tells whether it was set before.
    func exchange() -> Bool { value.exchange(true, ordering: .acquiringAndReleasing) }
}
