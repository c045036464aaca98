// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

@Suite struct EntryCursorTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func filled(_ keys: [String], partition: String? = nil, tags: Set<String> = []) async throws -> DiskStore {
        let store = try workspace.open()
        for key in keys {
            var record = workspace.record(key, tags: tags)
            record.partition = partition
            try await store.insert(record, forKey: RecordKey(key))
        }
        return store
    }

    private func keys(_ cursor: DiskStore.EntryCursor, _ count: Int = .max) async throws -> [String] {
        try await cursor.next(count).map(\.key.description)
    }

    @Test func pagesFollowEachOtherWhateverHappensInBetween() async throws {
        let store = try await filled(["a", "b", "c", "d", "e"])
        let cursor = try await store.entryCursor(order: .key)
        #expect(cursor.count == 5)
        #expect(try await keys(cursor, 2) == ["a", "b"])
        try await store.removeRecord(forKey: "c")
        try await store.insert(workspace.record(), forKey: "bb")
        workspace.clock.advance(by: 9)
        _ = try await store.record(forKey: "e")
        #expect(try await keys(cursor, 0) == [])
        #expect(try await keys(cursor, 2) == ["d", "e"])
        #expect(try await keys(cursor, 2) == [])
        #expect(cursor.count == 5)
    }

    @Test func aPageThatIsLongerThanABatchIsWhole() async throws {
        let store = try await filled((0..<300).map { String(format: "%03d", $0) })
        let cursor = try await store.entryCursor(order: .key)
        cursor.skip(100)
        #expect(try await keys(cursor, 150) == (100..<250).map { String(format: "%03d", $0) })
        #expect(try await keys(cursor, 150).count == 50)
    }

    @Test func usesAreKnownFromMemoryFromTheQueueAndFromOtherStores() async throws {
        let store = try await filled(["a", "b", "c"])
        workspace.clock.advance(by: 5)
        _ = try await store.record(forKey: "a")
        await store.close()
        let reopened = try workspace.open()
        let other = try workspace.open()
        workspace.clock.advance(by: 5)
        _ = try await other.record(forKey: "b")
        try await other.insert(workspace.record(), forKey: "d")
        let entries = try await reopened.entries()
        #expect(entries.map(\.key) == ["d", "b", "a", "c"] || entries.map(\.key) == ["b", "d", "a", "c"])
        let dates = Dictionary(uniqueKeysWithValues: entries.map { ($0.key.description, $0.lastAccess.timeIntervalSince(ManualClock.start)) })
        #expect(dates == ["a": 5, "b": 10, "c": 0, "d": 10])
    }

    @Test func recordsThatAreGoneOrDamagedAreLeftOut() async throws {
        let store = try await filled(["a"], tags: ["t"])
        try await store.insert(workspace.record(), forKey: "b")
        try await store.insert(workspace.record("xyz"), forKey: "c")
        try await store.removeRecords(taggedWith: "t")
        await store.close()
        try workspace.changeDatabase("UPDATE records SET payload = x'00' WHERE length(payload) = 3")
        #expect(try await keys(workspace.open().entryCursor(order: .key)) == ["b"])
    }

    @Test func recordsThatHaveGoneWithATagAndAreNotSweptAreNotListed() async throws {
        let count = WriteTransaction.sweepBatchSize + 10
        let store = try await filled((0..<count).map { "\($0)" }, tags: ["t"])
        await store.close()
        // The state after a process has died between the removal and the sweep.
        try workspace.changeDatabase("INSERT INTO invalidations SELECT tag, (SELECT sequence FROM totals) FROM tags LIMIT 1")
        let reopened = try DiskStore.openExisting(directory: workspace.directory, clock: workspace.clock)
        #expect(try await reopened.statistics().count == count)
        #expect(try await reopened.entryCursor().count == 0)
    }

    @Test func writesThatWaitAreListed() async throws {
        var configuration = workspace.configuration()
        configuration.writeMode = .behind
        let store = try DiskStore(configuration: configuration)
        for number in 0..<50 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        #expect(try await store.entryCursor().count == 50)
    }

    @Test func anEncryptedStoreIsListedToo() async throws {
        var configuration = workspace.configuration()
        configuration.encryptionKey = try .init(identifier: "k", bytes: Array(repeating: 7, count: 32))
        let store = try DiskStore(configuration: configuration)
        for name in ["b", "a"] {
            var record = workspace.record(name)
            record.partition = name
            try await store.insert(record, forKey: RecordKey(name))
        }
        try await store.insert(workspace.record(), forKey: "c")
        #expect(try await keys(store.entryCursor(order: .key)) == ["a", "b", "c"])
        #expect(try await store.entries(order: .key).map(\.partition) == ["a", "b", nil])
        #expect(try await store.entries(order: .key).map(\.payloadByteCount) == [1, 1, 5])
        try await store.removePartition("a")
        #expect(try await keys(store.entryCursor(order: .key)) == ["b", "c"])
    }

    @Test func aCancelledTaskGetsNoCursor() async throws {
        let store = try await filled(["a"])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await store.code { store throws(StoreError) in _ = try await store.entryCursor() }
        }
        #expect(await task.value == .unavailable)
    }

    @Test(arguments: 0..<6) func ordersAndFiltersAgreeWithAModel(number: Int) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let store = try workspace.open()
        var model: [String: DiskStore.EntrySummary] = [:]
        for _ in 0..<120 {
            let key = (0..<Int.random(in: 1...3, using: &generator)).map { _ in ["a", "b", "é"].randomElement(using: &generator) ?? "" }.joined()
            workspace.clock.advance(by: 1)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try await store.removeRecord(forKey: RecordKey(key))
            case 1...3: _ = try await store.record(forKey: RecordKey(key))
            default:
                var record = Record(
                    payload: Data(count: Int.random(in: 0..<5, using: &generator) * 20_000),
                    created: ManualClock.start + Double(Int.random(in: 0..<200, using: &generator)),
                    freshUntil: Bool.random(using: &generator) ? ManualClock.start + Double(Int.random(in: 0..<300, using: &generator)) : nil,
                    tags: Bool.random(using: &generator) ? [["\u{E9}", "e\u{301}"].randomElement(using: &generator) ?? ""] : [],
                    contentType: ["text/plain", "Text/HTML", "image/png", nil].randomElement(using: &generator) ?? nil
                )
                record.staleUntil = Bool.random(using: &generator) ? ManualClock.start + 1000 : nil
                try await store.insert(record, forKey: RecordKey(key))
            }
        }
        for entry in try await store.entries(limit: .max) { model[entry.key.description] = entry }
        #expect(model.count == (try await store.statistics().count), "seed \(seed)")
        workspace.clock.advance(by: Double(Int.random(in: 0..<2000, using: &generator)))
        let now = workspace.clock.now()

        func check(_ filter: DiskStore.EntryFilter, _ order: DiskStore.EntryOrder, _ isIn: (DiskStore.EntrySummary) -> Bool) async throws {
            let listed = try await store.entries(limit: .max, order: order, matching: filter)
            #expect(Set(listed.map(\.key.description)) == Set(model.values.filter(isIn).map(\.key.description)), "seed \(seed)")
            for (first, second) in zip(listed, listed.dropFirst()) {
                let isInOrder =
                    switch order {
                    case .largest: first.payloadByteCount >= second.payloadByteCount
                    case .newest: first.created >= second.created
                    case .oldest: first.created <= second.created
                    case .expiringSoonest: (first.staleUntil ?? .distantFuture) <= (second.staleUntil ?? .distantFuture)
                    case .key: first.key.bytes.lexicographicallyPrecedes(second.key.bytes)
                    default: true
                    }
                #expect(isInOrder, "seed \(seed)")
            }
        }
        var filter = DiskStore.EntryFilter.all
        try await check(filter, .largest) { _ in true }
        filter.minimumPayloadBytes = 20_000
        filter.maximumPayloadBytes = 60_000
        try await check(filter, .newest) { 20_000...60_000 ~= $0.payloadByteCount }
        filter = .all
        filter.tag = "e\u{301}"
        filter.contentTypePrefix = "TEXT/"
        try await check(filter, .oldest) { $0.tags == ["\u{E9}"] && $0.contentType?.lowercased().hasPrefix("text/") == true }
        filter = .all
        filter.keyPrefix = Array("a".utf8)
        filter.keySubstring = Array("bé".utf8)
        try await check(filter, .key) { $0.key.description.hasPrefix("a") && $0.key.description.contains("bé") }
        filter = .all
        for freshness in [DiskStore.EntryFilter.Freshness.fresh, .stale, .expired] {
            filter.freshness = freshness
            try await check(filter, .expiringSoonest) { entry in
                let isExpired = entry.staleUntil.map { $0 <= now } ?? false
                let isStale = entry.freshUntil.map { $0 <= now } ?? false
                return freshness == (isExpired ? .expired : isStale ? .stale : .fresh)
            }
        }
        filter = .all
        filter.partition = "nowhere"
        try await check(filter, .leastRecentlyUsed) { _ in false }
        let forwards = try await store.entries(limit: .max, order: .mostRecentlyUsed).map(\.key)
        #expect(try await store.entries(limit: .max, order: .leastRecentlyUsed).map(\.key) == forwards.reversed(), "seed \(seed)")
    }
}
