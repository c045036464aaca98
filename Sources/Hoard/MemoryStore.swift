// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A ``RecordStore`` in memory, for tests and previews, and as the simplest example of a store.
///
/// Its records do not survive the process. It evicts the least recently used records, keeps its limits exactly, and never suspends.
///
/// A removal by tag or partition, or a stale mark, is noted with the tag and touches no record, O(1) for each tag; records are judged when they are read. So a
/// record that has gone with a tag takes up room, and is counted in ``StoreStatistics/count``, until it is read, replaced or evicted.
public final class MemoryStore: ImmediateRecordStore {
    public let name: String

    private let maximumCount: Int?
    private let maximumBytes: Int?
    private let clock: any WallClock
    private let state: Mutex<State>

    /// - Parameters:
    ///   - maximumCount: The most records held. Default: no limit.
    ///   - maximumBytes: The most bytes held, counting keys, payloads, tags, partitions and ``overheadBytesPerRecord``. Default: 64 MiB.
    ///   - clock: Judges whether a record has expired.
    public init(name: String = "memory", maximumCount: Int? = nil, maximumBytes: Int? = 64 << 20, clock: any WallClock = SystemWallClock()) {
        precondition((maximumCount ?? 0) >= 0 && (maximumBytes ?? 0) >= 0, "maximumCount and maximumBytes must not be negative.")
        self.name = name
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
        self.clock = clock
        self.state = Mutex(State(engine: LRUEngine(maximumCount: maximumCount, maximumWeight: maximumBytes)))
    }

    /// The bytes that a record is charged in addition to its own.
    public static var overheadBytesPerRecord: Int { 128 }

    public func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try read(key) }

    public func immediateRecord(forKey key: RecordKey) throws(StoreError) -> ImmediateReading { .init(try read(key)) }

    public func isKnownAbsent(_ key: RecordKey) -> Bool { (try? withOpenState { $0.engine.peek(key, now: 0) == nil }) ?? false }

    private func read(_ key: RecordKey) throws(StoreError) -> Record? {
        try check(key)
        let now = clock.now()
        return try withOpenState { $0.read(key, at: now) }
    }

    /// Reads several records at one moment: no other operation comes in between. A key that is named twice is read once.
    public func records(forKeys keys: [RecordKey]) async throws(StoreError) -> [RecordKey: Record] {
        for key in keys { try check(key) }
        let now = clock.now()
        return try withOpenState { state in
            var records: [RecordKey: Record] = [:]
            for key in Set(keys) { records[key] = state.read(key, at: now) }
            return records
        }
    }

    public func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        try check(key)
        let wasKept = try withOpenState { $0.insert(record, forKey: key) }
        guard wasKept else { throw tooLarge(record, key) }
    }

    /// Writes a record, unless it is not wanted, which is asked at the same moment.
    ///
    /// - Parameter isWanted: Asked under the store's lock.
    /// - Returns: Whether it was wanted.
    package func insert(_ record: Record, forKey key: RecordKey, if isWanted: () -> Bool) throws(StoreError) -> Bool {
        try check(key)
        let wasKept = try withOpenState { isWanted() ? $0.insert(record, forKey: key) : nil }
        guard wasKept ?? true else { throw tooLarge(record, key) }
        return wasKept != nil
    }

    private func tooLarge(_ record: Record, _ key: RecordKey) -> StoreError {
        let weight = State.weight(of: record, forKey: key)
        return StoreError(.recordTooLarge, "The record is charged \(weight) bytes, more than the \(name) store may hold.")
    }

    /// Writes several records at one moment: no other operation comes in between.
    public func insert(_ records: [RecordKey: Record]) async throws(StoreError) {
        for key in records.keys { try check(key) }
        try withOpenState { state in
            for (key, record) in records { _ = state.insert(record, forKey: key) }
        }
    }

    public func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        try check(key)
        try withOpenState { $0.removeAsAsked(key) }
    }

    /// Removes several records at one moment: no other operation comes in between.
    public func removeRecords(forKeys keys: [RecordKey]) async throws(StoreError) {
        for key in keys { try check(key) }
        try withOpenState { state in
            for key in keys { state.removeAsAsked(key) }
        }
    }

    public func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        try withOpenState { $0.tags.removeRecords(taggedWith: tags) }
    }

    public func removePartition(_ partition: String) async throws(StoreError) {
        try withOpenState { $0.tags.removePartition(partition) }
    }

    public func markRecordStale(forKey key: RecordKey, at date: Date) async throws(StoreError) {
        try check(key)
        try withOpenState { $0.markStale(key, at: date) }
    }

    public func markRecordsStale(taggedWith tags: Set<String>, at date: Date) async throws(StoreError) {
        try withOpenState { $0.tags.markStale(taggedWith: tags, at: date) }
    }

    public func markAllRecordsStale(at date: Date) async throws(StoreError) {
        try withOpenState { $0.tags.markAllStale(at: date) }
    }

    public func removeAll() async throws(StoreError) {
        try withOpenState { $0.removeAll() }
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
            state.removeAll()
        }
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

/// Everything that the store's lock guards.
private struct State: Sendable {
    /// A record and when it was written, as ``TagLedger`` counts.
    struct Held: Sendable {
        var record: Record
        let sequence: Int64
    }

    var engine: LRUEngine<RecordKey, Held>
    var tags = TagLedger()
    var statistics = StoreStatistics()
    var isClosed = false

    static func weight(of record: Record, forKey key: RecordKey) -> Int {
        key.bytes.count + record.payload.count + record.tags.reduce(0) { $0 + $1.utf8.count } + (record.partition?.utf8.count ?? 0)
            + MemoryStore.overheadBytesPerRecord
    }

    private func entry(_ held: Held, forKey key: RecordKey) -> LRUEngine<RecordKey, Held>.Entry {
        .init(value: held, weight: Self.weight(of: held.record, forKey: key), deadline: .max)
    }

    private func isRemoved(_ held: Held) -> Bool { tags.isRemoved(held.record.tags, partition: held.record.partition, writtenAt: held.sequence) }

    /// The record as it is to be read now. `nil` if there is none, and then nothing is left of it.
    private mutating func valid(_ key: RecordKey, at now: Date) -> Held? {
        guard var held = engine.peek(key, now: 0) else { return nil }
        if isRemoved(held) {
            removeAsAsked(key)
            return nil
        }
        if held.record.isExpired(at: now) {
            remove(key)
            statistics.expirations += 1
            return nil
        }
        if let end = tags.freshnessEnd(of: held.record.tags, writtenAt: held.sequence) { _ = held.record.endFreshness(at: end) }
        return held
    }

    mutating func read(_ key: RecordKey, at now: Date) -> Record? {
        guard var held = valid(key, at: now) else {
            statistics.misses += 1
            return nil
        }
        held.record.lastAccess = max(now, held.record.lastAccess)
        _ = engine.insert(entry(held, forKey: key), forKey: key)
        statistics.hits += 1
        return held.record
    }

    /// Returns whether the record is kept.
    mutating func insert(_ record: Record, forKey key: RecordKey) -> Bool {
        let outcome = engine.insert(entry(Held(record: record, sequence: tags.beginWrite()), forKey: key), forKey: key)
        // A record that has gone with a tag already does not leave to make room: it counts as a removal.
        let evictions = outcome.evicted.count { !isRemoved($0.value) }
        statistics.evictions += evictions
        statistics.removals += outcome.evicted.count - evictions
        for gone in outcome.evicted { release(gone.value.record) }
        if let replaced = outcome.replaced { release(replaced.value.record) }
        guard outcome.wasKept else {
            statistics.refusals += 1
            return false
        }
        tags.retain(record.tags, partition: record.partition)
        statistics.insertions += 1
        return true
    }

    mutating func remove(_ key: RecordKey) {
        if let removed = engine.remove(key) { release(removed.value.record) }
    }

    mutating func removeAsAsked(_ key: RecordKey) {
        let count = engine.count
        remove(key)
        statistics.removals += count - engine.count
    }

    private mutating func release(_ record: Record) { tags.release(record.tags, partition: record.partition) }

    /// No use of the record.
    mutating func markStale(_ key: RecordKey, at date: Date) {
        engine.update(key) { _ = $0.record.endFreshness(at: date) }
    }

    mutating func removeAll() {
        statistics.removals += engine.count
        _ = engine.removeAll()
        tags.removeAll()
    }
}

extension MemoryStore: EvictingRecordStore {
    public func recordCount(taggedWith tag: String) async throws(StoreError) -> Int {
        let now = clock.now()
        return try withOpenState { $0.leastRecentlyUsedKeys(taggedWith: tag, at: now).count }
    }

    @discardableResult
    public func removeLeastRecentlyUsedRecords(taggedWith tag: String, keeping count: Int) async throws(StoreError) -> Int {
        let now = clock.now()
        return try withOpenState { $0.evict(taggedWith: tag, keeping: max(0, count), at: now) }
    }

    public func noteUses(ofRecordsForKeys keys: [RecordKey]) async throws(StoreError) {
        for key in keys { try check(key) }
        let now = clock.now()
        try withOpenState { state in
            for key in keys { state.noteUse(key, at: now) }
        }
    }
}

extension State {
    /// The keys of the records with a tag that are valid now.
    fileprivate func leastRecentlyUsedKeys(taggedWith tag: String, at now: Date) -> [RecordKey] {
        engine.leastRecentlyUsedKeys { $0.record.tags.contains(tag) && !isRemoved($0) && !$0.record.isExpired(at: now) }
    }

    fileprivate mutating func evict(taggedWith tag: String, keeping count: Int, at now: Date) -> Int {
        let victims = leastRecentlyUsedKeys(taggedWith: tag, at: now).dropLast(count)
        for key in victims { remove(key) }
        statistics.evictions += victims.count
        return victims.count
    }

    fileprivate mutating func noteUse(_ key: RecordKey, at now: Date) {
        guard var held = valid(key, at: now) else { return }
        held.record.lastAccess = max(now, held.record.lastAccess)
        _ = engine.insert(entry(held, forKey: key), forKey: key)
    }
}

extension MemoryStore: ListingRecordStore {
    public func recordPage(after cursor: RecordCursor?, limit: Int) async throws(StoreError) -> RecordPage {
        let start = cursor.map { Int($0.text) ?? -1 } ?? 0
        guard start >= 0 else { throw .foreignCursor(name) }
        let now = clock.now()
        return try withOpenState { $0.page(from: start, limit: max(1, limit), at: now) }
    }

    public func peekRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        try check(key)
        let now = clock.now()
        return try withOpenState { $0.peek(key, at: now) }
    }
}

extension State {
    /// The record as a read would find it. Removes nothing.
    fileprivate func peek(_ key: RecordKey, at now: Date) -> Record? {
        engine.peek(key, now: 0).flatMap { record($0, at: now) }
    }

    private func record(_ held: Held, at now: Date) -> Record? {
        guard !isRemoved(held), !held.record.isExpired(at: now) else { return nil }
        var record = held.record
        if let end = tags.freshnessEnd(of: record.tags, writtenAt: held.sequence) { _ = record.endFreshness(at: end) }
        return record
    }

    /// The cursor is the number of the next slot: a record keeps its slot until it is written or removed.
    fileprivate func page(from start: Int, limit: Int, at now: Date) -> RecordPage {
        let (entries, next) = engine.entries(inSlotsFrom: start, limit: limit)
        let summaries = entries.compactMap { key, held in record(held, at: now).map { RecordSummary($0, key: key) } }
        return RecordPage(records: summaries, next: next.map { RecordCursor(text: String($0)) })
    }
}
