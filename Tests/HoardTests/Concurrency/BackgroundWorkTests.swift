// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Synchronization
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct BackgroundWorkTests {
    @Test func workThatIsStartedRunsHoweverMuchThereIsAndIsWaitedFor() async {
        let work = BackgroundWork(maximumCount: 1)
        let gate = Gate()
        let done = Mutex(0)
        for _ in 1...10 {
            work.start {
                await gate.pass()
                done.withLock { $0 += 1 }
            }
        }
        await gate.arrivals(10)
        gate.open()
        await work.waitUntilIdle()
        #expect(done.withLock { $0 } == 10)
    }

    @Test func workBeyondTheLimitIsDoneByItsCaller() async {
        let work = BackgroundWork(maximumCount: 1)
        let gate = Gate()
        await work.run { await gate.pass() }
        await gate.arrivals(1)
        let isDone = Mutex(false)
        await work.run { isDone.withLock { $0 = true } }
        #expect(isDone.withLock { $0 })
        gate.open()
        await work.waitUntilIdle()
    }

    @Test func workThatBeginsLaterIsWaitedForOnlyByCallersThatWantNothingToRun() async throws {
        let work = BackgroundWork(maximumCount: 10)
        let (earlier, later) = (Gate(), Gate())
        work.start { await earlier.pass() }
        let waiting = Task { await work.waitForPresentWork() }
        let idle = Mutex(false)
        let waitingForAll = Task {
            await work.waitUntilIdle()
            idle.withLock { $0 = true }
        }
        try await waitUntil { work.waiterCount == 2 }
        work.start { await later.pass() }
        earlier.open()
        await waiting.value
        #expect(work.waiterCount == 1)
        #expect(!idle.withLock { $0 })
        later.open()
        await waitingForAll.value
        #expect(idle.withLock { $0 })
    }
}
