// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct EntriesTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func keys(_ store: DiskStore, _ order: DiskStore.EntryOrder) async throws -> [String] {
        try await store.entries(order: order).map(\.key.description)
    }

    /// A store with three records that each order sorts differently.
    private func storeOfThree() async throws -> DiskStore {
        let store = try workspace.open()
        let now = ManualClock.start
        try await store.insert(Record(payload: Data(count: 2), created: now - 1, freshUntil: now + 50), forKey: "b")
        try await store.insert(Record(payload: Data(count: 3), created: now - 9), forKey: "c")
        try await store.insert(Record(payload: Data(count: 1), created: now - 5, freshUntil: now + 10), forKey: "a")
        return store
    }

    @Test func entriesTellEverythingButThePayload() async throws {
        let store = try workspace.open()
        let record = Record(
            payload: Data(count: 123),
            created: ManualClock.start - 5,
            freshUntil: ManualClock.start + 5,
            staleUntil: .date(ManualClock.start + 9),
            tags: ["t"],
            validator: "v",
            contentType: "c"
        )
        try await store.insert(record, forKey: "key")
        let entry = try #require(try await store.entries().first)
        #expect(entry.key == "key")
        #expect(entry.payloadByteCount == 123)
        #expect(entry.chargedByteCount == (try await store.statistics().bytes))
        #expect(entry.created == record.created)
        #expect(entry.freshUntil == record.freshUntil)
        #expect(entry.staleUntil == record.staleUntil)
        #expect(entry.lastAccess == record.lastAccess)
        #expect(entry.tags == ["t"])
        #expect(entry.validator == "v")
        #expect(entry.contentType == "c")
        #expect(entry.partition == nil)
        #expect(entry.storedByteCount == 123)
        #expect(!entry.isCompressed)
        #expect(!entry.isInFile)
    }

    @Test func entriesTellHowTheirPayloadsAreStored() async throws {
        var configuration = workspace.configuration()
        configuration.compression = .zlib(level: 9)
        configuration.maximumInlinePayloadBytes = 10_000
        let store = try DiskStore(configuration: configuration)
        var compressed = workspace.record(String(repeating: "abc", count: 1000))
        compressed.partition = "tenant"
        try await store.insert(compressed, forKey: "compressed")
        var filed = workspace.record(String(repeating: "abc", count: 5000))
        filed.contentType = "image/png"
        try await store.insert(filed, forKey: "filed")
        let entries = try await store.entries(order: .key)
        #expect(entries.map(\.key) == ["compressed", "filed"])
        #expect(entries.map(\.isCompressed) == [true, false])
        #expect(entries.map(\.isInFile) == [false, true])
        #expect(entries.map(\.payloadByteCount) == [3000, 15_000])
        #expect(entries.map(\.partition) == ["tenant", nil])
        let stored = try #require(entries.first?.storedByteCount)
        #expect(stored > 0 && stored < 300)
        #expect(entries.last?.storedByteCount == 15_000)
    }

    @Test func oneEntryIsFoundByItsKey() async throws {
        let store = try await storeOfThree()
        workspace.clock.advance(by: 5)
        _ = try await store.record(forKey: "b")
        let statistics = try await store.statistics()
        let entry = try #require(try await store.entry(forKey: "b"))
        #expect(entry.payloadByteCount == 2)
        #expect(entry.lastAccess == ManualClock.start + 5)
        #expect(try await store.entry(forKey: "missing") == nil)
        #expect(try await store.statistics() == statistics)
        await #expect(
            store.code { store throws(StoreError) in _ = try await store.entry(forKey: RecordKey(bytes: Array(repeating: 0, count: 1 << 17))) }
                == .keyTooLong
        )
        await store.close()
        await #expect(store.code { store throws(StoreError) in _ = try await store.entry(forKey: "b") } == .closed)
        await #expect(store.code { store throws(StoreError) in _ = try await store.entries() } == .closed)
    }

    @Test func entriesComeInTheOrderAskedFor() async throws {
        let store = try await storeOfThree()
        #expect(try await keys(store, .leastRecentlyUsed) == ["b", "c", "a"])
        #expect(try await keys(store, .mostRecentlyUsed) == ["a", "c", "b"])
        #expect(try await keys(store, .largest) == ["c", "b", "a"])
        #expect(try await keys(store, .newest) == ["b", "a", "c"])
        #expect(try await keys(store, .expiringSoonest) == ["a", "b", "c"])
        #expect(try await keys(store, .key) == ["a", "b", "c"])
        #expect(try await keys(store, .oldest) == ["c", "a", "b"])
        #expect(try await keys(store, .key.reversed) == ["c", "b", "a"])
        #expect(try await keys(store, .largest.reversed) == ["a", "b", "c"])
        #expect(DiskStore.EntryOrder.newest.reversed == .oldest)
    }

    @Test func entriesComeInPages() async throws {
        let store = try await storeOfThree()
        #expect(try await store.entries(limit: 2, order: .key).map(\.key) == ["a", "b"])
        #expect(try await store.entries(limit: 2, offset: 2, order: .key).map(\.key) == ["c"])
        #expect(try await store.entries(limit: 2, offset: 3, order: .key) == [])
        #expect(try await store.entries(limit: 0) == [])
        #expect(try await store.entries(limit: -1) == [])
        #expect(try await store.entries(limit: .max, offset: -7).count == 3)
    }

    @Test func entriesIncludeUsesThatAreStillInMemory() async throws {
        let store = try await storeOfThree()
        workspace.clock.advance(by: 5)
        _ = try await store.record(forKey: "b")
        let first = try #require(try await store.entries(limit: 1).first)
        #expect(first.key == "b")
        #expect(first.lastAccess == ManualClock.start + 5)
    }

    @Test func expiredEntriesAreListedUntilTheyAreRemoved() async throws {
        let store = try await storeOfThree()
        workspace.clock.advance(by: 10)
        #expect(try await store.entries().count == 3)
        _ = try await store.record(forKey: "a")
        #expect(try await keys(store, .key) == ["b", "c"])
    }

    @Test func peekingIsNoUse() async throws {
        let store = try await storeOfThree()
        workspace.clock.advance(by: 5)
        let before = try await store.statistics()
        #expect(try await store.peekRecord(forKey: "b")?.payload == Data(count: 2))
        #expect(try await store.peekRecord(forKey: "missing") == nil)
        #expect(try await store.statistics() == before)
        #expect(try await keys(store, .leastRecentlyUsed) == ["b", "c", "a"])
        #expect(try await store.peekRecord(forKey: "b")?.lastAccess == ManualClock.start - 1)
    }

    @Test func listingIsNoUse() async throws {
        let store = try await storeOfThree()
        let before = try await store.statistics()
        _ = try await store.entries()
        #expect(try await store.statistics() == before)
    }
}
