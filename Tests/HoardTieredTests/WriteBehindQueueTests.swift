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
        var batch = queue.takeBatch(after: nil)
        while let taken = batch {
            batches.append(taken.elements)
            batch = queue.takeBatch(after: taken)
        }
        return batches
    }

    @Test func oneWriterTakesEverythingInOrder() throws {
        let queue = Queue()
        #expect(queue.add([1]))
        #expect(!queue.add([2, 3]))
        let first = try #require(queue.takeBatch(after: nil))
        #expect(first.elements == [1, 2, 3])
        #expect(!queue.add([4]))
        let second = try #require(queue.takeBatch(after: first))
        #expect(second.elements == [4])
        #expect(queue.takeBatch(after: second) == nil)
        #expect(queue.add([5]))
    }

    @Test func batchesAreLimited() {
        let queue = Queue()
        _ = queue.add(Array(0..<150))
        #expect(write(queue) == [Array(0..<64), Array(64..<128), Array(128..<150)])
    }

    @Test func furtherWritersBeginOnlyBehindAFullBatch() {
        let queue = Queue()
        var writerCount = 0
        for number in 0..<64 where queue.add([number]) { writerCount += 1 }
        #expect(writerCount == 1)
        for number in 64..<200 where queue.add([number]) { writerCount += 1 }
        #expect(writerCount == Queue.maximumWriterCount)
        #expect(write(queue).count == 4)
        // The other writers find nothing, and end.
        for _ in 1..<writerCount { #expect(write(queue).isEmpty) }
        #expect(queue.add([200]))
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
        #expect(queue.add([1]))
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
        let first = try #require(queue.takeBatch(after: nil))
        _ = queue.add([2])
        let waiting = Task { await queue.waitUntilWritten() }
        try await waitUntil { queue.waiterCount == 1 }
        // Another element waits, or is being written, at any time.
        _ = queue.add([3])
        let second = try #require(queue.takeBatch(after: first))
        #expect(second.elements == [2, 3])
        #expect(queue.waiterCount == 1)
        _ = queue.add([4])
        let third = try #require(queue.takeBatch(after: second))
        await waiting.value
        #expect(third.elements == [4])
    }

    @Test func callersWaitForEachOfSeveralWriters() async throws {
        let queue = Queue()
        #expect(queue.add(Array(0..<100)))
        #expect(queue.add([100]))
        let first = try #require(queue.takeBatch(after: nil))
        let second = try #require(queue.takeBatch(after: nil))
        let waiting = Task { await queue.waitUntilWritten() }
        try await waitUntil { queue.waiterCount == 1 }
        _ = queue.add([101])
        // The later batch is written first.
        let third = try #require(queue.takeBatch(after: second))
        #expect(queue.waiterCount == 1)
        #expect(queue.takeBatch(after: third) == nil)
        #expect(queue.waiterCount == 1)
        #expect(queue.takeBatch(after: first) == nil)
        await waiting.value
    }
}
