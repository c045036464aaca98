// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import Testing

@testable import Hoard

/// A tier over a scripted store, with a time that a test controls.
struct StoreTierFixture: Sendable {
    let store = ScriptedStore()
    let ticker = ManualTicker()
    let events = Shared<[TieredCacheEvent.Kind]>([])
    let observer = CallObserver()
    let tier: StoreTier

    init(_ configuration: StoreStack.Configuration = .init()) {
        tier = StoreTier(store: store, configuration: configuration, ticker: ticker, observer: observer) { [events] event in
            events.update { $0.append(event.kind) }
        }
    }

    static func record(_ number: UInt8, tags: Set<String> = [], partition: String? = nil) -> Record {
        Record(payload: Data([number]), created: Date(timeIntervalSince1970: 0), staleUntil: .forever, tags: tags, partition: partition)
    }

    func insert(_ number: UInt8, _ key: RecordKey, tags: Set<String> = [], partition: String? = nil) async {
        await tier.insert([.init(key: key, record: Self.record(number, tags: tags, partition: partition)) { .wanted }])
    }

    func remove(_ keys: RecordKey...) async {
        await tier.remove(keys.map { StoreTier.Removal(key: $0) { .wanted } })
    }

    func markStale(_ keys: RecordKey..., at seconds: Double = 0) async {
        await tier.markStale(keys.map { StoreTier.Removal(key: $0) { .wanted } }, at: Date(timeIntervalSince1970: seconds))
    }

    func removeTagged(_ tags: String...) async {
        await tier.removeRecords(taggedWith: Set(tags)) {}
    }

    func removePartition(_ partition: String) async {
        await tier.removePartition(partition) {}
    }

    /// The answer of a read, in words: a number, `nothing`, or the reason why the tier passed the store by.
    func read(_ key: RecordKey) async -> String { await Self.read(key, from: tier) }

    /// - Returns: `cannot` if the tier would have to wait for the store, and may not.
    static func read(_ key: RecordKey, from tier: StoreTier, mayWait: Bool = true) async -> String {
        switch await tier.reading(forKey: key, mayWait: mayWait) {
        case .record(let record)?: "\(record.payload.first ?? 0)"
        case .nothing?: "nothing"
        case .skipped(let reason)?: reason.description
        case nil: "cannot"
        }
    }

    /// The store's record, whatever the tier answers.
    func stored(_ key: RecordKey) -> UInt8? { store.records[key]?.payload.first }

    func put(_ number: UInt8, _ key: RecordKey, tags: Set<String> = [], partition: String? = nil) {
        store.put(Self.record(number, tags: tags, partition: partition), forKey: key)
    }

    /// Moves time until the condition holds.
    func until(_ condition: () -> Bool) async throws { try await waitUntil(condition) }
}

/// An observer that notes the calls that it is told of.
final class CallObserver: CacheObserver {
    private let told = Shared<[String]>([])
    private let enclosed = Shared<[String]>([])

    /// The operation, the number of records and the outcome of each call.
    var calls: [String] { told.value }
    var enclosedCalls: [String] { enclosed.value }

    func forget() {
        told.update { $0 = [] }
        enclosed.update { $0 = [] }
    }

    func storeCallEnded(_ call: CacheStoreCall, outcome: CacheStoreOutcome, error: StoreError?, duration: Duration) {
        let text = "\(call.operation) \(call.recordCount) \(outcome)" + (error.map { " \($0.code)" } ?? "") + (duration > .zero ? " \(duration)" : "")
        told.update { $0.append(text) }
    }

    func withStoreCall<Result: Sendable>(_ call: CacheStoreCall, _ operation: @Sendable () async -> Result) async -> Result {
        enclosed.update { $0.append("\(call.store) \(call.operation) \(call.recordCount)") }
        return await operation()
    }
}
