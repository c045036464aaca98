// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct WriteBehindQueueTests {
    private typealias Queue = WriteBehindQueue<Int>

    @Test func oneWriterTakesEverythingInOrder() {
        let queue = Queue()
        #expect(queue.add([1]))
        #expect(!queue.add([2, 3]))
        #expect(queue.takeBatch() == [1, 2, 3])
        #expect(!queue.add([4]))
        #expect(queue.takeBatch() == [4])
        #expect(queue.takeBatch() == [])
        #expect(queue.add([5]))
    }

    @Test func batchesAreLimited() {
        let queue = Queue()
        _ = queue.add(Array(0..<150))
        #expect(queue.takeBatch() == Array(0..<64))
        #expect(queue.takeBatch() == Array(64..<128))
        #expect(queue.takeBatch() == Array(128..<150))
    }

    @Test func furtherWritersBeginOnlyBehindAFullBatch() {
        let queue = Queue()
        var writerCount = 0
        for number in 0..<64 where queue.add([number]) { writerCount += 1 }
        #expect(writerCount == 1)
        for number in 64..<200 where queue.add([number]) { writerCount += 1 }
        #expect(writerCount == Queue.maximumWriterCount)
        for _ in 0..<4 { #expect(!queue.takeBatch().isEmpty) }
        // All writers find nothing, and end.
        for _ in 0..<writerCount { #expect(queue.takeBatch().isEmpty) }
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
            _ = queue.takeBatch()
        }
        await queue.waitForRoom()
    }

    @Test func whoeverWaitsForTheEndWaitsFromTheMomentAWriterIsNeeded() async {
        let queue = Queue()
        await queue.waitUntilIdle()
        #expect(queue.add([1]))
        await confirmation { confirm in
            async let _: Void = {
                await queue.waitUntilIdle()
                confirm()
            }()
            #expect(queue.takeBatch() == [1])
            #expect(queue.takeBatch() == [])
        }
        await queue.waitUntilIdle()
    }
}
