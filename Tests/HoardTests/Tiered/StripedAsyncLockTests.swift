// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(1))) struct StripedAsyncLockTests {
    private let lock = StripedAsyncLock()

    @Test func resultOfTheWorkIsReturned() async {
        #expect(await lock.withLock("a") { 7 } == 7)
        #expect(await lock.withAllLocked { "all" } == "all")
    }

    @Test func workOnOneKeyRunsInTheOrderInWhichItAsked() async throws {
        let order = Shared<[Int]>([])
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await lock.withLock("a") { await gate.pass() } }
            await gate.arrivals(1)
            for number in 0..<100 {
                group.addTask { await lock.withLock("a") { order.update { $0.append(number) } } }
                // The next one asks when this one waits.
                try await waitUntil { lock.waiterCount(for: "a") == number + 1 }
            }
            gate.open()
            try await group.waitForAll()
        }
        #expect(lock.waiterCount(for: "a") == 0)
        #expect(order.value == Array(0..<100))
    }

    @Test func workOnOneKeyNeverOverlaps() async {
        let running = Shared(0)
        let total = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    await lock.withLock("a") {
                        let count = running.update { count in
                            count += 1
                            return count
                        }
                        #expect(count == 1)
                        await Task.yield()
                        running.update { $0 -= 1 }
                        total.increment()
                    }
                }
            }
        }
        #expect(total.value == 200)
    }

    @Test func workOnDifferentKeysRunsAtOnce() async {
        let gate = Gate()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { await lock.withLock(RecordKey("\(number)")) { await gate.pass() } }
            }
            // A hundred keys share 64 stripes; they cannot all fall on one.
            await gate.arrivals(2)
            gate.open()
        }
        #expect(gate.arrivalCount == 100)
    }

    @Test func lockOnEverythingWaitsForWorkAndKeepsWorkWaiting() async throws {
        let keyGate = Gate()
        let order = Shared<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await lock.withLock("a") {
                    await keyGate.pass()
                    order.update { $0.append("key") }
                }
            }
            await keyGate.arrivals(1)
            group.addTask {
                await lock.withAllLocked {
                    order.update { $0.append("all begins") }
                    try? await waitUntil { lock.waiterCount(for: "a") == 1 }
                    order.update { $0.append("all ends") }
                }
            }
            try await waitUntil { lock.waiterCount(for: "a") == 1 }
            #expect(order.value.isEmpty)
            keyGate.open()
            try await waitUntil { order.value.last == "all begins" }
            group.addTask {
                await lock.withLock("a") { order.update { $0.append("late key") } }
            }
            try await group.waitForAll()
        }
        #expect(order.value == ["key", "all begins", "all ends", "late key"])
    }

    @Test func locksOnEverythingDoNotBlockEachOtherForEver() async {
        let total = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await lock.withAllLocked {
                        await Task.yield()
                        total.increment()
                    }
                }
                group.addTask { await lock.withLock(RecordKey("\(number)")) { _ = total.increment() } }
            }
        }
        #expect(total.value == 40)
    }
}

@Suite(.timeLimit(.minutes(1))) struct BackgroundWorkTests {
    @Test func callerDoesNotWaitForTheWork() async {
        let work = BackgroundWork(maximumCount: 2)
        let gate = Gate()
        await work.run { await gate.pass() }
        await gate.arrivals(1)
        gate.open()
        await work.waitUntilIdle()
    }

    @Test func waitingUntilIdleWaitsForAllWork() async {
        let work = BackgroundWork(maximumCount: 10)
        let gate = Gate()
        let done = Counter()
        for _ in 0..<10 {
            await work.run {
                await gate.pass()
                done.increment()
            }
        }
        let isIdle = Shared(false)
        let waiting = Task {
            await work.waitUntilIdle()
            isIdle.update { $0 = true }
            return done.value
        }
        await gate.arrivals(10)
        #expect(!isIdle.value)
        gate.open()
        #expect(await waiting.value == 10)
    }

    @Test func waitingWhenThereIsNoWorkReturnsAtOnce() async {
        await BackgroundWork(maximumCount: 1).waitUntilIdle()
    }

    @Test func whenThereIsTooMuchWorkTheCallerDoesItsOwn() async {
        let work = BackgroundWork(maximumCount: 1)
        let gate = Gate()
        await work.run { await gate.pass() }
        let done = Counter()
        await work.run { done.increment() }
        #expect(done.value == 1, "done before the return")
        gate.open()
        await work.waitUntilIdle()
        let secondGate = Gate()
        await work.run { await secondGate.pass() }
        secondGate.open()
        await work.waitUntilIdle()
        #expect(secondGate.arrivalCount == 1, "there is room again")
    }
}
