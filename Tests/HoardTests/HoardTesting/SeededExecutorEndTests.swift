// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

/// Virtual time, and the ways in which a run ends that cannot go on.
@Suite(.timeLimit(.minutes(5))) struct SeededExecutorEndTests {
    private static let hour: Int64 = 3_600_000_000_000
    private let time = ManualTicker()

    @Test func anHourPassesInNoTime() async throws {
        let order = Shared<[Int64]>([])
        try await SeededExecutor(seed: 1, time: time).run { [time] in
            await withTaskGroup(of: Void.self) { group in
                for hours in [3, 1, 2] as [Int64] {
                    group.addTask {
                        try? await time.sleep(until: hours * Self.hour)
                        order.update { $0.append(time.nanoseconds()) }
                    }
                }
            }
        }
        #expect(order.value == [Self.hour, 2 * Self.hour, 3 * Self.hour])
        #expect(time.now().timeIntervalSince1970 == 1_700_000_000 + 3 * 3_600)
    }

    @Test func timeReachesEveryDeadlineHoweverFarItIs() async throws {
        let time = ManualTicker(nanoseconds: .min)
        try await SeededExecutor(seed: 1, time: time).run { try await time.sleep(until: .max) }
        #expect(time.nanoseconds() == .max)
    }

    @Test func timeStandsStillWhileAnythingCanRun() async throws {
        try await SeededExecutor(seed: 1, time: time).run { [time] in
            async let sleeper: Void = time.sleep(until: 5)
            for _ in 0..<100 { await Task.yield() }
            #expect(time.nanoseconds() == 0)
            try await sleeper
            #expect(time.nanoseconds() == 5)
        }
    }

    @Test func aCachesTimePassesToo() async throws {
        let executor = SeededExecutor(seed: 9, time: time)
        let loads = Counter()
        let values = try await executor.run { [time] in
            let cache = TieredCache<String, Int>(
                configuration: .init(maximumCount: 10, freshFor: .seconds(60)),
                stores: [],
                codec: .json,
                clock: time,
                ticker: time
            )
            var values: [Int] = []
            for seconds in [0, 59, 61] as [Int64] {
                try await time.sleep(until: seconds * 1_000_000_000)
                values.append(try await cache.value(forKey: "a") { _ in loads.increment() })
            }
            return values
        }
        #expect(values == [1, 1, 2])
    }

    @Test(.timeLimit(.minutes(5))) func aDeadlockIsReportedWithItsSeed() async throws {
        let gate = Gate()
        let error = await error(of: { try await SeededExecutor(seed: 77, time: time).run { await gate.pass() } })
        let deadlock = try #require(error as? SeededExecutorError)
        #expect(deadlock.code == .deadlock)
        #expect(deadlock.seed == 77)
        #expect(deadlock.description.contains("Everything waits for everything (seed 77)"))
        gate.open()
    }

    @Test func whatSleepsElsewhereIsADeadlockWithoutTime() async throws {
        let error = await error(of: { try await SeededExecutor(seed: 1).run { [time] in try await time.sleep(until: 1) } })
        #expect((error as? SeededExecutorError)?.code == .deadlock)
        // The body has been cancelled, and its sleep has ended.
        #expect(time.sleeperCount == 0)
    }

    @Test func anExecutorCanBeUsedAgainAfterADeadlock() async throws {
        let executor = SeededExecutor(seed: 1, time: time)
        let gate = Gate()
        #expect(await error(of: { try await executor.run { await gate.pass() } }) is SeededExecutorError)
        gate.open()
        #expect(try await executor.run { 5 } == 5)
    }

    @Test func pollingWithoutEndIsReported() async throws {
        let executor = SeededExecutor(seed: 4, maximumJobCount: 1_000)
        let error = await error(of: { try await executor.run { while !Task.isCancelled { await Task.yield() } } })
        let livelock = try #require(error as? SeededExecutorError)
        #expect(livelock.code == .livelock)
        #expect(livelock.message.contains("seed 4"))
        #expect(livelock.message.contains("1000 jobs"))
    }

    @Test func aRunThatEndsWhenItIsCancelledLeavesTheExecutorUsable() async throws {
        let executor = SeededExecutor(seed: 4, maximumJobCount: 1_000)
        let ended = Counter()
        let error = await error(of: {
            try await executor.run {
                while !Task.isCancelled { await Task.yield() }
                ended.increment()
            }
        })
        #expect((error as? SeededExecutorError)?.code == .livelock)
        #expect(ended.value == 1)
        #expect(try await executor.run { 5 } == 5)
    }

    @Test func aRunIsCancelledBeforeItIsAbandonedHoweverFewJobsItMayNeed() async throws {
        // The first jobs of a run can be over before the thread that starts it knows the task.
        for seed in 0..<2_000 as Range<UInt64> {
            let executor = SeededExecutor(seed: seed, maximumJobCount: 3)
            let error = await error(of: { try await executor.run { while !Task.isCancelled { await Task.yield() } } })
            #expect((error as? SeededExecutorError)?.code == .livelock, "seed \(seed)")
            let five = try? await executor.run { 5 }
            try #require(five == 5, "seed \(seed)")
        }
    }

    @Test func anExecutorWhoseRunGoesOnThoughCancelledSaysSoInsteadOfHanging() async {
        let executor = SeededExecutor(seed: 4, maximumJobCount: 1_000)
        let isOver = Shared(false)
        for _ in 0..<2 {
            let error = await error(of: { try await executor.run { while !isOver.value { await Task.yield() } } })
            #expect((error as? SeededExecutorError)?.code == .livelock)
        }
        isOver.update { $0 = true }
    }

    @Test func workFromOutsideIsAwaitedWithPatience() async throws {
        let executor = SeededExecutor(seed: 1, patience: .seconds(30))
        let value = try await executor.run {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(returning: 8) }
            }
        }
        #expect(value == 8)
        let (impatient, gate) = (SeededExecutor(seed: 1, patience: .milliseconds(1)), Gate())
        #expect(await error(of: { try await impatient.run { await gate.pass() } }) is SeededExecutorError)
        gate.open()
    }

    @Test func cancellingTheCallerCancelsTheBody() async throws {
        let started = Gate(isOpen: true)
        let executor = SeededExecutor(seed: 1, patience: .seconds(30))
        let caller = Task { [time] in
            try await executor.run {
                await started.pass()
                try await time.sleep(until: 1)
            }
        }
        await started.arrivals(1)
        caller.cancel()
        #expect(await error(of: { try await caller.value }) is CancellationError)
    }

    @Test func whatIsReadyWhenTheBodyEndsIsStillRun() async throws {
        let ended = Counter()
        let executor = SeededExecutor(seed: 2, time: time)
        try await executor.run { [time] in
            startTask {
                for _ in 0..<50 { await Task.yield() }
                ended.increment()
            }
            startTask {
                try await time.sleep(until: 10)
                ended.increment()
            }
        }
        #expect(ended.value == 1)
        #expect(time.nanoseconds() == 0)
        time.advance(by: .nanoseconds(10))
        try await waitUntil { ended.value == 2 }
    }
}
