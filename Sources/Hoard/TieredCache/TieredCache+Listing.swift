// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Lists the entries of the tiers, page by page. Counts neither as a use nor as a request.
extension TieredCache {
    /// The position of a listing: in a store, the nearest first, then in memory.
    package enum ListingPosition: Sendable, Hashable {
        case store(index: Int, RecordCursor?)
        case memory(shard: Int, slot: Int)

        package static var start: Self { .store(index: 0, nil) }
    }

    /// An entry and the tiers that have it.
    package struct Listed: Sendable {
        package let key: Key
        /// See ``CachedValue/freshUntil``.
        package let freshUntil: Date?
        package let tags: Set<String>
        /// The length of the record's payload; `nil` if no store has one.
        package let payloadByteCount: Int?
        /// Whether memory has it.
        package let isInMemory: Bool
        /// The index of the nearest store that has it; `nil`: none.
        package let store: Int?
    }

    /// Returns a page of entries: first from the stores that can list, then those that only memory has. A store that fails, or
    /// takes eight deadlines, is passed by. One that does not say in time whether it has an entry is not asked for the rest of the page. Suspends.
    ///
    /// - Parameters:
    ///   - limit: The most slots of memory, or records, to look at.
    ///   - isMatch: Whether a key is listed.
    /// - Returns: The entries, and where the next page begins; `nil` if there is none.
    package func listing(from position: ListingPosition, limit: Int, where isMatch: (Key) -> Bool) async -> (
        entries: [Listed], next: ListingPosition?
    ) {
        var silent: Set<Int> = []
        switch position {
        case .store(let index, let cursor):
            guard index < tiers.count else { return ([], .memory(shard: 0, slot: 0)) }
            let following = ListingPosition.store(index: index + 1, nil)
            let tier = tiers[index]
            guard case .success(let page)? = await tier.page(after: cursor, limit: limit) else { return ([], following) }
            var entries: [Listed] = []
            for record in page.records where !tier.hasInvalidated(record.key, tags: record.tags, partition: record.partition) {
                guard case .key(let key) = naming.origin(of: record.key), isMatch(key),
                    await firstStore(with: record.key, before: index, passingBy: &silent) == nil
                else { continue }
                entries.append(listed(key, record, index))
            }
            return (entries, page.next.map { .store(index: index, $0) } ?? following)
        case .memory(let shard, let slot):
            let (found, next) = memory.page(from: .init(shard: shard, slot: slot), limit: limit)
            var entries: [Listed] = []
            for (key, entry) in found where isMatch(key) {
                let recordKey = naming.recordKey(for: key)
                if let recordKey, await firstStore(with: recordKey, before: tiers.count, passingBy: &silent) != nil { continue }
                guard let entry = checked(entry, key: key) else { continue }
                let terms = entry.terms
                entries.append(Listed(key: key, freshUntil: terms.freshUntil, tags: terms.tags, payloadByteCount: nil, isInMemory: true, store: nil))
            }
            return (entries, next.map { .memory(shard: $0.shard, slot: $0.slot) })
        }
    }

    private func listed(_ key: Key, _ record: RecordSummary, _ index: Int) -> Listed {
        let entry = memory.peek(key).flatMap { checked($0, key: key) }
        return Listed(
            key: key,
            freshUntil: entry == nil ? record.freshUntil : entry?.terms.freshUntil,
            tags: entry?.terms.tags ?? naming.tags(ofRecord: record.tags),
            payloadByteCount: record.payloadByteCount,
            isInMemory: entry != nil,
            store: index
        )
    }

    /// The index of the nearest store before `end` that lists a record.
    ///
    /// - Parameter silent: The stores that have not answered in time.
    private func firstStore(with key: RecordKey, before end: Int, passingBy silent: inout Set<Int>) async -> Int? {
        for index in 0..<end where !silent.contains(index) {
            switch await tiers[index].peekInTime(forKey: key) {
            case .success(let record): if record != nil { return index }
            case .failure: continue
            case .timedOut: silent.insert(index)
            }
        }
        return nil
    }

    /// Returns the value of a key from memory or the nearest store that lists it; `nil` if there is none. Does not count as a use. Suspends.
    package func peek(forKey key: Key) async -> Value? {
        if let entry = memory.peek(key).flatMap({ checked($0, key: key) }) { return entry.value }
        guard let recordKey = naming.recordKey(for: key) else { return nil }
        for tier in tiers {
            guard let record = await tier.peek(forKey: recordKey), record.schemaFingerprint == codec.schemaFingerprint, !record.isNegative
            else { continue }
            return try? codec.decode(record.payload)
        }
        return nil
    }

    /// Returns the statistics of the stores, nearest first; `nil` for one that does not answer in time. Suspends.
    package func storeStatistics() async -> [StoreStatistics?] {
        var all: [StoreStatistics?] = []
        for tier in tiers { all.append(await tier.statistics()) }
        return all
    }

    /// Changes the greatest total weight in memory while the cache is in use. O(*k*) for *k* evicted entries.
    package func setMaximumMemoryWeight(_ weight: Int) { memory.resize(maximumWeight: weight) }

    /// The nearest store whose limit can be changed; `nil` if there is none.
    package var resizableStore: (any ResizableRecordStore)? { tiers.lazy.compactMap { $0.store as? any ResizableRecordStore }.first }

    /// Whether other processes change a store too, for each store, nearest first.
    package var sharedStores: [Bool] { tiers.map { $0.store is any SharedRecordStore } }
}
