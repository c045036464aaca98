// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Synchronization

/// A store in memory that shows the records that it was given, and fails or lingers over its writes when it is told to.
final class SpyStore: RecordStore {
    let name = "spy"

    private let base: MemoryStore
    private let state = Mutex(State())

    private struct State: Sendable {
        var isFailing = false
        var isLingering = false
        var lingering: [CheckedContinuation<Void, Never>] = []
        var observers: [CheckedContinuation<Void, Never>] = []
        var records: [RecordKey: Record] = [:]
    }

    init(clock: any WallClock) {
        base = MemoryStore(clock: clock)
    }

    /// From now on everything fails, or works again.
    func setFailing(_ isFailing: Bool) {
        state.withLock { $0.isFailing = isFailing }
    }

    /// From now on writes return only after ``stopLingering()``, although they have been done before.
    func startLingering() {
        state.withLock { $0.isLingering = true }
    }

    func stopLingering() {
        let lingering = state.withLock { state in
            state.isLingering = false
            defer { state.lingering = [] }
            return state.lingering
        }
        for write in lingering { write.resume() }
    }

    /// Suspends until a write lingers.
    func waitForLingeringWrite() async {
        await withCheckedContinuation { continuation in
            let isLingering = state.withLock { state in
                if state.lingering.isEmpty { state.observers.append(continuation) }
                return !state.lingering.isEmpty
            }
            if isLingering { continuation.resume() }
        }
    }

    /// The newest record of each key that was ever written.
    var insertedRecords: [RecordKey: Record] { state.withLock { $0.records } }

    var insertedKeys: [RecordKey] { Array(insertedRecords.keys) }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try failIfTold()
        return try await base.record(forKey: key)
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try failIfTold()
        state.withLock { $0.records[key] = record }
        try await base.insert(record, forKey: key)
        await lingerIfTold()
    }

    func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try failIfTold()
        try await base.removeRecord(forKey: key)
    }

    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        try failIfTold()
        try await base.removeRecords(taggedWith: tags)
    }

    func removePartition(_ partition: String) async throws(StoreError) {
        try failIfTold()
        try await base.removePartition(partition)
    }

    func removeAll() async throws(StoreError) {
        try failIfTold()
        try await base.removeAll()
    }

    func statistics() async throws(StoreError) -> StoreStatistics {
        try failIfTold()
        return try await base.statistics()
    }

    func close() async {
        await base.close()
    }

    private func lingerIfTold() async {
        await withCheckedContinuation { continuation in
            let (lingers, observers) = state.withLock { state in
                guard state.isLingering else { return (false, [CheckedContinuation<Void, Never>]()) }
                state.lingering.append(continuation)
                defer { state.observers = [] }
                return (true, state.observers)
            }
            for observer in observers { observer.resume() }
            if !lingers { continuation.resume() }
        }
    }

    private func failIfTold() throws(StoreError) {
        if state.withLock({ $0.isFailing }) { throw StoreError(.unavailable, "The spy store fails as it was told to.") }
    }
}
