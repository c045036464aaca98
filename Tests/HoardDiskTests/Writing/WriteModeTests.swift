// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Reads of values whose writes have no waiting caller.
@Suite struct WriteModeTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func record(_ text: String, tags: Set<String> = [], partition: String? = nil) -> Record {
        var record = workspace.record(text, tags: tags)
        record.partition = partition
        return record
    }

    @Test func aWriteBehindIsReadBeforeItIsCommitted() async throws {
        let store = try workspace.open()
        let hold = WriterHold(store)
        try await store.insert(record("new"), forKey: "key", mode: .behind)
        #expect(try store.countedTotals().count == 0)
        #expect(try await store.record(forKey: "key") == record("new"))
        #expect(try await store.peekText("key") == "new")
        hold.release()
        await store.flush()
        #expect(try store.countedTotals().count == 1)
        #expect(try await store.peekText("key") == "new")
    }

    @Test func theStoresModeIsUsedUnlessTheWriteHasItsOwn() async throws {
        let store = try workspace.open { $0.writeMode = .behind }
        let hold = WriterHold(store)
        try await store.insert(record("behind"), forKey: "behind")
        #expect(try await store.peekText("behind") == "behind")
        hold.release()
        try await store.insert(record("durable"), forKey: "durable", mode: .durable)
        #expect(try store.countedTotals().count == 2)
    }

    @Test func aLargePayloadBehindIsReadBeforeAndAfterItsCommit() async throws {
        let store = try workspace.open()
        let large = workspace.record(byteCount: 300_000)
        let hold = WriterHold(store)
        try await store.insert(large, forKey: "key", mode: .behind)
        #expect(try await store.peekRecord(forKey: "key") == large)
        hold.release()
        await store.flush()
        #expect(try await store.peekRecord(forKey: "key") == large)
        #expect(try workspace.payloadFiles().count == 1)
    }

    @Test func theLatestOfSeveralWritesBehindCounts() async throws {
        let store = try workspace.open()
        try await store.insert(record("0"), forKey: "key")
        let hold = WriterHold(store)
        for number in 1...5 {
            try await store.insert(record("\(number)"), forKey: "key", mode: .behind)
            #expect(try await store.peekText("key") == "\(number)")
        }
        hold.release()
        await store.flush()
        #expect(try await store.peekText("key") == "5")
        #expect(try store.countedTotals().count == 1)
        #expect(try store.rowCount(of: "recency") <= 2)
    }

    @Test func onlyTheLastOfSeveralLargeWritesBehindLeavesAFile() async throws {
        let store = try workspace.open()
        let hold = WriterHold(store)
        for number in 1...4 {
            try await store.insert(workspace.record(byteCount: 100_000, seed: UInt8(number)), forKey: "key", mode: .behind)
        }
        hold.release()
        await store.flush()
        #expect(try await store.peekRecord(forKey: "key") == workspace.record(byteCount: 100_000, seed: 4))
        let workspace = workspace
        try await waitUntil { try workspace.payloadFiles().count == 1 }
    }

    @Test func aRemovalThatWaitsHidesWhatWasWrittenBefore() async throws {
        let store = try workspace.open()
        try await store.insert(record("old"), forKey: "old")
        let hold = WriterHold(store)
        try await store.insert(record("new"), forKey: "new", mode: .behind)
        async let first: Void = store.removeRecord(forKey: "old")
        async let second: Void = store.removeRecord(forKey: "new")
        try await waitUntil { try await store.peekText("old") == nil }
        try await waitUntil { try await store.peekText("new") == nil }
        try await store.insert(record("newer"), forKey: "new", mode: .behind)
        #expect(try await store.peekText("new") == "newer")
        hold.release()
        try await first
        try await second
        await store.flush()
        #expect(try await store.peekText("old") == nil)
        #expect(try await store.peekText("new") == "newer")
    }

    @Test func aTagRemovalThatWaitsHidesEarlierRecordsAndNoLaterOnes() async throws {
        let store = try workspace.open()
        try await store.insert(record("committed", tags: ["tag"]), forKey: "committed")
        let hold = WriterHold(store)
        try await store.insert(record("before", tags: ["tag", "other"]), forKey: "before", mode: .behind)
        try await store.insert(record("untouched", tags: ["other"]), forKey: "untouched", mode: .behind)
        async let removal: Void = store.removeRecords(taggedWith: "tag")
        try await waitUntil { try await store.peekText("committed") == nil }
        #expect(try await store.peekText("before") == nil)
        #expect(try await store.peekText("untouched") == "untouched")
        try await store.insert(record("after", tags: ["tag"]), forKey: "after", mode: .behind)
        try await store.insert(record("again", tags: ["tag"]), forKey: "before", mode: .behind)
        #expect(try await store.peekText("after") == "after")
        #expect(try await store.peekText("before") == "again")
        hold.release()
        try await removal
        await store.flush()
        #expect(try await store.peekText("committed") == nil)
        #expect(try await store.peekText("before") == "again")
        #expect(try await store.peekText("after") == "after")
        #expect(try await store.peekText("untouched") == "untouched")
        #expect(try store.countedTotals().count == 3)
    }

    @Test func aPartitionRemovalThatWaitsHidesEarlierRecordsAndNoLaterOnes() async throws {
        let store = try workspace.open()
        try await store.insert(record("committed", partition: "user"), forKey: "committed")
        let hold = WriterHold(store)
        try await store.insert(record("before", partition: "user"), forKey: "before", mode: .behind)
        try await store.insert(record("other", tags: ["user"], partition: "other"), forKey: "other", mode: .behind)
        async let removal: Void = store.removePartition("user")
        try await waitUntil { try await store.peekText("committed") == nil }
        #expect(try await store.peekText("before") == nil)
        #expect(try await store.peekText("other") == "other")
        try await store.insert(record("after", partition: "user"), forKey: "after", mode: .behind)
        #expect(try await store.peekText("after") == "after")
        hold.release()
        try await removal
        await store.flush()
        #expect(try await store.peekText("committed") == nil)
        #expect(try await store.peekText("before") == nil)
        #expect(try await store.peekText("after") == "after")
        #expect(try await store.peekText("other") == "other")
    }

    @Test func removingEverythingHidesEarlierRecordsAndNoLaterOnes() async throws {
        let store = try workspace.open()
        try await store.insert(record("committed"), forKey: "committed")
        let hold = WriterHold(store)
        try await store.insert(record("before"), forKey: "before", mode: .behind)
        async let removal: Void = store.removeAll()
        try await waitUntil { try await store.peekText("committed") == nil }
        #expect(try await store.peekText("before") == nil)
        try await store.insert(record("after"), forKey: "after", mode: .behind)
        #expect(try await store.peekText("after") == "after")
        hold.release()
        try await removal
        await store.flush()
        #expect(try await store.peekText("committed") == nil)
        #expect(try await store.peekText("before") == nil)
        #expect(try await store.peekText("after") == "after")
        #expect(try await store.statistics().count == 1)
    }

    @Test func aWriteBehindThatExpiresWhileItWaitsIsAMiss() async throws {
        let store = try workspace.open()
        let hold = WriterHold(store)
        try await store.insert(workspace.record("short", freshFor: 10), forKey: "key", mode: .behind)
        #expect(try await store.peekText("key") == "short")
        workspace.clock.advance(by: 11)
        #expect(try await store.peekText("key") == nil)
        #expect(try await store.record(forKey: "key") == nil)
        hold.release()
        await store.flush()
        #expect(try await store.peekText("key") == nil)
    }

    @Test func aRecordThatIsTooLargeIsRefusedInBothModesAndTakesTheOldOne() async throws {
        let store = try workspace.open(maximumBytes: 2000)
        for mode in [DiskStore.WriteMode.durable, .behind] {
            try await store.insert(record("old"), forKey: "key")
            let large = workspace.record(byteCount: 3000)
            #expect(await store.code { store throws(StoreError) in try await store.insert(large, forKey: "key", mode: mode) } == .recordTooLarge)
            #expect(try await store.peekText("key") == nil)
        }
        #expect(try await store.statistics().refusals == 2)
    }

    @Test func useOfARecordThatWaitsCountsForEviction() async throws {
        let store = try workspace.open(maximumCount: 2)
        let hold = WriterHold(store)
        try await store.insert(record("a"), forKey: "a", mode: .behind)
        try await store.insert(record("b"), forKey: "b", mode: .behind)
        hold.release()
        await store.flush()
        _ = try await store.record(forKey: "a")
        try await store.insert(record("c"), forKey: "c", mode: .behind)
        await store.flush()
        #expect(try await store.peekText("a") == "a")
        #expect(try await store.peekText("b") == nil)
        #expect(try await store.peekText("c") == "c")
    }
}
