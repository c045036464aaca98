// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct SystemTimerTests {
    private let timer = SystemTimer()

    @Test func sleepersWakeWhenTheirTimeHasComeAndNotBefore() async throws {
        let woken = Shared<[Int64]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for milliseconds: Int64 in [30, 1, 20, 10, 0, -5, 25] {
                group.addTask { [timer] in
                    let start = MonotonicTicker().nanoseconds()
                    try await timer.sleep(for: milliseconds * 1_000_000)
                    let slept = MonotonicTicker().nanoseconds() - start
                    #expect(slept >= milliseconds * 1_000_000)
                    woken.update { $0.append(milliseconds) }
                }
            }
            try await group.waitForAll()
        }
        #expect(woken.value.count == 7)
        #expect(timer.counts.sleepers == 0)
    }

    @Test func deadlineLongPastIsNotWaitedFor() async throws {
        try await MonotonicTicker().sleep(until: .min)
        try await MonotonicTicker().sleep(for: .seconds(Int64.min))
    }

    @Test func sleeperThatIsCancelledIsForgottenAtOnce() async throws {
        let sleeper = Task { [timer] in try await timer.sleep(for: .max) }
        try await waitUntil { timer.counts.sleepers == 1 }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(timer.counts.sleepers == 0)
    }

    @Test func taskThatIsCancelledAlreadyDoesNotSleep() async throws {
        let gate = Gate()
        let sleeper = Task { [timer] in
            await gate.pass()
            try await timer.sleep(for: .max)
        }
        await gate.arrivals(1)
        sleeper.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(timer.counts.sleepers == 0)
    }

    /// The runtime would keep each of these sleeps for hours.
    @Test func cancelledSleepsShareAFewAlarms() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<20_000 {
            // For a while each sleep ends earlier than all before it, which is the worst case.
            let seconds = round % 2 == 0 ? Int64(36_000 - round) : Int64.random(in: 1...36_000, using: &generator)
            let sleeper = Task { [timer] in try await timer.sleep(for: seconds * 1_000_000_000) }
            if round % 3 == 0 { await Task.yield() }
            sleeper.cancel()
        }
        try await waitUntil { timer.counts.sleepers == 0 }
        #expect(timer.counts.alarms <= 64, "seed \(seed)")
    }

    @Test func sleepersWakeAlsoBehindAlarmsThatRangForNobody() async throws {
        let isOver = Shared(false)
        let far = Task { [timer] in
            defer { isOver.update { $0 = true } }
            try await timer.sleep(for: 40_000_000)
        }
        // It may have slept and be awake again before anybody looks.
        try await waitUntil { timer.counts.sleepers == 1 || isOver.value }
        far.cancel()
        let start = MonotonicTicker().nanoseconds()
        try await timer.sleep(for: 60_000_000)
        #expect(MonotonicTicker().nanoseconds() - start >= 60_000_000)
        try await waitUntil { timer.counts.alarms == 0 }
    }
}
