// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting

/// A memory store with one defect.
final class DefectiveStore: RecordStore {
    typealias Defect = RecordStoreConformanceTests.Defect

    let defect: Defect
    let base: MemoryStore
    let clock: any WallClock
    private let staleDates = Shared<[RecordKey: Date?]>([:])
    private let insertionCount = Counter()
    private let replacementCount = Counter()
    private let keys = Shared<Set<RecordKey>>([])
    private let removedPartitions = Shared<Set<String?>>([])
    let marks = Shared<[(tag: String, date: Date)]>([])

    init(_ defect: Defect, configuration: RecordStoreConformance.Configuration) {
        self.defect = defect
        clock = configuration.clock
        base = MemoryStore(
            maximumCount: defect == .ignoresCountLimit ? nil : configuration.maximumCount,
            maximumBytes: defect == .ignoresBytesLimit ? nil : configuration.maximumBytes,
            clock: configuration.clock
        )
    }

    var name: String { defect == .changesItsName ? "store \(insertionCount.value)" : "defective" }

    func record(forKey key: RecordKey) async throws(StoreError) -> Record? {
        if defect == .readsLongKeysAsMisses, key.bytes.count > RecordKey.maximumByteCount { return nil }
        guard var record = try await base.record(forKey: stored(key)) else {
            if defect == .throwsAtAMiss { throw StoreError(.unavailable, "There is none.") }
            return nil
        }
        switch defect {
        case .losesTags: record.tags = []
        case .losesPartition: record.partition = nil
        case .forgetsLaterWritesOfAPartition where removedPartitions.value.contains(record.partition): return nil
        case .losesStaleWhileRevalidate: record.staleWhileRevalidate = .zero
        case .losesStaleIfError: record.staleIfError = .zero
        case .losesLoadDuration: record.loadDuration = nil
        case .losesZeroLoadDuration: record.loadDuration = record.loadDuration == .zero ? nil : record.loadDuration
        case .losesNegativity: record.isNegative = false
        case .marksConcernLaterRecords: applyMarks(to: &record)
        case .losesValidator: record.validator = nil
        case .losesContentType: record.contentType = nil
        case .losesFingerprint: record.schemaFingerprint = 0
        case .losesCreated: record.created = clock.now().addingTimeInterval(1)
        case .losesFreshUntil: record.freshUntil = record.staleUntil
        case .extendsFreshness: record.freshUntil = record.freshUntil.map { $0.addingTimeInterval(clock.now().timeIntervalSince(record.created)) }
        case .flipsABit where !record.payload.isEmpty: record.payload[record.payload.startIndex] ^= 1
        case .truncatesLargePayloads: record.payload = record.payload.prefix(1 << 16)
        case .lastAccessStandsStill: record.lastAccess = record.created
        case .lastAccessInTheFuture: record.lastAccess = .distantFuture
        case .expiresLate, .neverExpires, .expiresEarly: record.staleUntil = staleDates.value[key] ?? nil
        case .expiresWhenStale where !record.isFresh(at: clock.now()): return nil
        default: break
        }
        return record
    }

    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) {
        var record = record
        insertionCount.increment()
        let isNew = keys.update { $0.insert(key).inserted }
        if !isNew { replacementCount.increment() }
        switch defect {
        case .mergesTags: record.tags.formUnion(try await base.record(forKey: key)?.tags ?? [])
        case .keepsOldRecord where try await base.record(forKey: key) != nil: return
        case .expiresLate, .neverExpires, .expiresEarly:
            staleDates.update { $0[key] = record.staleUntil }
            let shift: TimeInterval = defect == .expiresLate ? 0.001 : defect == .expiresEarly ? -0.001 : 1e12
            record.staleUntil = record.staleUntil.map { $0.addingTimeInterval(shift) }
        case .evictsAtRandom where isNew && insertionCount.value > 3: try await base.removeRecord(forKey: "a")
        case .acceptsLongKeys where key.bytes.count > RecordKey.maximumByteCount: return
        default: break
        }
        let older = try await olderRecord(forKey: key)
        do throws(StoreError) {
            try await base.insert(record, forKey: stored(key))
        } catch {
            guard error.code == .recordTooLarge else { throw error }
            switch defect {
            case .refusesSilently: return
            case .keepsOldRecordAtRefusal: if let older { try await base.insert(older, forKey: key) }
            case .evictsAtRefusal: try await base.removeAll()
            default: break
            }
            throw error
        }
    }

    /// The key's record before a write, if the defect of the store is to put it back.
    private func olderRecord(forKey key: RecordKey) async throws(StoreError) -> Record? {
        guard defect == .keepsOldRecordAtRefusal else { return nil }
        return try await base.record(forKey: key)
    }

    func removeRecord(forKey key: RecordKey) async throws(StoreError) {
        switch defect {
        case .removesNothing: break
        case .removesAllAtARemoval: try await base.removeAll()
        default: try await base.removeRecord(forKey: stored(key))
        }
    }

    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) {
        switch defect {
        case .removesNoTags: break
        case .removesOneTagOfSeveral: try await base.removeRecords(taggedWith: Set(tags.min().map { [$0] } ?? []))
        case .removesTagPrefixes:
            try await base.removeRecords(taggedWith: tags)
            try await base.removeRecords(taggedWith: Set(tags.map { $0 + $0 }))
        default: try await base.removeRecords(taggedWith: tags)
        }
    }

    func removePartition(_ partition: String) async throws(StoreError) {
        switch defect {
        case .removesNoPartition: return
        case .removesSomeOfAPartition: return try await base.removeRecord(forKey: partition == "ann" ? "ann's" : "empty")
        case .removesPartitionAndTag: try await base.removeRecords(taggedWith: partition)
        case .removesPartitionInAnyCase: try await base.removePartition(partition.capitalized)
        default: removedPartitions.update { _ = $0.insert(partition) }
        }
        try await base.removePartition(partition)
    }

    func removeAll() async throws(StoreError) {
        if defect == .removesNotAll { try await base.removeRecord(forKey: "1") } else { try await base.removeAll() }
    }

    func statistics() async throws(StoreError) -> StoreStatistics {
        var statistics = try await base.statistics()
        switch defect {
        case .countsNoHits: statistics.hits = 0
        case .countsNoMisses: statistics.misses = 0
        case .countsReadsOfExpiredRecordsAsHits:
            statistics.hits += statistics.expirations
            statistics.misses -= statistics.expirations
        case .countsReplacementsAsEvictions: statistics.evictions += replacementCount.value
        default: break
        }
        return statistics
    }

    func close() async {
        switch defect {
        case .staysOpen: break
        default: await base.close()
        }
    }

    private func stored(_ key: RecordKey) -> RecordKey {
        switch defect {
        case .normalizesKeys: RecordKey(key.description.precomposedStringWithCanonicalMapping)
        case .truncatesKeysAtNUL: RecordKey(bytes: key.bytes.prefix { $0 != 0 })
        case .ignoresCase: RecordKey(bytes: key.bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
        default: key
        }
    }
}

/// A store that passes every call on, and reports that it is closed.
final class ClosingObserver: RecordStore {
    private let base: any RecordStore
    private let onClose: @Sendable () -> Void

    init(_ base: any RecordStore, onClose: @escaping @Sendable () -> Void) {
        self.base = base
        self.onClose = onClose
    }

    var name: String { base.name }
    func record(forKey key: RecordKey) async throws(StoreError) -> Record? { try await base.record(forKey: key) }
    func insert(_ record: Record, forKey key: RecordKey) async throws(StoreError) { try await base.insert(record, forKey: key) }
    func removeRecord(forKey key: RecordKey) async throws(StoreError) { try await base.removeRecord(forKey: key) }
    func removeRecords(taggedWith tags: Set<String>) async throws(StoreError) { try await base.removeRecords(taggedWith: tags) }
    func removeAll() async throws(StoreError) { try await base.removeAll() }
    func statistics() async throws(StoreError) -> StoreStatistics { try await base.statistics() }

    func close() async {
        await base.close()
        onClose()
    }
}
