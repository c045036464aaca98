// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Testing

@testable import HoardDisk

/// Failed writes that no caller waited for.
@Suite struct LostWritesTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func large(_ seed: UInt8 = 1) -> Record { workspace.record(byteCount: 1 << 20, seed: seed) }

    @Test func aLostWriteLeavesItsKeyAMissAndNeverTheOldRecord() async throws {
        let store = try workspace.open(keepsInline: true)
        try await store.insert(workspace.record("old"), forKey: "key")
        try store.limitPages(to: 30)
        try await store.insert(large(), forKey: "key", mode: .behind)
        await store.flush()
        #expect(try await store.peekText("key") == nil)
        #expect(try await store.record(forKey: "key") == nil)
        #expect(workspace.events.kinds == [.diskFull, .writeLost])
        try store.limitPages(to: 100_000)
        #expect(try await store.peekText("key") == nil)
        // The next write finds that there is room again. The store then removes the old record.
        try await store.insert(workspace.record("other"), forKey: "other")
        await store.flush()
        #expect(workspace.events.kinds == [.diskFull, .writeLost, .diskRecovered])
        #expect(try await store.peekText("key") == nil)
        #expect(try await store.peekText("other") == "other")
        #expect(try store.countedTotals().count == 1)
        await store.close()
        #expect(try await workspace.open().peekText("key") == nil)
    }

    @Test func aLostWriteIsForgottenWhenTheKeyIsWrittenAgain() async throws {
        let store = try workspace.open(keepsInline: true)
        try await store.insert(workspace.record("old"), forKey: "key")
        try store.limitPages(to: 30)
        try await store.insert(large(), forKey: "key", mode: .behind)
        await store.flush()
        try store.limitPages(to: 100_000)
        for mode in [DiskStore.WriteMode.durable, .behind] {
            try await store.insert(workspace.record("new"), forKey: "key", mode: mode)
            await store.flush()
            #expect(try await store.peekText("key") == "new")
        }
        try await store.insert(workspace.record(), forKey: "other")
        await store.flush()
        #expect(try await store.peekText("key") == "new")
    }

    @Test func onlyWhatDoesNotFitIsLost() async throws {
        let store = try workspace.open(keepsInline: true)
        try store.limitPages(to: 60)
        let hold = WriterHold(store)
        for number in 0..<10 {
            try await store.insert(workspace.record("\(number)"), forKey: RecordKey("small \(number)"), mode: .behind)
            try await store.insert(large(), forKey: RecordKey("large \(number)"), mode: .behind)
        }
        hold.release()
        await store.flush()
        for number in 0..<10 {
            #expect(try await store.peekText(RecordKey("small \(number)")) == "\(number)")
            #expect(try await store.peekText(RecordKey("large \(number)")) == nil)
        }
        #expect(workspace.events.kinds.count { $0 == .writeLost } == 10)
        #expect(try store.countedTotals().count == 10)
    }

    @Test func durableWritesOfABatchThatDoesNotFitAreToldOneByOne() async throws {
        let store = try workspace.open(keepsInline: true)
        try store.limitPages(to: 60)
        let hold = WriterHold(store)
        let (small, large) = (workspace.record("small"), large())
        async let first = store.code { store throws(StoreError) in try await store.insert(small, forKey: "first") }
        async let second = store.code { store throws(StoreError) in try await store.insert(large, forKey: "second") }
        async let third = store.code { store throws(StoreError) in try await store.insert(small, forKey: "third") }
        try await waitUntil { ["first", "second", "third"].allSatisfy { store.core.queue.stagedState(of: $0) != nil } }
        hold.release()
        #expect(await first == nil)
        #expect(await second == .full)
        #expect(await third == nil)
        #expect(try store.countedTotals().count == 2)
        #expect(!workspace.events.kinds.contains(.writeLost))
    }

    @Test func aNewerWriteSurvivesTheRemovalOfWhatALostOneWasToReplace() async throws {
        let store = try workspace.open(keepsInline: true)
        try await store.insert(workspace.record("old"), forKey: "key")
        try store.limitPages(to: 60)
        let hold = WriterHold(store)
        try await store.insert(large(), forKey: "key", mode: .behind)
        try await store.insert(workspace.record("fits"), forKey: "other", mode: .behind)
        // The next writes do not share the transaction of the first ones, because the removal
        // comes before they are committed.
        store.separateBatches()
        try await store.insert(workspace.record("new"), forKey: "key", mode: .behind)
        hold.release()
        await store.flush()
        #expect(workspace.events.kinds.contains(.writeLost))
        #expect(try await store.peekText("key") == "new")
        #expect(try store.countedTotals().count == 2)
    }

    @Test(.timeLimit(.minutes(5))) func aRemovalThatCannotSucceedNowIsNotTriedWithoutEnd() async throws {
        let store = try workspace.open()
        try await store.insert(workspace.record("old"), forKey: "key")
        try FileManager.default.removeItem(atPath: workspace.directory)
        try Data().write(to: URL(fileURLWithPath: workspace.directory))
        try await store.insert(workspace.record("new"), forKey: "key", mode: .behind)
        let store_ = store
        let flushed = Counter()
        let flushing = Task {
            await store_.flush()
            flushed.increment()
        }
        try await waitUntil { flushed.value == 1 }
        #expect(workspace.events.kinds == [.writeLost])
        // Closing ends an endless loop, if there is one.
        await store.close()
        await flushing.value
    }

    @Test func lostWritesAreForgottenWhenEverythingIsRemoved() async throws {
        let store = try workspace.open(keepsInline: true)
        try await store.insert(workspace.record("old"), forKey: "key")
        try store.limitPages(to: 30)
        try await store.insert(large(), forKey: "key", mode: .behind)
        await store.flush()
        #expect(store.core.lostWrites.contains("key"))
        try await store.removeAll()
        #expect(!store.core.lostWrites.contains("key"))
        #expect(try await store.peekText("key") == nil)
    }

    private func insertion(_ number: Int, into store: DiskStore) throws -> WriteOperation {
        .insert(try store.core.stored(workspace.record(), RecordKey("\(number)"), store.core.session()))
    }

    @Test func moreThanCanBeKeptMakeEverythingAMissUntilAllIsRemoved() throws {
        let store = try workspace.open()
        let lost = LostWrites()
        for number in 0..<LostWrites.maximumCount { #expect(lost.add(try insertion(number, into: store)) == 1) }
        #expect(lost.contains("0") && !lost.contains("other"))
        #expect(lost.add(try insertion(-1, into: store)) == 1)
        #expect(lost.contains("0") && lost.contains("other"))
        guard case .removeAll? = lost.takeRetry() else {
            Issue.record("Something else than everything is removed.")
            return
        }
        #expect(retried(lost) == nil)
        #expect(lost.add(.removeAll) == 0)
        #expect(retried(lost) != nil)
        lost.settle(.removeAll)
        #expect(!lost.contains("0") && !lost.contains("other"))
        #expect(retried(lost) == nil)
    }

    private func retried(_ lost: LostWrites) -> [RecordKey]? {
        switch lost.takeRetry() {
        case .removeLost(let keys, _)?: keys
        case .removeAll?: []
        default: nil
        }
    }

    @Test func removalsAreTriedAgainOnceForEachFailure() throws {
        let store = try workspace.open()
        let lost = LostWrites()
        _ = lost.add(try insertion(1, into: store))
        #expect(retried(lost) == ["1"])
        #expect(retried(lost) == nil)
        let isLost: @Sendable (RecordKey) -> Bool = { lost.contains($0) }
        #expect(lost.add(.removeLost(["1", "2"], isLost: isLost)) == 0)
        #expect(retried(lost) == ["1"])
        // The store must not try again to remove a key that is not lost.
        #expect(lost.add(.remove("2")) == 0)
        #expect(retried(lost) == nil)
        #expect(!lost.contains("2"))
        lost.settle(.removeLost(["1", "2"], isLost: isLost))
        #expect(!lost.contains("1"))
        _ = lost.add(try insertion(3, into: store))
        lost.settle(try insertion(3, into: store))
        #expect(!lost.contains("3"))
        _ = lost.add(try insertion(4, into: store))
        lost.settle(.remove("4"))
        #expect(!lost.contains("4"))
    }

    @Test func nothingThatWasWrittenSinceIsRemovedForALostWrite() throws {
        let store = try workspace.open()
        let lost = LostWrites()
        _ = lost.add(try insertion(1, into: store))
        _ = lost.add(try insertion(2, into: store))
        guard case .removeLost(let keys, let isLost)? = lost.takeRetry() else {
            Issue.record("Nothing is removed.")
            return
        }
        #expect(Set(keys) == ["1", "2"])
        lost.settle(try insertion(1, into: store))
        #expect(!isLost("1") && isLost("2"))
    }
}
