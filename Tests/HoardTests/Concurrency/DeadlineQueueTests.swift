// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct DeadlineQueueTests {
    private let ticker = ManualTicker()
    private let queue: DeadlineQueue
    private let called = Shared<[Int]>([])

    init() { queue = DeadlineQueue(ticker: ticker) }

    @discardableResult
    private func schedule(_ number: Int, after seconds: Int) -> DeadlineQueue.Token {
        queue.schedule(at: ticker.nanoseconds() + Int64(seconds) * 1_000_000_000) { [called] in called.update { $0.append(number) } }
    }

    private func sleepers(_ count: Int) async throws {
        try await waitUntil { ticker.sleeperCount == count }
    }

    @Test func functionsAreCalledWhenTheirTimeHasCome() async throws {
        schedule(1, after: 1)
        try await sleepers(1)
        ticker.advance(by: .milliseconds(999))
        #expect(called.value.isEmpty)
        #expect(ticker.sleeperCount == 1)
        ticker.advance(by: .milliseconds(1))
        try await waitUntil { called.value == [1] }
        #expect(queue.count == 0)
        #expect(!queue.isSleeping)
    }

    private enum Caller {
        @TaskLocal static var name = "nobody"
    }

    @Test func functionsHaveNoTaskLocalValuesOfTheirCallers() async throws {
        let names = Shared<[String]>([])
        Caller.$name.withValue("first") {
            for seconds in 1...2 {
                _ = queue.schedule(at: Int64(seconds) * 1_000_000_000) { names.update { $0.append(Caller.name) } }
            }
        }
        for count in 1...2 {
            try await sleepers(1)
            ticker.advance(by: .seconds(1))
            try await waitUntil { names.value.count == count }
        }
        #expect(names.value == ["nobody", "nobody"])
    }

    @Test func functionsAreCalledInTheOrderOfTheirDeadlines() async throws {
        for (number, seconds) in [(3, 3), (1, 1), (5, 5), (4, 4), (2, 2)] { schedule(number, after: seconds) }
        try await sleepers(1)
        ticker.advance(by: .seconds(3))
        try await waitUntil { called.value == [1, 2, 3] }
        try await sleepers(1)
        ticker.advance(by: .seconds(1))
        try await waitUntil { called.value == [1, 2, 3, 4] }
        #expect(queue.count == 1)
    }

    @Test func anEarlierDeadlineReplacesTheSleeper() async throws {
        schedule(2, after: 60)
        try await sleepers(1)
        schedule(1, after: 1)
        try await sleepers(1)
        ticker.advance(by: .seconds(1))
        try await waitUntil { called.value == [1] }
        try await sleepers(1)
        ticker.advance(by: .seconds(59))
        try await waitUntil { called.value == [1, 2] }
    }

    @Test func deadlineThatHasPassedIsServedAtOnce() async throws {
        schedule(1, after: -5)
        try await waitUntil { called.value == [1] }
        #expect(ticker.sleeperCount == 0)
    }

    @Test func cancelledFunctionsAreNotCalled() async throws {
        let first = schedule(1, after: 1)
        schedule(2, after: 1)
        queue.cancel(first)
        queue.cancel(first)
        ticker.advance(by: .seconds(1))
        try await waitUntil { called.value == [2] }
        queue.cancel(first)
        #expect(queue.count == 0)
    }

    @Test func cancellationReleasesTheFunctionAtOnce() {
        let released = Counter()
        func make() -> DeadlineQueue.Token {
            let witness = Witness { _ in released.increment() }
            return queue.schedule(at: 1_000_000_000) { withExtendedLifetime(witness) {} }
        }
        let token = make()
        #expect(released.value == 0)
        queue.cancel(token)
        #expect(released.value == 1)
    }

    @Test func queueThatWaitsForNothingDoesNotSleepForLong() async throws {
        let far = schedule(1, after: 3_600)
        let farther = schedule(2, after: 7_200)
        try await sleepers(1)
        queue.cancel(far)
        #expect(queue.isSleeping, "something is still waited for")
        queue.cancel(farther)
        #expect(!queue.isSleeping)
        try await sleepers(0)
        schedule(3, after: 1)
        try await sleepers(1)
        ticker.advance(by: .seconds(1))
        try await waitUntil { called.value == [3] }
    }

    /// A task for each of many short waits would cost more than one task that sleeps a little longer than it has to.
    @Test func shortSleepIsLeftToEndByItself() async throws {
        queue.cancel(schedule(1, after: 1))
        try await sleepers(1)
        for number in 0..<100 { queue.cancel(schedule(number, after: 1)) }
        #expect(ticker.sleeperCount == 1)
        ticker.advance(by: .seconds(1))
        try await waitUntil { !queue.isSleeping }
        #expect(ticker.sleeperCount == 0)
        #expect(called.value.isEmpty)
    }

    /// Each call lasts as long as the timeout of a request that is answered at once.
    @Test(arguments: [1, 60, 36_000]) func aHundredThousandCallsThatAreCancelledLeaveNothingBehind(seconds: Int64) async throws {
        let queue = DeadlineQueue(ticker: MonotonicTicker())
        let made = Shared<Set<Int>>([])
        // This thread may be held up so long that the time of a call comes before it is cancelled.
        var late: Set<Int> = []
        for number in 0..<100_000 {
            let deadline = MonotonicTicker().nanoseconds() + seconds * 1_000_000_000
            queue.cancel(queue.schedule(at: deadline) { made.update { _ = $0.insert(number) } })
            if MonotonicTicker().nanoseconds() >= deadline { late.insert(number) }
            // The queue's task goes to sleep here, as it does while a request waits.
            if number % 10 == 0 { await Task.yield() }
        }
        #expect(queue.count == 0)
        #expect(made.value.isSubset(of: late), "The others have been cancelled in time.")
        #expect(SystemTimer.shared.counts.alarms <= 64)
    }

    @Test func releasedQueueSleepsNoMore() async throws {
        var queue: DeadlineQueue? = DeadlineQueue(ticker: ticker)
        _ = queue?.schedule(at: 1_000_000_000) { [called] in called.update { $0.append(1) } }
        try await sleepers(1)
        queue = nil
        try await sleepers(0)
        ticker.advance(by: .seconds(2))
        #expect(called.value.isEmpty)
    }

    @Test func functionMayUseTheQueue() async throws {
        _ = queue.schedule(at: 1) { [queue, called] in
            called.update { $0.append(1) }
            // It is due already, and may be called before this function has ended.
            _ = queue.schedule(at: 2) { called.update { $0.append(2) } }
        }
        try await sleepers(1)
        ticker.advance(by: .nanoseconds(2))
        try await waitUntil { called.value == [1, 2] }
    }

    @Test func anyMixOfCallsIsServedInTimeAndInOrder() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var expected: [Int: Int64] = [:]
        var tokens: [Int: DeadlineQueue.Token] = [:]
        for number in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let seconds = Int.random(in: 1...50, using: &generator)
                expected[number] = ticker.nanoseconds() + Int64(seconds) * 1_000_000_000
                tokens[number] = schedule(number, after: seconds)
            case 5..<9:
                guard let (number, token) = tokens.randomElement(using: &generator), !called.value.contains(number) else { continue }
                queue.cancel(token)
                expected[number] = nil
                tokens[number] = nil
            default:
                ticker.advance(by: .seconds(Int.random(in: 1...3, using: &generator)))
                let now = ticker.nanoseconds()
                let due = expected.filter { $0.value <= now }.count
                try await waitUntil { called.value.count == due }
                for number in called.value { tokens[number] = nil }
                let deadlines = called.value.map { expected[$0] ?? .max }
                #expect(deadlines.allSatisfy { $0 <= now }, "seed \(seed)")
            }
        }
        ticker.advance(by: .seconds(60))
        try await waitUntil { called.value.count == expected.count }
        #expect(Set(called.value) == Set(expected.keys), "seed \(seed)")
        #expect(queue.count == 0, "seed \(seed)")
    }
}
