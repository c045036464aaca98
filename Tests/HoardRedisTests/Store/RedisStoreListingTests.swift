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

    @Test func theLastPageCanBeAskedForAgainWhenItsRecordsCouldNotBeRead() async throws {
        let store = world.store
        for key in ["a", "b"] { try await store.insert(world.record, forKey: RecordKey(key)) }
        world.connection.nodesNow = [AnsweringNode { _ in Self.found("a", "b") }]
        let first = try await store.recordPage(after: nil, limit: 1)
        world.server.failNext("GETRANGE", with: "LOADING Redis is loading the dataset in memory")
        #expect(await code { () throws(StoreError) in _ = try await store.recordPage(after: first.next, limit: 1) } == .unavailable)
        let last = try await store.recordPage(after: first.next, limit: 1)
        #expect(first.records.map(\.key) + last.records.map(\.key) == ["a", "b"])
        #expect(last.next == nil)
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

    @Test func aGenerationThatWasMadeWithoutAReplyIsNotTakenForAbsent() async throws {
        let (here, there) = (world.store, try world.server.makeStore(clock: world.time))
        let record = world.record(taggedWith: ["tag"])
        try await there.insert(record, forKey: "old")
        world.server.evict { $0 == RedisStoreWorld.name("ttag") }
        // The replies come after the notices of the eviction.
        for store in [here, there] { _ = try await store.record(forKey: "none") }
        #expect(try await here.record(forKey: "old") == nil)
        let known = here.coherence.withLock { $0.known(.tag("tag")) }
        #expect(known == .known(nil))
        world.connection.losesNextReplies = true
        #expect(await code { () throws(StoreError) in try await here.insert(record, forKey: "lost") } == .unavailable)
        try await there.insert(record, forKey: "new")
        #expect(try await here.record(forKey: "new") != nil)
    }

    @Test func theGenerationsOfManyTagsAreReadInPieces() async throws {
        try await world.store.insert(world.record(taggedWith: Set((0..<600).map { "\($0)" })), forKey: "key")
        world.time.advance(by: .seconds(61))
        #expect(try await world.store.record(forKey: "key") != nil)
        #expect(world.connection.largestPieceCount <= RedisStore.maximumCommandCount)
    }

    @Test func removalsOfManyKeysAndTagsAreSentInPieces() async throws {
        let (store, keys) = (world.store, (0..<600).map { RecordKey("\($0)") })
        let record = world.record(taggedWith: ["tag"])
        try await store.insert(Dictionary(uniqueKeysWithValues: keys.map { ($0, record) }))
        #expect(try await store.statistics().count == 600)
        try await store.removeRecords(forKeys: Array(keys.prefix(550)))
        #expect(Set(try await store.records(forKeys: keys).keys) == Set(keys.suffix(50)))
        try await store.removeRecords(taggedWith: Set((0..<600).map { "\($0)" } + ["tag"]))
        #expect(try await store.records(forKeys: Array(keys.suffix(50))).isEmpty)
        #expect(world.connection.largestPieceCount <= RedisStore.maximumCommandCount)
    }

    @Test func aStoreThatIsClosedCountsNoTimeWithoutAConnection() async throws {
        let world = try await SeededExecutor(seed: 1).run {
            let world = try ScatteredWorld()
            await world.store.close()
            return world
        }
        #expect(world.time.sleeperCount == 0)
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

    func record(taggedWith tags: Set<String>) -> Record {
        var record = record
        record.tags = tags
        return record
    }
}

/// A connection that passes on all but the question for its nodes.
private final class ScatteredConnection: RedisConnection {
    private struct State {
        var nodes: [any RedisConnection]?
        var beforeSending: @Sendable (String) -> Void = { _ in }
        var losesNextReplies = false
        var largestPieceCount = 0
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

    /// Whether the next commands are carried out, and their replies do not come in time.
    var losesNextReplies: Bool {
        get { state.withLock { $0.losesNextReplies } }
        set { state.withLock { $0.losesNextReplies = newValue } }
    }

    /// The most commands that were sent at once.
    var largestPieceCount: Int { state.withLock { $0.largestPieceCount } }

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
        state.withLock { $0.largestPieceCount = max($0.largestPieceCount, commands.count) }
        let replies = try await base.send(commands)
        if losesNextReplies {
            losesNextReplies = false
            throw RedisError(.timedOut, "The server has not replied in time.")
        }
        return replies
    }

    func close() async {
        await base.close()
        onEvent(.disconnected)
    }
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
