// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Hoard
import HoardTestSupport
import HoardTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ManualTickerSleepTests {
    private let time = ManualTicker()

    @Test func sleepersWakeWhenTheirTimeHasCome() async throws {
        let woken = Counter()
        let sleeper = Task { [time] in
            try await time.sleep(until: 10)
            woken.increment()
        }
        await time.sleepers(1)
        #expect(time.nextDeadline == 10)
        time.advance(by: .nanoseconds(9))
        #expect(time.sleeperCount == 1)
        #expect(woken.value == 0)
        time.advance(by: .nanoseconds(1))
        try await sleeper.value
        #expect(woken.value == 1)
        #expect(time.sleeperCount == 0)
        #expect(time.nextDeadline == nil)
    }

    @Test func aDeadlineThatHasPassedIsNotWaitedFor() async throws {
        time.advance(by: .seconds(1))
        try await time.sleep(until: 1_000_000_000)
        try await time.sleep(until: .min)
        #expect(time.sleeperCount == 0)
    }

    @Test func sleepersAreWokenInTheOrderOfTheirDeadlines() async throws {
        // Their executor shows the order: one thread that takes the first job first.
        let order = Shared<[Int64]>([])
        let queue = FirstComeFirstServed()
        let sleepers = [3, 1, 2, 1].map { (deadline: Int64) in
            Task(executorPreference: queue) { [time] in
                try await time.sleep(until: deadline)
                order.update { $0.append(deadline) }
            }
        }
        await time.sleepers(4)
        #expect(time.nextDeadline == 1)
        time.advance(by: .nanoseconds(5))
        for sleeper in sleepers { try await sleeper.value }
        #expect(order.value == [1, 1, 2, 3])
    }

    @Test func aCancelledSleeperWakesAtOnceAndLeavesTheOthersAsleep() async throws {
        let sleepers = (0..<3).map { number in Task { [time] in try await time.sleep(until: 10 + number) } }
        await time.sleepers(3)
        sleepers[0].cancel()
        #expect(await error(of: { try await sleepers[0].value }) is CancellationError)
        #expect(time.sleeperCount == 2)
        #expect(time.nextDeadline == 11)
        time.advance(by: .nanoseconds(20))
        for sleeper in sleepers[1...] { try await sleeper.value }
    }

    @Test func aTaskThatHasBeenCancelledDoesNotSleep() async {
        let gate = Gate()
        let sleeper = Task { [time] in
            await gate.pass()
            try await time.sleep(until: 1)
        }
        await gate.arrivals(1)
        sleeper.cancel()
        gate.open()
        #expect(await error(of: { try await sleeper.value }) is CancellationError)
        #expect(time.sleeperCount == 0)
    }

    @Test func observersWaitUntilSoManySleepAtOnce() async throws {
        let first = Task { [time] in try await time.sleep(until: 1) }
        await time.sleepers(1)
        time.advance(by: .nanoseconds(1))
        try await first.value
        let observed = Counter()
        let observer = Task { [time] in
            await time.sleepers(2)
            observed.increment()
        }
        let second = Task { [time] in try await time.sleep(until: 2) }
        await time.sleepers(1)
        #expect(observed.value == 0)
        let third = Task { [time] in try await time.sleep(until: 3) }
        await observer.value
        #expect(observed.value == 1)
        await time.sleepers(0)
        time.advance(by: .nanoseconds(2))
        try await second.value
        try await third.value
    }

    @Test func cancellingAndWakingAtTheSameTimeEndsEverySleepOnce() async {
        for _ in 0..<200 {
            let time = ManualTicker()
            let sleeper = Task { try await time.sleep(until: 1) }
            await time.sleepers(1)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { time.advance(by: .nanoseconds(1)) }
                group.addTask { sleeper.cancel() }
            }
            _ = await sleeper.result
            #expect(time.sleeperCount == 0)
        }
    }
}

/// Runs jobs in the order in which they come, one at a time.
private final class FirstComeFirstServed: TaskExecutor {
    private let queue = DispatchQueue(label: "FirstComeFirstServed")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
