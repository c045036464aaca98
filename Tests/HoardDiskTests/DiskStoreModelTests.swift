// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Runs random operations on a store and on a plain dictionary, and compares them after each.
@Suite struct DiskStoreModelTests {
    /// The contents of a store with limits: records in the order of their use, with the least recently used first.
    private struct Model {
        struct Entry {
            var key: RecordKey
            var record: Record
            var charge: Int
        }

        var limits: RecordLimits
        var entries: [Entry] = []
        var statistics = StoreStatistics()

        private var totals: RecordTotals { RecordTotals(count: entries.count, bytes: entries.map(\.charge).reduce(0, +)) }

        func peek(_ key: RecordKey) -> Record? {
            entries.first { $0.key == key }?.record
        }

        mutating func expire(at now: Date) {
            entries.removeAll { $0.record.isExpired(at: now) }
        }

        mutating func read(_ key: RecordKey, at now: Date) -> Record? {
            guard let index = entries.firstIndex(where: { $0.key == key }) else {
                statistics.misses += 1
                return nil
            }
            statistics.hits += 1
            var entry = entries.remove(at: index)
            let found = entry.record
            entry.record.lastAccess = now
            entries.append(entry)
            return found
        }

        /// Whether the record is stored.
        mutating func insert(_ record: Record, _ key: RecordKey) -> Bool {
            remove(key)
            let texts = Array(record.tags) + [record.validator, record.contentType].compactMap { $0 }
            let dates = [record.created, record.freshUntil, record.staleUntil, record.lastAccess == record.created ? nil : record.lastAccess]
            let lengths = [key.bytes.count, record.payload.count].map { $0 < 128 ? 1 : $0 < 16_384 ? 2 : 3 }
            var header = 3 + 8 * dates.count { $0 != nil } + (record.schemaFingerprint == 0 ? 0 : 8) + lengths.reduce(0, +) + key.bytes.count
            header += texts.map { $0.utf8.count + 4 }.reduce(0, +) + (record.tags.isEmpty ? 0 : 2)
            let charge = header + record.payload.count + 32 * record.tags.count + DiskStore.bytesChargedPerRecord
            guard limits.allow(RecordTotals(count: 1, bytes: charge)) else {
                statistics.refusals += 1
                return false
            }
            statistics.insertions += 1
            entries.append(Entry(key: key, record: record, charge: charge))
            while !limits.allow(totals) {
                entries.removeFirst()
                statistics.evictions += 1
            }
            return true
        }

        mutating func remove(_ key: RecordKey) {
            entries.removeAll { $0.key == key }
        }
    }

    private static let keys = (0..<12).map { RecordKey("key \($0)") }
    private static let tags = ["red", "green", "blue"]

    @Test(
        arguments: [
            (1, RecordLimits(maximumCount: 5, maximumBytes: nil)),
            (2, RecordLimits(maximumCount: nil, maximumBytes: 6000)),
            (3, RecordLimits(maximumCount: 6, maximumBytes: 6000)),
            (4, RecordLimits(maximumCount: 1, maximumBytes: nil)),
            (5, RecordLimits(maximumCount: nil, maximumBytes: nil)),
            (6, RecordLimits(maximumCount: 8, maximumBytes: 12_000)),
        ] as [(UInt64, RecordLimits)]
    )
    func aStoreBehavesLikeADictionaryWithLimits(seed: UInt64, limits: RecordLimits) async throws {
        let workspace = try Workspace()
        var generator = SeededGenerator(seed: seed)
        var model = Model(limits: limits)
        var store = try workspace.open(maximumCount: limits.maximumCount, maximumBytes: limits.maximumBytes)

        for step in 0..<400 {
            let place: Comment = "seed \(seed), step \(step)"
            let key = try #require(Self.keys.randomElement(using: &generator))
            let now = workspace.clock.now()
            model.expire(at: now)
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<40:
                let record = randomRecord(at: now, using: &generator)
                let isStored = model.insert(record, key)
                let code = await store.code { store throws(StoreError) in try await store.insert(record, forKey: key) }
                #expect(code == (isStored ? nil : .recordTooLarge), place)
            case 40..<75:
                let expected = model.read(key, at: now)
                expectEqual(try await store.record(forKey: key), expected, place)
            case 75..<80:
                model.remove(key)
                try await store.removeRecord(forKey: key)
            case 80..<83:
                let tag = try #require(Self.tags.randomElement(using: &generator))
                model.entries.removeAll { $0.record.tags.contains(tag) }
                try await store.removeRecords(taggedWith: tag)
            case 83:
                model.entries.removeAll()
                try await store.removeAll()
            case 84..<88:
                try check(await store.statistics(), of: store, against: model, place)
                await store.close()
                store = try workspace.open(maximumCount: limits.maximumCount, maximumBytes: limits.maximumBytes)
                model.statistics = StoreStatistics()
            default:
                workspace.clock.advance(by: Double.random(in: 0...20, using: &generator))
                model.expire(at: workspace.clock.now())
            }
            for key in Self.keys {
                expectEqual(try await store.peekRecord(forKey: key), model.peek(key), place)
            }
            try check(await store.statistics(), of: store, against: model, place)
        }
        #expect(try await store.statistics().corruptions == 0)
    }

    /// Compares two records. The store notes uses by the microsecond, and puts some microseconds between
    /// them while the clock stands still.
    private func expectEqual(_ found: Record?, _ expected: Record?, _ place: Comment) {
        var found = found
        if let expected, let lastAccess = found?.lastAccess, abs(lastAccess.timeIntervalSince(expected.lastAccess)) < 0.001 {
            found?.lastAccess = expected.lastAccess
        }
        #expect(found == expected, place)
    }

    private func check(_ statistics: StoreStatistics, of store: DiskStore, against model: Model, _ place: Comment) throws {
        #expect(statistics.count >= model.entries.count, place)
        #expect(model.limits.allow(RecordTotals(count: statistics.count, bytes: statistics.bytes)), place)
        #expect(try store.countedTotals() == RecordTotals(count: statistics.count, bytes: statistics.bytes), place)
        #expect(statistics.hits == model.statistics.hits, place)
        #expect(statistics.misses == model.statistics.misses, place)
        #expect(statistics.insertions == model.statistics.insertions, place)
        #expect(statistics.refusals == model.statistics.refusals, place)
        #expect(statistics.evictions == model.statistics.evictions, place)
    }

    private func randomRecord(at now: Date, using generator: inout SeededGenerator) -> Record {
        let payload = (0..<Int.random(in: 0...3000, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let lifetime: TimeInterval? = Bool.random(using: &generator) ? nil : Double.random(in: 1...200, using: &generator)
        return Record(
            // Sometimes a payload that no limit of these tests admits.
            payload: Data(Int.random(in: 0..<30, using: &generator) == 0 ? payload + [UInt8](repeating: 1, count: 12_000) : payload),
            created: now,
            freshUntil: lifetime.map { now + $0 },
            tags: Set(Self.tags.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }),
            validator: Bool.random(using: &generator) ? "\"\(payload.count)\"" : nil,
            contentType: Bool.random(using: &generator) ? "application/octet-stream" : nil,
            schemaFingerprint: UInt64.random(in: 0...(.max), using: &generator)
        )
    }
}
