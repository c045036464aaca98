// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Synchronization
import Testing

@testable import Hoard

/// Reads of stores that call back, in the caller's task.
@Suite(.timeLimit(.minutes(5))) struct StoreTierCallbackTests {
    private let ticker = ManualTicker()
    private let store = RingingStore()
    private let tier: StoreTier

    init() {
        tier = StoreTier(store: store, configuration: .init(deadline: .seconds(1), failuresToOpen: 2), ticker: ticker, observer: nil) { _ in }
    }

    private func read() async -> String { await StoreTierFixture.read("a", from: tier) }

    /// Reads, and calls a function once the store has been asked.
    private func read(whenAsked act: () async throws -> Void) async throws -> String {
        let asked = store.questions.value.count
        async let reading = read()
        try await waitUntil { store.questions.value.count > asked }
        try await act()
        return await reading
    }

    @Test func answerIsUnderstoodInTheCallersTask() async throws {
        defer { store.end() }
        let reader = Shared<Int?>(nil)
        let reading = Task {
            let caller = withUnsafeCurrentTask { $0?.hashValue }
            let found = await read()
            return (caller, found)
        }
        try await waitUntil { !store.questions.value.isEmpty }
        store.answer {
            reader.update { $0 = withUnsafeCurrentTask { $0?.hashValue } }
            return .record(StoreTierFixture.record(1))
        }
        let (caller, found) = await reading.value
        #expect(found == "1")
        #expect(caller != nil)
        #expect(reader.value == caller)
        #expect(store.reads.value == 0)
    }

    @Test func absenceAndFailureAreToldApart() async throws {
        defer { store.end() }
        #expect(try await read { store.answer { .absent } } == "nothing")
        #expect(try await read { store.answer { () throws(StoreError) in throw StoreError(.unavailable, "It has been told to fail.") } } == "failed")
        #expect(tier.health.consecutiveFailures == 1)
    }

    @Test func callerLeavesAtTheDeadlineAndALateAnswerChangesNothing() async throws {
        defer { store.end() }
        #expect(try await read { ticker.advance(by: .seconds(1)) } == "timedOut")
        #expect(tier.health.timeouts == 1)
        store.answer { .record(StoreTierFixture.record(1)) }
        #expect(tier.health.timeouts == 1)
        #expect(tier.deadlines.count == 0)
    }

    @Test func cancelledCallerLeavesAtOnceAndTheStoreIsNotBlamed() async throws {
        defer { store.end() }
        let reading = Task { await read() }
        try await waitUntil { !store.questions.value.isEmpty }
        reading.cancel()
        #expect(await reading.value == "failed")
        #expect(tier.health.failures == 0)
        #expect(tier.deadlines.count == 0)
    }

    @Test func readingThatNeedsMoreIsMadeByTheStoreWithinTheSameDeadline() async throws {
        defer { store.end() }
        store.record.update { $0 = StoreTierFixture.record(2) }
        #expect(try await read { store.answer { .unavailable } } == "2")
        #expect(store.reads.value == 1)
        store.hangs.update { $0 = true }
        let found = try await read {
            ticker.advance(by: .milliseconds(900))
            store.answer { .unavailable }
            try await waitUntil { store.reads.value == 2 && tier.deadlines.count == 1 }
            ticker.advance(by: .milliseconds(100))
        }
        #expect(found == "timedOut")
    }

    @Test func observersEncloseTheCall() async throws {
        defer { store.end() }
        let observer = CallObserver()
        let tier = StoreTier(store: store, configuration: .init(), ticker: ticker, observer: observer) { _ in }
        async let reading = StoreTierFixture.read("a", from: tier)
        try await waitUntil { !store.questions.value.isEmpty }
        store.answer { .record(StoreTierFixture.record(3)) }
        #expect(await reading == "3")
        #expect(observer.calls == ["read 1 found"])
        #expect(observer.enclosedCalls == ["ringing read 1"])
    }

    @Test func timeThatTheCallerWaitedForAThreadIsNotTheStores() async throws {
        defer { store.end() }
        store.hangs.update { $0 = true }
        let reading = Task { await read() }
        try await waitUntil { !store.questions.value.isEmpty }
        ticker.advance(by: .milliseconds(400))
        store.answer { [ticker] in
            // The caller comes late to reading the answer.
            ticker.advance(by: .milliseconds(500))
            return .unavailable
        }
        try await waitUntil { store.reads.value == 1 && tier.deadlines.count == 1 }
        #expect(tier.deadlines.nextDeadline == 1_500_000_000)
        ticker.advance(by: .milliseconds(600))
        #expect(await reading.value == "timedOut")
    }

    @Test func howeverManyCallersAskTheStoreIsAskedTwice() async throws {
        let store = FaultyStore(MemoryStore(), callsBack: true)
        let stack = StoreStack([store], configuration: .init(deadline: nil))
        let cache = TieredCache<String, Int>(name: "herd", configuration: .init(maximumCount: 10), stores: stack, codec: .json)
        await cache.insert(1, forKey: "a")
        cache.memory.removeAll()
        let gate = store.hold(.record)
        let values = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<200 { group.addTask { await cache.value(forKey: "a") } }
            try await waitUntil { cache.storeReads.waiterCount(for: "a") == 199 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 200))
        #expect(store.callCount(.record) == 2)
        #expect(cache.ownReads.withLock { $0.isEmpty })
    }

    @Test func callersThatComeWhileOneReadsShareItsLoad() async throws {
        let store = FaultyStore(MemoryStore(), callsBack: true)
        let stack = StoreStack([store], configuration: .init(deadline: nil))
        let cache = TieredCache<String, Int>(name: "loads", configuration: .init(maximumCount: 10), stores: stack, codec: .json)
        struct Failure: Error {}
        let loads = Counter()
        let (first, second) = (store.hold(.record), Gate())
        let load: @Sendable (String) async throws -> Int = { _ in
            loads.increment()
            throw Failure()
        }
        let one = Task { try await cache.value(forKey: "a", load: load) }
        await first.arrivals(1)
        store.setScript { _ in .init(gate: second) }
        let other = Task { try await cache.value(forKey: "a", load: load) }
        await second.arrivals(1)
        // The first caller has its answer and has to load, while the other still reads.
        first.open()
        try await waitUntil { cache.coldStarts.waiterCount(for: "a") == 2 }
        second.open()
        for caller in [one, other] { await #expect(throws: Failure.self) { try await caller.value } }
        #expect(loads.value == 1)
    }

    @Test func cancelledCallerAsksNobody() async {
        let store = FaultyStore(MemoryStore(), callsBack: true)
        let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json)
        let reading = Task {
            while !Task.isCancelled { await Task.yield() }
            return await cache.value(forKey: "a")
        }
        reading.cancel()
        #expect(await reading.value == nil)
        #expect(store.callCount(.record) == 0)
    }

    @Test func callerWithAHardTimeoutCanLeaveWhileTheStoreIsRead() async throws {
        let store = FaultyStore(MemoryStore(), callsBack: true)
        var policy = CachePolicy()
        policy.hardTimeout = .milliseconds(100)
        let cache = TieredCache<String, Int>(
            configuration: .init(maximumCount: 10, policy: policy),
            stores: [store],
            codec: .json,
            ticker: ticker
        )
        let gate = store.hold(.record)
        let request = Task { try await cache.value(forKey: "a") { _ in 1 } }
        await gate.arrivals(1)
        try await waitUntil { ticker.sleeperCount > 0 && cache.deadlines.count > 0 }
        ticker.advance(by: .milliseconds(100))
        await #expect(throws: CacheError.self) { try await request.value }
        gate.open()
    }
}

/// A store that notes its callers, and answers when the test tells it to.
private final class RingingStore: CallbackRecordStore {
    let name = "ringing"
    let callsBack = true
    let base = MemoryStore()
    /// The answers that callers wait for, in the order of their questions.
    let questions = Shared<[@Sendable (CallbackReading) -> Void]>([])
    /// The number of asynchronous reads.
    let reads = Counter()
    let record = Shared<Record?>(nil)
    /// Whether asynchronous reads last until ``end()``.
    let hangs = Shared(false)
    private let ending = Gate()

    func beginReading(_ key: RecordKey, answered: @escaping @Sendable (CallbackReading) -> Void) {
        questions.update { $0.append(answered) }
    }

    /// Answers the last caller.
    func answer(_ result: @escaping @Sendable () throws(StoreError) -> ImmediateReading) {
        questions.value.last?(CallbackReading(result: result))
    }

    /// Ends every call, so that no call keeps the store in memory while the store keeps the call.
    func end() {
        ending.open()
        questions.update { $0 = [] }
    }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        reads.increment()
        if hangs.value { await ending.pass() }
        return record.value
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removePartition(_ partition: String) async throws(StoreError) { try await base.removePartition(partition) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
