// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

@Suite struct DiskStoreLimitsTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    /// The keys that the store holds, with the least recently used first.
    private func keys(of store: DiskStore) async throws -> [String] {
        try await store.entries(order: .leastRecentlyUsed).map(\.key.description)
    }

    private func charge(key: String, payload: Int) -> Int {
        (payload < 128 ? 13 : payload < 16_384 ? 14 : 15) + key.utf8.count + payload + DiskStore.bytesChargedPerRecord
    }

    @Test func theLeastRecentlyUsedRecordLeavesFirst() async throws {
        let store = try workspace.open(maximumCount: 3)
        for key in ["a", "b", "c"] { try await store.insert(workspace.record(), forKey: RecordKey(key)) }
        _ = try await store.record(forKey: "a")
        try await store.insert(workspace.record(), forKey: "d")
        #expect(try await keys(of: store) == ["c", "a", "d"])
        try await store.insert(workspace.record(), forKey: "c")
        try await store.insert(workspace.record(), forKey: "e")
        #expect(try await keys(of: store) == ["d", "c", "e"])
        #expect(try await store.statistics().evictions == 2)
    }

    @Test func recencyHoldsThoughTheClockGoesBack() async throws {
        let store = try workspace.open(maximumCount: 2)
        try await store.insert(workspace.record(), forKey: "a")
        try await store.insert(workspace.record(), forKey: "b")
        workspace.clock.advance(by: -86_400)
        _ = try await store.record(forKey: "a")
        try await store.insert(workspace.record(), forKey: "c")
        #expect(try await keys(of: store) == ["a", "c"])
    }

    @Test func recencySurvivesClosing() async throws {
        let store = try workspace.open(maximumCount: 3)
        for key in ["a", "b", "c"] { try await store.insert(workspace.record(), forKey: RecordKey(key)) }
        _ = try await store.record(forKey: "a")
        await store.close()
        workspace.clock.advance(by: -86_400)
        let reopened = try workspace.open(maximumCount: 3)
        _ = try await reopened.record(forKey: "b")
        try await reopened.insert(workspace.record(), forKey: "d")
        #expect(try await keys(of: reopened) == ["a", "b", "d"])
    }

    @Test func recencySurvivesAStoreThatIsReleasedWithoutBeingClosed() async throws {
        var store: DiskStore? = try workspace.open()
        for key in ["a", "b"] { try await store?.insert(workspace.record(), forKey: RecordKey(key)) }
        _ = try await store?.record(forKey: "a")
        store = nil
        #expect(try await keys(of: workspace.open()) == ["b", "a"])
    }

    @Test func bytesAreChargedForKeyPayloadAndMetadata() async throws {
        let store = try workspace.open()
        let record = Record(payload: Data(count: 100), created: ManualClock.start, tags: ["tag"], validator: "1234", contentType: "t/p")
        try await store.insert(record, forKey: "key")
        // The charge has a fixed part, two bytes for the number of tags, three texts with their lengths, and 32 bytes for the tag's row.
        #expect(try await store.statistics().bytes == 3 + 100 + 13 + 2 + (3 + 4) + (4 + 4) + (3 + 4) + 32 + DiskStore.bytesChargedPerRecord)
        #expect(try await store.entries().map(\.chargedByteCount) == [try await store.statistics().bytes])
    }

    @Test func bytesAreEvictedExactlyAsFarAsNeeded() async throws {
        let one = charge(key: "a", payload: 1000)
        let store = try workspace.open(maximumBytes: 3 * one)
        for key in ["a", "b", "c"] {
            try await store.insert(Record(payload: Data(count: 1000), created: ManualClock.start), forKey: RecordKey(key))
        }
        #expect(try await store.statistics().bytes == 3 * one)
        try await store.insert(Record(payload: Data(count: 1001), created: ManualClock.start), forKey: "d")
        #expect(try await keys(of: store) == ["c", "d"])
        #expect(try await store.statistics().bytes == 2 * one + 1)
        #expect(try await store.statistics().evictions == 2)
    }

    @Test func expiredRecordsLeaveBeforeLiveOnes() async throws {
        let store = try workspace.open(maximumCount: 3)
        try await store.insert(workspace.record(), forKey: "old but live")
        try await store.insert(workspace.record(freshFor: 5), forKey: "expired")
        try await store.insert(workspace.record(freshFor: 50), forKey: "live")
        workspace.clock.advance(by: 5)
        try await store.insert(workspace.record(), forKey: "new")
        #expect(try await keys(of: store) == ["old but live", "live", "new"])
        let statistics = try await store.statistics()
        #expect(statistics.expirations == 1)
        #expect(statistics.evictions == 0)
    }

    @Test func aRecordThatNeverFitsIsRefusedAndTakesOnlyItsOwnOlderVersionWithIt() async throws {
        let store = try workspace.open(maximumBytes: 2000)
        try await store.insert(workspace.record("a"), forKey: "a")
        try await store.insert(workspace.record("b"), forKey: "b")
        let tooLarge = Record(payload: Data(count: 2000), created: ManualClock.start)
        #expect(await store.code { store throws(StoreError) in try await store.insert(tooLarge, forKey: "a") } == .recordTooLarge)
        #expect(try await keys(of: store) == ["b"])
        let statistics = try await store.statistics()
        #expect(statistics.refusals == 1)
        #expect(statistics.evictions == 0)
        #expect(statistics.insertions == 2)
    }

    @Test func aRecordThatFitsExactlyIsStored() async throws {
        let store = try workspace.open(maximumBytes: charge(key: "a", payload: 1000))
        try await store.insert(Record(payload: Data(count: 1000), created: ManualClock.start), forKey: "a")
        #expect(try await keys(of: store) == ["a"])
        let tooLarge = Record(payload: Data(count: 1001), created: ManualClock.start)
        #expect(await store.code { store throws(StoreError) in try await store.insert(tooLarge, forKey: "a") } == .recordTooLarge)
        #expect(try await keys(of: store) == [])
    }

    @Test(arguments: [(0, nil), (nil, 0), (-5, nil), (nil, -1)] as [(Int?, Int?)])
    func aStoreOfNothingRefusesEverything(maximumCount: Int?, maximumBytes: Int?) async throws {
        let store = try workspace.open(maximumCount: maximumCount, maximumBytes: maximumBytes)
        let record = workspace.record("")
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "") } == .recordTooLarge)
        #expect(try await store.record(forKey: "") == nil)
        let statistics = try await store.statistics()
        #expect(statistics.refusals == 1)
        #expect(statistics.count == 0)
        #expect(statistics.maximumCount == maximumCount.map { _ in 0 })
        #expect(statistics.maximumBytes == maximumBytes.map { _ in 0 })
    }

    @Test func aStoreReopenedWithLowerLimitsShrinksAtOnce() async throws {
        let store = try workspace.open()
        for number in 0..<200 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)")) }
        await store.close()
        let reopened = try workspace.open(maximumCount: 3)
        #expect(try await keys(of: reopened) == ["197", "198", "199"])
        #expect(try await reopened.statistics().evictions == 197)
        #expect(try reopened.rowCount(of: "records") == 3)
    }

    @Test func usesAreWrittenOnceThereAreManyEvenIfNothingIsInserted() async throws {
        let store = try workspace.open()
        let record = workspace.record("v")
        let session = try store.core.session()
        let count = session.memory.withLock { $0.index.useCapacity }
        try await store.core.commit(
            .perform { transaction in
                for number in 0..<count { try transaction.insert(store.core.stored(record, RecordKey("\(number)"), session)) }
            }
        )
        workspace.clock.advance(by: 60)
        for number in 0..<(count - 1) { _ = try await store.record(forKey: RecordKey("\(number)")) }
        #expect(session.memory.withLock { $0.index.uses.count } == count - 1)
        _ = try await store.record(forKey: RecordKey("\(count - 1)"))
        await store.flush()
        #expect(try store.countOnWriter("SELECT COUNT(*) FROM recency WHERE stamp & 1 = 1") == count)
        #expect(session.memory.withLock { $0.index.uses.isEmpty })
    }

    @Test func spaceIsGivenBackWhileTheStoreIsOpen() async throws {
        let store = try workspace.open()
        for number in 0..<3000 {
            let record = Record(payload: Data(repeating: 7, count: 4000), created: ManualClock.start, tags: ["tag"])
            try await store.insert(record, forKey: RecordKey("\(number)"), mode: .behind)
        }
        await store.flush()
        let full = try #require(try store.countOnWriter("PRAGMA page_count"))
        #expect(full > 3000)
        // The store removes the first rows at once, and the others step by step.
        try await store.removeRecords(taggedWith: "tag")
        try await waitUntil { (try? store.countOnWriter("SELECT COUNT(*) FROM records")) == 0 }
        #expect(try #require(try store.countOnWriter("PRAGMA page_count")) < full / 2)
    }

    @Test func theLastAccessIsTheUseBefore() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record(), forKey: "key")
        workspace.clock.advance(by: 10)
        #expect(try await store.record(forKey: "key")?.lastAccess == ManualClock.start)
        workspace.clock.advance(by: 10)
        #expect(try await store.record(forKey: "key")?.lastAccess == ManualClock.start + 10)
        await store.close()
        workspace.clock.advance(by: 10)
        #expect(try await workspace.open().record(forKey: "key")?.lastAccess == ManualClock.start + 20)
    }

    @Test func readingChangesNoDateOfIdentityOrFreshness() async throws {
        let store = try workspace.open()
        let record = Record(
            payload: Data([1]),
            created: ManualClock.start - 50,
            freshUntil: ManualClock.start + 50,
            staleUntil: .date(ManualClock.start + 100)
        )
        try await store.insert(record, forKey: "key")
        for _ in 0..<9 {
            workspace.clock.advance(by: 10)
            let found = try #require(try await store.record(forKey: "key"))
            #expect(found.created == record.created)
            #expect(found.freshUntil == record.freshUntil)
            #expect(found.staleUntil == record.staleUntil)
            try await store.insert(workspace.record(), forKey: "another, so that the uses are written")
        }
        workspace.clock.advance(by: 10)
        #expect(try await store.record(forKey: "key") == nil)
    }

    @Test func totalsThatAreWrongAreCountedAnew() async throws {
        let store = try workspace.open(maximumCount: 5)
        try await store.insert(workspace.record(), forKey: "a")
        await store.close()
        try workspace.changeDatabase("UPDATE totals SET count = -3, bytes = 1 << 60")
        let reopened = try workspace.open(maximumCount: 5)
        #expect(try await reopened.statistics().count == reopened.countedTotals().count)
        #expect(try await reopened.statistics().bytes == reopened.countedTotals().bytes)
    }
}
