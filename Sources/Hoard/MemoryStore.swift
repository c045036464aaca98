// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A ``RecordStore`` in memory: for tests, for previews, and as the plainest example of what a store is.
///
/// Its records do not survive the process. It evicts the least recently used records, keeps its limits exactly, and never suspends.
public final class MemoryStore: RecordStore {
    public let name: String

    private let maximumCount: Int?
    private let maximumBytes: Int?
    private let clock: any WallClock
    private let state: Mutex<State>

    private struct State: Sendable {
        var engine: LRUEngine<RecordKey, Record>
        var statistics = StoreStatistics()
        var isClosed = false
    }

    /// - Parameters:
    ///   - maximumCount: The most records held. Default: no limit.
    ///   - maximumBytes: The most bytes held, counting keys, payloads, tags and ``overheadBytesPerRecord``. Default: 64 MiB.
    ///   - clock: Judges whether a record has expired.
    public init(name: String = "memory", maximumCount: Int? = nil, maximumBytes: Int? = 64 << 20, clock: any WallClock = SystemWallClock()) {
        precondition((maximumCount ?? 0) >= 0 && (maximumBytes ?? 0) >= 0, "maximumCount and maximumBytes must not be negative.")
        self.name = name
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
        self.clock = clock
        self.state = Mutex(State(engine: LRUEngine(maximumCount: maximumCount, maximumWeight: maximumBytes)))
    }

    /// What a record is charged beyond its own bytes.
    public static var overheadBytesPerRecord: Int { 128 }

    public func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try check(key)
        let now = clock.now()
        return try withOpenState { state in
            guard var record = state.engine.peek(key, now: 0), !record.isExpired(at: now) else {
                if state.engine.remove(key) != nil { state.statistics.expirations += 1 }
                state.statistics.misses += 1
                return nil
            }
            record.lastAccess = max(now, record.lastAccess)
            _ = state.engine.insert(entry(record, forKey: key), forKey: key)
            state.statistics.hits += 1
            return record
        }
    }

    public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try check(key)
        let entry = entry(record, forKey: key)
        let wasKept = try withOpenState { state in
            let outcome = state.engine.insert(entry, forKey: key)
            state.statistics.evictions += outcome.evicted.count
            if outcome.wasKept { state.statistics.insertions += 1 } else { state.statistics.refusals += 1 }
            return outcome.wasKept
        }
        guard wasKept else {
            throw StoreError(.recordTooLarge, "The record is charged \(entry.weight) bytes, more than the \(name) store may hold.")
        }
    }

    public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try check(key)
        _ = try withOpenState { $0.engine.remove(key) }
    }

    public func removeRecords(taggedWith tag: String) async throws(StoreError) {
        try withOpenState { state in
            _ = state.engine.removeAll { $0.value.tags.contains(tag) }
        }
    }

    public func removeAll() async throws(StoreError) {
        _ = try withOpenState { $0.engine.removeAll() }
    }

    public func statistics() async throws(StoreError) -> StoreStatistics {
        try withOpenState { state in
            var statistics = state.statistics
            statistics.count = state.engine.count
            statistics.bytes = state.engine.totalWeight
            statistics.maximumCount = maximumCount
            statistics.maximumBytes = maximumBytes
            return statistics
        }
    }

    public func close() async {
        state.withLock { state in
            state.isClosed = true
            _ = state.engine.removeAll()
        }
    }

    private func entry(_ record: Record, forKey key: RecordKey) -> LRUEngine<RecordKey, Record>.Entry {
        let bytes = key.bytes.count + record.payload.count + record.tags.reduce(0) { $0 + $1.utf8.count } + Self.overheadBytesPerRecord
        return .init(value: record, weight: bytes, deadline: .max)
    }

    private func check(_ key: RecordKey) throws(StoreError) {
        guard key.bytes.count <= RecordKey.maximumByteCount else { throw .keyTooLong(key) }
    }

    private func withOpenState<Result: Sendable>(_ body: (inout sending State) -> Result) throws(StoreError) -> Result {
        let result: Result? = state.withLock { state in
            state.isClosed ? nil : body(&state)
        }
        guard let result else { throw .closed(name) }
        return result
    }
}
