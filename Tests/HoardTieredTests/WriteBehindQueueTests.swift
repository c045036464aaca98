// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct WriteBehindQueueTests {
    private typealias Queue = WriteBehindQueue<Int>

    /// A writer that writes at once.
    private func write(_ queue: Queue) -> [[Int]] {
        var batches: [[Int]] = []
        var next = queue.takeBatch(after: nil)
        while case .batch(let taken) = next {
            batches.append(taken.elements)
            next = queue.takeBatch(after: taken)
        }
        return batches
    }

    @Test func oneWriterTakesEverythingInOrder() throws {
        let queue = Queue()
        #expect(queue.add([1]) == .now)
        #expect(queue.add([2, 3]) == nil)
        let first = try #require(queue.takeBatch(after: nil).batch)
        #expect(first.elements == [1, 2, 3])
        #expect(queue.add([4]) == nil)
        let second = try #require(queue.takeBatch(after: first).batch)
        #expect(second.elements == [4])
        #expect(queue.takeBatch(after: second).batch == nil)
        #expect(queue.add([5]) == .now)
    }

    @Test func batchesAreLimited() {
        let queue = Queue()
        _ = queue.add(Array(0..<150))
        #expect(write(queue) == [Array(0..<64), Array(64..<128), Array(128..<150)])
    }

    @Test func furtherWritersBeginOnlyBehindAFullBatch() {
        let queue = Queue()
        var writerCount = 0
        for number in 0..<64 where queue.add([number]) != nil { writerCount += 1 }
        #expect(writerCount == 1)
        for number in 64..<200 where queue.add([number]) != nil { writerCount += 1 }
        #expect(writerCount == Queue.maximumWriterCount)
        #expect(write(queue).count == 4)
        // The other writers find nothing, and end.
        for _ in 1..<writerCount { #expect(write(queue).isEmpty) }
        #expect(queue.add([200]) == .now)
    }

    @Test func callersWaitUntilThereIsRoom() async {
        let queue = Queue()
        _ = queue.add(Array(0..<Queue.maximumWaitingCount))
        await queue.waitForRoom()
        #expect(queue.hasRoom)
        _ = queue.add([0])
        #expect(!queue.hasRoom)
        await confirmation { confirm in
            async let _: Void = {
                await queue.waitForRoom()
                confirm()
            }()
            _ = queue.takeBatch(after: nil)
        }
        await queue.waitForRoom()
    }

    @Test func callersWaitForTheEndFromTheMomentAWriterIsNeeded() async {
        let queue = Queue()
        await queue.waitUntilWritten()
        #expect(queue.add([1]) == .now)
        await confirmation { confirm in
            async let _: Void = {
                await queue.waitUntilWritten()
                confirm()
            }()
            #expect(write(queue) == [[1]])
        }
        await queue.waitUntilWritten()
    }

    @Test func callersDoNotWaitForElementsThatComeLater() async throws {
        let queue = Queue()
        _ = queue.add([1])
        let first = try #require(queue.takeBatch(after: nil).batch)
        _ = queue.add([2])
        let waiting = Task { await queue.waitUntilWritten() }
        try await waitUntil { queue.waiterCount == 1 }
        // Another element waits, or is being written, at any time.
        _ = queue.add([3])
        let second = try #require(queue.takeBatch(after: first).batch)
        #expect(second.elements == [2, 3])
        #expect(queue.waiterCount == 1)
        _ = queue.add([4])
        let third = try #require(queue.takeBatch(after: second).batch)
        await waiting.value
        #expect(third.elements == [4])
    }

    @Test func callersWaitForEachOfSeveralWriters() async throws {
        let queue = Queue()
        #expect(queue.add(Array(0..<100)) == .now)
        #expect(queue.add([100]) == .now)
        let first = try #require(queue.takeBatch(after: nil).batch)
        let second = try #require(queue.takeBatch(after: nil).batch)
        let waiting = Task { await queue.waitUntilWritten() }
        try await waitUntil { queue.waiterCount == 1 }
        _ = queue.add([101])
        // The later batch is written first.
        let third = try #require(queue.takeBatch(after: second).batch)
        #expect(queue.waiterCount == 1)
        #expect(queue.takeBatch(after: third).batch == nil)
        #expect(queue.waiterCount == 1)
        #expect(queue.takeBatch(after: first).batch == nil)
        await waiting.value
    }

    @Test func aQueueThatGathersStartsAWriterWhenTheTimeIsOver() throws {
        let queue = Queue(gathers: true)
        #expect(queue.add([1]) == .later)
        #expect(queue.add([2]) == nil)
        #expect(queue.endGathering() == .now)
        #expect(queue.endGathering() == nil)
        let first = try #require(queue.takeBatch(after: nil).batch)
        #expect(first.elements == [1, 2])
        // Elements that come while a batch is written gather again.
        #expect(queue.add([3]) == nil)
        guard case .end(.later) = queue.takeBatch(after: first) else {
            Issue.record("The writer should end until more has gathered.")
            return
        }
        #expect(queue.endGathering() == .now)
        #expect(write(queue) == [[3]])
    }

    @Test func aFullBatchDoesNotGather() {
        let queue = Queue(gathers: true)
        #expect(queue.add([0]) == .later)
        #expect(queue.add(Array(1..<Queue.batchCount)) == .now)
        #expect(write(queue) == [Array(0..<Queue.batchCount)])
        #expect(queue.endGathering() == nil)
    }

    @Test func writerThatIsAboutToBeginIsEnoughForAFullBatch() throws {
        let queue = Queue(gathers: true)
        #expect(queue.add(Array(0..<Queue.batchCount)) == .now)
        #expect(queue.add([64]) == nil)
        let first = try #require(queue.takeBatch(after: nil).batch)
        #expect(first.elements == Array(0..<Queue.batchCount))
        // A store that is slow gets another writer all the same.
        #expect(queue.add(Array(65..<128)) == nil)
        #expect(queue.add([128]) == .now)
    }

    @Test func writerThatIsNotAloneLeavesFewElementsToGather() throws {
        let queue = Queue(gathers: true)
        #expect(queue.add(Array(0..<64)) == .now)
        let first = try #require(queue.takeBatch(after: nil).batch)
        #expect(queue.add(Array(64..<130)) == .now)
        let second = try #require(queue.takeBatch(after: nil).batch)
        #expect(second.elements == Array(64..<128))
        guard case .end(nil) = queue.takeBatch(after: second) else {
            Issue.record("The other writer should see to the rest.")
            return
        }
        guard case .end(.later) = queue.takeBatch(after: first) else {
            Issue.record("The last writer should end until more has gathered.")
            return
        }
        #expect(queue.endGathering() == .now)
        #expect(write(queue) == [[128, 129]])
    }

    @Test func callersThatWaitEndTheGathering() async {
        let queue = Queue(gathers: true)
        #expect(queue.add([1]) == .later)
        await queue.waitUntilWritten { start in
            #expect(start == .now)
            #expect(write(queue) == [[1]])
        }
        #expect(queue.endGathering() == nil)
        #expect(queue.add([2]) == .later)
    }
}

extension WriteBehindQueue.Next {
    fileprivate var batch: WriteBehindQueue.Batch? {
        if case .batch(let batch) = self { batch } else { nil }
    }
}
