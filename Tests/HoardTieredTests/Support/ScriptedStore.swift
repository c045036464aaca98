// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTestSupport
import HoardTesting
import Synchronization

/// A store in memory that notes each call as it is made, a bulk call as one. It treats the call as a script says.
final class ScriptedStore: ImmediateRecordStore, CallbackRecordStore {
    struct Call: Hashable, Sendable, CustomStringConvertible {
        let name: String
        var keys: Set<RecordKey> = []
        var tags: Set<String> = []
        var partition: String?

        var description: String { "\(name)(\((keys.map(\.description) + tags + [partition].compactMap(\.self)).sorted().joined(separator: ",")))" }
    }

    typealias Script = @Sendable (Call) -> FaultyStore.Behavior

    private struct State {
        var records: [RecordKey: Record] = [:]
        var calls: [Call] = []
        var inProgressCount = 0
        var script: Script = { _ in .pass }
        var isClosed = false
    }

    let name: String
    private let state = Mutex(State())

    let answersAtOnce: Bool
    let callsBack: Bool
    private let ticker: (any Ticker)?

    /// - Parameters:
    ///   - answersAtOnce: Whether the store reads without suspending if the script has it wait for nothing.
    ///   - callsBack: Whether a tier asks the store for records without a task.
    ///   - ticker: The time by which the script's delays are measured. Without a ticker there are none.
    init(name: String = "scripted", answersAtOnce: Bool = false, callsBack: Bool = false, ticker: (any Ticker)? = nil) {
        self.name = name
        self.callsBack = callsBack
        self.answersAtOnce = answersAtOnce
        self.ticker = ticker
    }

    var calls: [String] { state.withLock { $0.calls.map(\.description) } }
    /// The number of calls that have not been answered yet.
    var inProgressCount: Int { state.withLock { $0.inProgressCount } }
    var records: [RecordKey: Record] { state.withLock { $0.records } }
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func forgetCalls() { state.withLock { $0.calls = [] } }

    func put(_ record: Record, forKey key: RecordKey) { state.withLock { $0.records[key] = record } }

    func setScript(_ script: @escaping Script) { state.withLock { $0.script = script } }

    func heal() { setScript { _ in .pass } }

    /// Makes calls of these names fail, or all calls if there is no name.
    func fail(_ names: String..., with code: StoreError.Code = .unavailable, afterwards: Bool = false) {
        let error = StoreError(code, "The script says so.")
        setScript { call in
            guard names.isEmpty || names.contains(call.name) else { return .pass }
            return afterwards ? .init(errorAfterwards: error) : .fail(error)
        }
    }

    /// Makes calls of these names wait, before or after they are done.
    func hold(_ names: String..., afterwards: Bool = false) -> Gate {
        let gate = Gate()
        setScript { call in
            guard names.isEmpty || names.contains(call.name) else { return .pass }
            return afterwards ? .init(gateAfterwards: gate) : .init(gate: gate)
        }
        return gate
    }

    private func perform<Result>(_ call: Call, _ body: (inout [RecordKey: Record]) -> Result) async throws(StoreError) -> Result {
        let script = state.withLock { state in
            state.calls.append(call)
            state.inProgressCount += 1
            return state.script
        }
        defer { state.withLock { $0.inProgressCount -= 1 } }
        let behavior = script(call)
        await behavior.gate?.pass()
        await wait(behavior.delay)
        if let error = behavior.error { throw error }
        nonisolated(unsafe) var result: Result?
        let isClosed = state.withLock { state in
            if !state.isClosed { result = body(&state.records) }
            return state.isClosed
        }
        await behavior.gateAfterwards?.pass()
        await wait(behavior.delayAfterwards)
        if let error = behavior.errorAfterwards { throw error }
        guard !isClosed, let result else { throw StoreError(.closed, "The store has been closed.") }
        return result
    }

    private func wait(_ delay: Duration) async {
        guard delay > .zero, let ticker else { return }
        try? await ticker.sleep(until: ticker.nanoseconds() + delay.saturatingNanoseconds)
    }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try await perform(Call(name: "record", keys: [key])) { $0[key] }
    }

    func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading {
        guard answersAtOnce else { return .unavailable }
        let call = Call(name: "record", keys: [key])
        let behavior = state.withLock { $0.script }(call)
        guard !behavior.waits else { return .unavailable }
        let (record, isClosed) = state.withLock { state in
            state.calls.append(call)
            return (state.records[key], state.isClosed)
        }
        if let error = behavior.error ?? behavior.errorAfterwards { throw error }
        guard !isClosed else { throw StoreError(.closed, "The store has been closed.") }
        return .init(record)
    }

    func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        try await perform(Call(name: "records", keys: Set(keys))) { records in records.filter { keys.contains($0.key) } }
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try await perform(Call(name: "insert", keys: [key])) { $0[key] = record }
    }

    func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        try await perform(Call(name: "insertAll", keys: Set(records.keys))) { $0.merge(records) { $1 } }
    }

    func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try await perform(Call(name: "remove", keys: [key])) { $0[key] = nil }
    }

    func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        try await perform(Call(name: "removeKeys", keys: Set(keys))) { records in for key in keys { records[key] = nil } }
    }

    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        try await perform(Call(name: "removeTagged", tags: tags)) { $0 = $0.filter { $0.value.tags.isDisjoint(with: tags) } }
    }

    func removePartition(_ partition: String) async throws(StoreError) {
        try await perform(Call(name: "removePartition", partition: partition)) { $0 = $0.filter { $0.value.partition != partition } }
    }

    func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        // Reads first and writes later, as a store does that has no implementation of its own.
        let record = state.withLock { $0.records[key] }
        try await perform(Call(name: "markStale", keys: [key])) { records in
            if var record, record.endFreshness(at: date) { records[key] = record }
        }
    }

    func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try await perform(Call(name: "markTaggedStale", tags: tags)) { records in
            for (key, record) in records where !record.tags.isDisjoint(with: tags) {
                var record = record
                _ = record.endFreshness(at: date)
                records[key] = record
            }
        }
    }

    func markAllRecordsStale(at date: Date) async throws(StoreError) {
        try await perform(Call(name: "markAllStale")) { records in
            for (key, record) in records {
                var record = record
                _ = record.endFreshness(at: date)
                records[key] = record
            }
        }
    }

    func removeAll() async throws(StoreError) {
        try await perform(Call(name: "removeAll")) { $0 = [:] }
    }

    func statistics() async throws(StoreError) -> StoreStatistics { StoreStatistics() }

    func close() async {
        state.withLock { state in
            state.isClosed = true
            state.calls.append(Call(name: "close"))
        }
    }
}
