// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Reads of stores that can answer at once, on the caller's thread.
@Suite(.timeLimit(.minutes(5))) struct StoreTierImmediateTests {
    private let ticker = ManualTicker()
    private let observer = CallObserver()
    private let store: QuickStore
    private let tier: StoreTier

    init() async throws {
        store = QuickStore(ticker)
        tier = StoreTier(store: store, configuration: .init(deadline: .seconds(1), failuresToOpen: 2), ticker: ticker, observer: observer) { _ in }
        try await store.base.insert(StoreTierFixture.record(1, tags: ["t"]), forKey: "a")
    }

    private func read(_ key: RecordKey) async -> String { await StoreTierFixture.read(key, from: tier) }

    private func readAtOnce(_ key: RecordKey) async -> String { await StoreTierFixture.read(key, from: tier, mayWait: false) }

    @Test func readRunsInTheCallersTask() async {
        let caller = withUnsafeCurrentTask { $0?.hashValue }
        #expect(await read("a") == "1")
        #expect(await read("b") == "nothing")
        #expect(store.readers.value == [caller, caller])
        #expect(store.waitingReads.value == 0)
        #expect(observer.calls == ["read 1 found", "read 1 notFound"])
        #expect(observer.enclosedCalls == ["quick read 1", "quick read 1"])
    }

    @Test func storeThatCannotAnswerIsWaitedFor() async {
        store.behavior.update { $0.isUnavailable = true }
        #expect(await readAtOnce("a") == "cannot")
        #expect(store.waitingReads.value == 0)
        #expect(await read("a") == "1")
        #expect(store.waitingReads.value == 1)
        #expect(observer.calls == ["read 1 found"])
    }

    @Test func afterASlowReadNoneIsMadeOnACallersThreadUntilOneIsQuick() async {
        store.behavior.update { $0.duration = .milliseconds(251) }
        #expect(await read("a") == "1")
        #expect(store.readers.value.count == 1)
        #expect(await readAtOnce("a") == "cannot")
        store.behavior.update { $0.duration = .zero }
        // The tier waits for this read, which is quick. The next one is made at once again.
        #expect(await read("a") == "1")
        #expect(store.waitingReads.value == 1)
        #expect(await read("a") == "1")
        #expect(store.readers.value.count == 2)
        #expect(store.waitingReads.value == 1)
    }

    @Test func readThatTakesAQuarterOfTheDeadlineIsNotSlow() async {
        store.behavior.update { $0.duration = .milliseconds(250) }
        for _ in 0..<3 { #expect(await read("a") == "1") }
        #expect(store.readers.value.count == 3)
    }

    @Test func failuresAtOnceOpenTheCircuitAndOneWaitingReadClosesIt() async {
        store.behavior.update { $0.error = StoreError(.unavailable, "The store has been told to fail.") }
        #expect(await read("a") == "failed")
        #expect(await read("a") == "failed")
        #expect(await read("a") == "circuitOpen")
        #expect(await readAtOnce("a") == "circuitOpen")
        #expect(store.readers.value.count == 2)
        ticker.advance(by: .seconds(2))
        store.behavior.update { $0.error = nil }
        #expect(await read("a") == "1")
        #expect(store.waitingReads.value == 1)
        #expect(await read("a") == "1")
        #expect(store.readers.value.count == 3)
        #expect(tier.health.isSound)
    }

    @Test func recordWhoseTagIsStillToBeRemovedIsNotGiven() async {
        store.behavior.update { $0.failsRemovals = true }
        await tier.removeRecords(taggedWith: ["t"]) {}
        #expect(await read("a") == "invalidationPending")
        #expect(store.readers.value.count == 1)
    }

    @Test func closedTierAndKeyThatIsTooLongFindNothing() async {
        let long = RecordKey(String(repeating: "k", count: RecordKey.maximumByteCount + 1))
        #expect(await readAtOnce(long) == "nothing")
        await tier.close()
        #expect(await readAtOnce("a") == "nothing")
        #expect(store.readers.value.isEmpty)
    }
}

/// A store in memory that answers at once unless the test changes that, and notes the tasks that read it.
private final class QuickStore: ImmediateRecordStore {
    struct Behavior: Sendable {
        var isUnavailable = false
        var duration = Duration.zero
        var error: StoreError?
        var failsRemovals = false
    }

    let name = "quick"
    let base = MemoryStore()
    let behavior = Shared(Behavior())
    /// The tasks that made immediate reads.
    let readers = Shared<[Int?]>([])
    let waitingReads = Counter()
    private let ticker: ManualTicker

    init(_ ticker: ManualTicker) { self.ticker = ticker }

    func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading {
        let behavior = behavior.value
        if behavior.isUnavailable { return .unavailable }
        readers.update { readers in readers.append(withUnsafeCurrentTask { $0?.hashValue }) }
        if behavior.duration > .zero { ticker.advance(by: behavior.duration) }
        if let error = behavior.error { throw error }
        return try base.immediateRecord(forKey: key)
    }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        waitingReads.increment()
        return try await base.record(forKey: key)
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        if behavior.value.failsRemovals { throw StoreError(.unavailable, "The store has been told to fail.") }
        try await base.removeRecords(taggedWith: tags)
    }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }
    func close() async { await base.close() }
}
