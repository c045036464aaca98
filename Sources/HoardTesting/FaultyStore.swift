// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Hoard
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store that fails, or makes its callers wait, when a test says so. Everything else it passes on to the store it wraps.
///
/// ```swift
/// let store = FaultyStore(MemoryStore())
/// let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 10), stores: [store], codec: .json)
///
/// store.fail(.record)                       // every read fails, until heal()
/// #expect(try await cache.value(forKey: "a") { _ in 1 } == 1)
///
/// let gate = store.hold(.removeRecord)      // removals wait at a gate
/// async let removal: Void = cache.removeValue(forKey: "a")
/// await gate.arrivals(1)                    // the removal is under way
/// gate.open()
/// await removal
/// ```
///
/// A ``Behavior`` is chosen for each call by a script, which ``setScript(_:)`` replaces whole and
/// ``fail(_:with:afterwards:)``, ``hold(_:afterwards:)`` and ``heal()`` change for some or all operations.
/// ``close()`` is counted and passed on, and never fails or waits.
public final class FaultyStore: RecordStore {
    /// Decides the behaviour of a call. Called outside all locks.
    public typealias Script = @Sendable (Call) -> Behavior

    /// The name of the wrapped store, or the one given at creation.
    public let name: String

    let base: any RecordStore
    /// Whether it was created to answer at once, and the wrapped store can.
    public let answersAtOnce: Bool
    /// Whether a cache is to ask it for a record without a task of its own, as it asks a store across a network.
    package let callsBack: Bool
    private let ticker: any Ticker
    private let state = Mutex(State())

    private struct State: Sendable {
        var script: Script = { _ in .pass }
        var behaviors: [Operation: Behavior] = [:]
        var callCounts: [Operation: Int] = [:]
    }

    /// Creates a store that passes everything on to `base`.
    ///
    /// - Parameters:
    ///   - answersAtOnce: Whether it reads without suspending where it can, as an `ImmediateRecordStore` does.
    ///   - ticker: The ticker that measures the delays of a ``Behavior``.
    public convenience init(_ base: any RecordStore, name: String? = nil, answersAtOnce: Bool = false, ticker: any Ticker = MonotonicTicker()) {
        self.init(base, name: name, answersAtOnce: answersAtOnce, callsBack: false, ticker: ticker)
    }

    package init(_ base: any RecordStore, name: String? = nil, answersAtOnce: Bool = false, callsBack: Bool, ticker: any Ticker = MonotonicTicker()) {
        self.base = base
        self.callsBack = callsBack
        self.answersAtOnce = answersAtOnce && (base as? any ImmediateRecordStore)?.answersAtOnce ?? false
        self.name = name ?? base.name
        self.ticker = ticker
    }

    /// Lets `script` decide about every call from now on, and forgets the effects of ``fail(_:with:afterwards:)`` and
    /// ``hold(_:afterwards:)`` before.
    public func setScript(_ script: @escaping Script) {
        state.withLock { state in
            state.behaviors = [:]
            state.script = script
        }
    }

    /// Makes operations fail from now on.
    ///
    /// - Parameters:
    ///   - operations: Which ones. None named: all.
    ///   - code: The code of the error they throw.
    ///   - afterwards: Whether the wrapped store does the work first and only the answer is lost.
    public func fail(_ operations: Operation..., with code: StoreError.Code = .unavailable, afterwards: Bool = false) {
        let error = StoreError(code, "This store has been told to fail.")
        set(afterwards ? Behavior(errorAfterwards: error) : .fail(error), for: operations)
    }

    /// Makes operations wait at a gate from now on. Calls that wait there go on when the gate is opened, also after ``heal()``.
    ///
    /// - Parameters:
    ///   - operations: Which ones. None named: all.
    ///   - afterwards: Whether the wrapped store does the work first and only the answer is held back.
    /// - Returns: The gate, shut.
    public func hold(_ operations: Operation..., afterwards: Bool = false) -> Gate {
        let gate = Gate()
        set(afterwards ? Behavior(gateAfterwards: gate) : Behavior(gate: gate), for: operations)
        return gate
    }

    /// Makes every operation pass from now on. Opens no gates.
    public func heal() {
        setScript { _ in .pass }
    }

    /// The number of times that an operation has been called, whatever became of the call.
    public func callCount(_ operation: Operation) -> Int {
        state.withLock { $0.callCounts[operation, default: 0] }
    }

    private func set(_ behavior: Behavior, for operations: [Operation]) {
        state.withLock { state in
            for operation in operations.isEmpty ? Operation.all + Operation.evicting + Operation.listing : operations {
                state.behaviors[operation] = behavior
            }
        }
    }

    /// The behavior of a call that is made now and need not wait; `nil` if it has to, and then the call does not count.
    func immediateBehavior(_ operation: Operation, keys: [RecordKey]) -> Behavior? {
        while true {
            let (number, fixedBehavior, script) = state.withLock { state in
                (state.callCounts[operation, default: 0] + 1, state.behaviors[operation], state.script)
            }
            let behavior = fixedBehavior ?? script(Call(operation: operation, keys: keys, tags: [], partition: nil, number: number))
            guard !behavior.waits else { return nil }
            // Another call may have taken the number while the script was asked.
            let isNumbered = state.withLock { state in
                guard state.callCounts[operation, default: 0] == number - 1 else { return false }
                state.callCounts[operation] = number
                return true
            }
            if isNumbered { return behavior }
        }
    }

    /// Makes a call, or not, as its behavior says.
    ///
    /// - Parameter partially: Does the work for the first so many records, if it concerns several.
    func perform<Result>(
        _ operation: Operation,
        keys: [RecordKey] = [],
        tags: Set<String> = [],
        partition: String? = nil,
        partially: ((Int) async throws(StoreError) -> Void)? = nil,
        _ body: () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let (number, fixedBehavior, script) = state.withLock { state in
            state.callCounts[operation, default: 0] += 1
            return (state.callCounts[operation, default: 0], state.behaviors[operation], state.script)
        }
        let behavior = fixedBehavior ?? script(Call(operation: operation, keys: keys, tags: tags, partition: partition, number: number))
        await behavior.gate?.pass()
        await behavior.delay.wait(on: ticker)
        if let error = behavior.error { throw error }
        if let partially, let error = behavior.partialError {
            try await partially(behavior.partialCount)
            throw error
        }
        let result = try await body()
        await behavior.gateAfterwards?.pass()
        await behavior.delayAfterwards.wait(on: ticker)
        if let error = behavior.errorAfterwards { throw error }
        return result
    }

    public func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try await perform(.record, keys: [key]) { () async throws(StoreError) in try await base.record(forKey: key) }
    }

    public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try await perform(.insert, keys: [key]) { () async throws(StoreError) in try await base.insert(record, forKey: key) }
    }

    public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try await perform(.removeRecord, keys: [key]) { () async throws(StoreError) in try await base.removeRecord(forKey: key) }
    }

    public func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        try await perform(.removeTagged, tags: tags) { () async throws(StoreError) in try await base.removeRecords(taggedWith: tags) }
    }

    public func removePartition(_ partition: String) async throws(StoreError) {
        try await perform(.removePartition, partition: partition) { () async throws(StoreError) in
            try await base.removePartition(partition)
        }
    }

    public func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        try await perform(.records, keys: keys) { () async throws(StoreError) in try await base.records(forKeys: keys) }
    }

    public func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        let keys = records.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let partially = { (count: Int) async throws(StoreError) in
            try await self.base.insert(records.filter { keys.prefix(count).contains($0.key) })
        }
        try await perform(.insertMany, keys: keys, partially: partially) { () async throws(StoreError) in try await base.insert(records) }
    }

    public func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        let partially = { (count: Int) async throws(StoreError) in try await self.base.removeRecords(forKeys: Array(keys.prefix(count))) }
        try await perform(.removeMany, keys: keys, partially: partially) { () async throws(StoreError) in
            try await base.removeRecords(forKeys: keys)
        }
    }

    public func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        try await perform(.markStale, keys: [key]) { () async throws(StoreError) in try await base.markRecordStale(forKey: key, at: date) }
    }

    public func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try await perform(.markTaggedStale, tags: tags) { () async throws(StoreError) in
            try await base.markRecordsStale(taggedWith: tags, at: date)
        }
    }

    public func markAllRecordsStale(at date: Date) async throws(StoreError) {
        try await perform(.markAllStale) { () async throws(StoreError) in try await base.markAllRecordsStale(at: date) }
    }

    public func removeAll() async throws(StoreError) {
        try await perform(.removeAll) { () async throws(StoreError) in try await base.removeAll() }
    }

    public func statistics() async throws(StoreError) -> StoreStatistics {
        try await perform(.statistics) { () async throws(StoreError) in try await base.statistics() }
    }

    public func invalidations() -> AsyncStream<StoreInvalidation>? {
        base.invalidations()
    }

    public func close() async {
        state.withLock { $0.callCounts[.close, default: 0] += 1 }
        await base.close()
    }
}
