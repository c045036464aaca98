// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct SeededExecutorTests {
    /// The order in which three tasks take their four steps.
    private func trace(seed: UInt64) async throws -> [Int] {
        let trace = Shared<[Int]>([])
        try await SeededExecutor(seed: seed).run {
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for _ in 0..<4 {
                            trace.update { $0.append(task) }
                            await Task.yield()
                        }
                    }
                }
            }
        }
        return trace.value
    }

    @Test func theSameSeedGivesTheSameOrder() async throws {
        for seed in 0..<50 as Range<UInt64> {
            let first = try await trace(seed: seed)
            #expect(first.count == 12)
            #expect(try await trace(seed: seed) == first)
        }
    }

    @Test func differentSeedsGiveDifferentOrders() async throws {
        var traces: Set<[Int]> = []
        for seed in 0..<200 as Range<UInt64> { traces.insert(try await trace(seed: seed)) }
        // There are 34,650 orders. Two of 200 seeds rarely agree.
        #expect(traces.count > 150)
    }

    @Test func manyExecutorsAtOnceDoNotDisturbEachOther() async throws {
        let alone = try await trace(seed: 7)
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<100 { group.addTask { try await trace(seed: 7) } }
            for try await trace in group { #expect(trace == alone) }
        }
    }

    @Test func theBodysValueAndErrorReachTheCaller() async throws {
        let executor = SeededExecutor(seed: 1)
        #expect(try await executor.run { 42 } == 42)
        await #expect(throws: TestError(number: 3)) { try await executor.run { throw TestError(number: 3) } }
        #expect(try await executor.run { "again" } == "again")
    }

    /// An actor that the tasks of a run visit. The executor has to run its jobs too.
    private actor Place {
        private var visits = 0

        func visit() -> Int {
            visits += 1
            return visits
        }
    }

    @Test func everythingInsideRunsOnTheExecutor() async throws {
        let executor = SeededExecutor(seed: 3)
        let running = Counter()
        let most = Shared(0)
        let work: @Sendable () async -> Void = {
            for _ in 0..<20 {
                let now = running.increment()
                most.update { $0 = max($0, now) }
                running.add(-1)
                await Task.yield()
            }
        }
        try await executor.run {
            let place = Place()
            async let child: Void = work()
            let own = startTask { await work() }
            let users = SeededExecutor.task { await work() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        _ = await place.visit()
                        await work()
                    }
                }
            }
            await child
            await own.value
            await users.value
            #expect(await place.visit() == 5)
        }
        #expect(most.value == 1)
    }

    @Test func tasksThatHoardStartsHaveTheExecutorsOrder() async throws {
        // Without the executor these tasks would run on other threads, and their order would differ from run to run.
        func order(seed: UInt64) async throws -> [Int] {
            let order = Shared<[Int]>([])
            try await SeededExecutor(seed: seed).run {
                let tasks = (0..<8).map { number in
                    startTask {
                        await Task.yield()
                        order.update { $0.append(number) }
                        // A task that starts inside of a task that Hoard has started.
                        return startTask { order.update { $0.append(number + 100) } }
                    }
                }
                for task in tasks { await task.value.value }
            }
            return order.value
        }
        let first = try await order(seed: 11)
        #expect(first.count == 16)
        #expect(first != first.sorted())
        for _ in 0..<20 { #expect(try await order(seed: 11) == first) }
    }

    @Test func actorsWithoutExecutorRunOnIt() async throws {
        actor Log {
            var entries: [Int] = []
            func add(_ entry: Int) async {
                entries.append(entry)
                await Task.yield()
                entries.append(entry)
            }
        }
        func entries(seed: UInt64) async throws -> [Int] {
            try await SeededExecutor(seed: seed).run {
                let log = Log()
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<6 { group.addTask { await log.add(number) } }
                }
                return await log.entries
            }
        }
        let first = try await entries(seed: 5)
        for _ in 0..<20 { #expect(try await entries(seed: 5) == first) }
        var all: Set<[Int]> = []
        for seed in 0..<20 as Range<UInt64> { all.insert(try await entries(seed: seed)) }
        #expect(all.count > 10)
    }

    @Test func theJobsOfARunAreCountedAsTheyBegin() async throws {
        let time = ManualTicker()
        let (numbers, wokenAt) = (Shared<[Int]>([]), Shared<Int64>(0))
        let executor = SeededExecutor(seed: 4, time: time) { number in
            numbers.update { $0.append(number) }
            if number == 5 { time.advance(by: .seconds(3)) }
        }
        try await executor.run {
            let sleeper = SeededExecutor.task { [time] in
                try? await time.sleep(until: 1_000_000_000)
                wokenAt.update { $0 = time.nanoseconds() }
            }
            for _ in 0..<10 { await Task.yield() }
            await sleeper.value
        }
        #expect(numbers.value.count > 11)
        #expect(numbers.value == Array(1...numbers.value.count))
        // The sleeper woke while the other tasks were at work, and not only when everything waited.
        #expect(wokenAt.value == 3_000_000_000)
    }

    @Test func aTaskOutsideOfARunIsAnOrdinaryOne() async throws {
        #expect(await SeededExecutor.task { 1 }.value == 1)
        await #expect(throws: TestError()) { try await SeededExecutor.task { throw TestError() }.value }
    }
}
