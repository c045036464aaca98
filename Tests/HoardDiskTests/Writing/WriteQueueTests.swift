// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import HoardTesting
import Synchronization
import Testing

@testable import HoardDisk

@Suite struct WriteQueueTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    @Test func writingOfUsesConcernsNoReading() {
        let queue = WriteQueue(maximumCount: 4, maximumByteCount: 1 << 20)
        #expect(queue.isIdle && queue.isQuiet)
        queue.enqueue(.flushUses) {}
        #expect(!queue.isIdle)
        #expect(queue.isQuiet)
        queue.enqueue(.removeAll) {}
        #expect(!queue.isQuiet)
        queue.finish(queue.takeBatch())
        #expect(queue.isIdle && queue.isQuiet)
    }

    @Test func writesThatGatheredShareOneTransaction() async throws {
        let store = try workspace.open()
        let before = try store.changeCount()
        let hold = WriterHold(store)
        for number in 0..<100 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        hold.release()
        await store.flush()
        #expect(try store.changeCount() == before + 1)
        #expect(try store.countedTotals().count == 100)
    }

    @Test func aTransactionHasNoMoreOperationsThanItsBound() async throws {
        let store = try workspace.open()
        let before = try store.changeCount()
        let hold = WriterHold(store)
        let count = WriteQueue.maximumBatchCount * 2 + 1
        for number in 0..<count { try await store.insert(workspace.record(""), forKey: RecordKey("\(number)"), mode: .behind) }
        hold.release()
        await store.flush()
        #expect(try store.changeCount() == before + 3)
        #expect(try store.countedTotals().count == count)
    }

    @Test func aTransactionHasNoMoreBytesThanItsBound() async throws {
        let store = try workspace.open(keepsInline: true)
        let before = try store.changeCount()
        let hold = WriterHold(store)
        // Each record counts twice while it waits: once as it was given, and once as it will be stored.
        let half = workspace.record(byteCount: WriteQueue.maximumBatchByteCount / 4)
        for number in 0..<4 { try await store.insert(half, forKey: RecordKey("\(number)"), mode: .behind) }
        hold.release()
        await store.flush()
        let transactionCount = try store.changeCount() - before
        #expect((2...4).contains(transactionCount))
        #expect(try store.countedTotals().count == 4)
    }

    @Test func durableWritesOfManyTasksShareTransactions() async throws {
        let store = try workspace.open()
        let before = try store.changeCount()
        let hold = WriterHold(store)
        let record = workspace.record()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 { group.addTask { try await store.insert(record, forKey: RecordKey("\(number)")) } }
            group.addTask {
                try await waitUntil { (0..<50).allSatisfy { store.core.queue.stagedState(of: RecordKey("\($0)")) != nil } }
                hold.release()
            }
            try await group.waitForAll()
        }
        #expect(try store.changeCount() == before + 1)
        #expect(try store.countedTotals().count == 50)
    }

    @Test(arguments: [(1, 1 << 20), (3, 1 << 20), (1000, 1), (1000, 2000)])
    func whoeverFindsTheQueueFullWaitsAndNobodyIsLost(maximumCount: Int, maximumByteCount: Int) async throws {
        let store = try workspace.open {
            $0.maximumQueuedWriteCount = maximumCount
            $0.maximumQueuedWriteBytes = maximumByteCount
        }
        let workspace = workspace
        let hold = WriterHold(store)
        let accepted = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<20 {
                        try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(writer)"), mode: .behind)
                        accepted.increment()
                        if number % 5 == 4 { try await store.insert(workspace.record(), forKey: RecordKey("\(writer) \(number)"), mode: .behind) }
                    }
                }
            }
            // The operation that holds the thread already uses the room, so the queue accepts
            // nothing if its bound is 1.
            for _ in 0..<50 { await Task.yield() }
            if maximumCount == 1 || maximumByteCount == 1 { #expect(accepted.value == 0) }
            #expect(accepted.value <= maximumCount)
            hold.release()
            try await group.waitForAll()
        }
        await store.flush()
        #expect(accepted.value == 80)
        // The last write of each task came last.
        for writer in 0..<4 { #expect(try await store.peekText(RecordKey("\(writer)")) == "19") }
        #expect(try store.countedTotals().count == 4 + 4 * 4)
    }

    @Test func anOperationLargerThanTheWholeBoundGoesThrough() async throws {
        let store = try workspace.open {
            $0.maximumQueuedWriteBytes = 1000
            $0.maximumInlinePayloadBytes = 1 << 20
        }
        let large = workspace.record(byteCount: 100_000)
        for mode in [DiskStore.WriteMode.behind, .durable] {
            for number in 0..<3 { try await store.insert(large, forKey: RecordKey("\(number)"), mode: mode) }
            await store.flush()
            for number in 0..<3 { #expect(try await store.peekRecord(forKey: RecordKey("\(number)")) == large) }
        }
    }

    @Test func boundsOfNothingCountAsOne() async throws {
        let store = try workspace.open {
            $0.maximumQueuedWriteCount = -5
            $0.maximumQueuedWriteBytes = 0
        }
        for number in 0..<5 { try await store.insert(workspace.record(), forKey: RecordKey("\(number)"), mode: .behind) }
        await store.flush()
        #expect(try store.countedTotals().count == 5)
    }

    @Test func flushingAnIdleStoreReturns() async throws {
        let store = try workspace.open()
        await store.flush()
        await store.close()
        await store.flush()
    }

    @Test func flushingReturnsThoughOthersGoOnWriting() async throws {
        let store = try workspace.open()
        let workspace = workspace
        let (flushed, stopped) = (Counter(), Counter())
        try await store.insert(workspace.record("before"), forKey: "before", mode: .behind)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    while stopped.value == 0 {
                        try await store.insert(workspace.record("\(writer)"), forKey: RecordKey("\(writer)"), mode: .behind)
                    }
                }
            }
            group.addTask {
                await store.flush()
                flushed.increment()
            }
            try await waitUntil { flushed.value == 1 }
            stopped.increment()
            try await group.waitForAll()
        }
        #expect(try store.countedTotals().count >= 1)
    }

    /// Takes a batch, and waits until it is done, in a task that counts. Returns when that task waits.
    private func waitBehindABatch(of queue: WriteQueue, _ ended: Counter) async throws -> ([WriteQueue.Entry], Task<Void, Never>) {
        _ = await queue.stage(.remove("first")) {}
        let batch = queue.takeBatch()
        let waiting = Task {
            await queue.waitUntilIdle()
            ended.increment()
        }
        try await waitUntil { queue.waiterCount == 1 }
        return (batch, waiting)
    }

    @Test(.timeLimit(.minutes(1))) func waitingEndsThoughTheQueueIsNeverEmpty() async throws {
        let (queue, ended) = (WriteQueue(maximumCount: 10, maximumByteCount: 1 << 20), Counter())
        var (batch, waiting) = try await waitBehindABatch(of: queue, ended)
        // Before a batch is done there is the next one.
        for _ in 0..<3 {
            _ = await queue.stage(.remove("next")) {}
            queue.finish(batch)
            batch = queue.takeBatch()
            #expect(batch.count == 1)
            #expect(queue.waiterCount == 0)
        }
        queue.finish(batch)
        #expect(queue.takeBatch().isEmpty)
        await waiting.value
        #expect(ended.value == 1)
    }

    @Test(.timeLimit(.minutes(1))) func waitingIncludesTheOperationsThatFollowOthers() async throws {
        let (queue, ended) = (WriteQueue(maximumCount: 10, maximumByteCount: 1 << 20), Counter())
        var (batch, waiting) = try await waitBehindABatch(of: queue, ended)
        for _ in 0..<1_000 {
            queue.enqueue(.sweep(tag: 1)) {}
            queue.finish(batch)
            batch = queue.takeBatch()
            await Task.yield()
        }
        #expect(queue.waiterCount == 1)
        #expect(ended.value == 0)
        queue.finish(batch)
        #expect(queue.takeBatch().isEmpty)
        await waiting.value
    }

    @Test func closingCommitsWhatWasAccepted() async throws {
        let store = try workspace.open()
        let hold = WriterHold(store)
        for number in 0..<20 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        async let closing: Void = store.close()
        hold.release()
        await closing
        let reopened = try workspace.open()
        for number in 0..<20 { #expect(try await reopened.peekText(RecordKey("\(number)")) == "\(number)") }
        let record = workspace.record()
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "late", mode: .behind) } == .closed)
        #expect(await store.code { store throws(StoreError) in try await store.insert(record, forKey: "late") } == .closed)
    }

    @Test func closingTurnsThoseAwayWhoWaitForRoom() async throws {
        let store = try workspace.open { $0.maximumQueuedWriteCount = 1 }
        let hold = WriterHold(store)
        let record = workspace.record()
        async let waiting = store.code { store throws(StoreError) in try await store.insert(record, forKey: "waiting", mode: .behind) }
        // The store refuses the write, whether it already waits or comes later.
        async let closing: Void = store.close()
        #expect(await waiting == .closed)
        hold.release()
        await closing
        #expect(try await workspace.open().peekText("waiting") == nil)
    }

    @Test func aStoreThatIsReleasedCommitsItsWritesBehind() async throws {
        let workspace = workspace
        func write() async throws {
            let store = try workspace.open()
            for number in 0..<200 { try await store.insert(workspace.record("\(number)"), forKey: RecordKey("\(number)"), mode: .behind) }
        }
        try await write()
        let reopened = try workspace.open()
        try await waitUntil { try reopened.countedTotals().count == 200 }
        #expect(try await reopened.peekText("199") == "199")
    }

    @Test func anOperationThatFailsForItsOwnReasonsFailsAlone() async throws {
        let store = try workspace.open()
        let hold = WriterHold(store)
        try await store.insert(workspace.record("before"), forKey: "before", mode: .behind)
        try await store.insert(workspace.record(byteCount: 100_000), forKey: "large", mode: .behind)
        try await store.insert(workspace.record("after"), forKey: "after", mode: .behind)
        // The temporary files are removed, as some systems remove them.
        for path in try workspace.payloadFiles() { try FileManager.default.removeItem(atPath: "\(workspace.directory)/payloads/\(path)") }
        hold.release()
        await store.flush()
        #expect(try await store.peekText("before") == "before")
        #expect(try await store.peekText("after") == "after")
        #expect(try await store.peekRecord(forKey: "large") == nil)
        #expect(workspace.events.kinds == [.writeLost])
    }
}
