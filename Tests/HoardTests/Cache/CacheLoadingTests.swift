// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTestSupport
import HoardTesting
import Testing

@testable import Hoard

@Suite(.timeLimit(.minutes(5))) struct CacheLoadingTests {
    private let cache = Cache<String, Int>(maximumCount: 10)

    @Test func missIsLoadedAndKept() async throws {
        let loads = Counter()
        let load: @Sendable (String) async throws -> Int = { key in
            loads.increment()
            return key.count
        }
        #expect(try await cache.value(forKey: "four", load: load) == 4)
        #expect(try await cache.value(forKey: "four", load: load) == 4)
        #expect(cache.value(forKey: "four") == 4)
        #expect(loads.value == 1)
        let statistics = cache.statistics
        #expect(statistics.loads == 1)
        #expect(statistics.insertions == 1)
        #expect(statistics.misses == 1)
        #expect(statistics.hits == 2)
    }

    @Test func hitDoesNotLoad() async throws {
        cache.insert(1, forKey: "a")
        #expect(try await cache.value(forKey: "a") { _ in throw TestError() } == 1)
    }

    @Test func hitWhileLoadingCountsAsAUse() async throws {
        let cache = Cache<String, Int>(maximumCount: 2)
        cache.insert(1, forKey: "a")
        cache.insert(2, forKey: "b")
        _ = try await cache.value(forKey: "a") { _ in throw TestError() }
        cache.insert(3, forKey: "c")
        #expect(cache.contains("a"))
    }

    @Test func callersOfOneKeyShareOneLoad() async throws {
        let gate = Gate()
        let loads = Counter()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await cache.value(forKey: "a") { _ in
                        await gate.pass()
                        return loads.increment()
                    }
                }
            }
            try await waitUntil { cache.flights.waiterCount(for: "a") == 10 }
            gate.open()
            for try await value in group { #expect(value == 1) }
        }
        #expect(loads.value == 1)
        #expect(cache.statistics.misses == 10)
        #expect(cache.statistics.loads == 1)
    }

    @Test func loadsOfDifferentKeysRunAtOnce() async throws {
        let gate = Gate()
        async let first = cache.value(forKey: "a") { _ in
            await gate.pass()
            return 1
        }
        async let second = cache.value(forKey: "b") { _ in
            await gate.pass()
            return 2
        }
        await gate.arrivals(2)
        gate.open()
        #expect(try await first == 1)
        #expect(try await second == 2)
    }

    @Test func everyCallerGetsTheLoadersErrorAndNothingIsKept() async throws {
        let gate = Gate()
        await withTaskGroup(of: TestError?.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    await error {
                        try await cache.value(forKey: "a") { _ in
                            await gate.pass()
                            throw TestError(number: 7)
                        }
                    } as? TestError
                }
            }
            try? await waitUntil { cache.flights.waiterCount(for: "a") == 5 }
            gate.open()
            for await error in group { #expect(error == TestError(number: 7)) }
        }
        #expect(cache.count == 0)
        #expect(cache.statistics.loadFailures == 1)
        #expect(try await cache.value(forKey: "a") { _ in 1 } == 1, "the next caller loads again")
    }

    @Test func loadedValueThatIsTooHeavyIsReturnedAndNotKept() async throws {
        let cache = Cache<String, Int>(maximumWeight: 5) { _, value in value }
        #expect(try await cache.value(forKey: "a") { _ in 6 } == 6)
        #expect(cache.count == 0)
        #expect(cache.statistics.refusals == 1)
    }

    @Test func errorsOfCancelledLoadsCountAsFailures() async throws {
        _ = await error { try await cache.value(forKey: "a") { _ in throw CancellationError() } }
        #expect(cache.statistics.loadFailures == 1)
        #expect(cache.statistics.loads == 0)
    }
}

@Suite(.timeLimit(.minutes(5))) struct CacheCancellationTests {
    private let cache = Cache<String, Int>(maximumCount: 10)

    @Test func cancelledCallerLeavesAtOnceAndTheOthersGetTheValue() async throws {
        let gate = Gate()
        let load: @Sendable (String) async throws -> Int = { _ in
            await gate.pass()
            try Task.checkCancellation()
            return 1
        }
        let first = Task { try await cache.value(forKey: "a", load: load) }
        await gate.arrivals(1)
        let second = Task { try await cache.value(forKey: "a", load: load) }
        try await waitUntil { cache.flights.waiterCount(for: "a") == 2 }
        first.cancel()
        #expect(await error { try await first.value } is CancellationError)
        gate.open()
        #expect(try await second.value == 1)
        #expect(cache.peek("a") == 1)
    }

    @Test func loadIsCancelledWhenItsLastCallerHasLeft() async throws {
        let gate = Gate()
        let wasCancelled = Gate()
        let load: @Sendable (String) async throws -> Int = { _ in
            await withTaskCancellationHandler {
                await gate.pass()
                await wasCancelled.pass()
            } onCancel: {
                wasCancelled.open()
            }
            try Task.checkCancellation()
            return 1
        }
        let callers = (0..<3).map { _ in Task { try await cache.value(forKey: "a", load: load) } }
        try await waitUntil { cache.flights.waiterCount(for: "a") == 3 }
        await gate.arrivals(1)
        for caller in callers {
            caller.cancel()
            #expect(await error { try await caller.value } is CancellationError)
        }
        gate.open()
        try await waitUntil { cache.statistics.loadFailures == 1 }
        #expect(cache.count == 0)
    }

    @Test func newCallerAfterTheLastHasLeftStartsALoadOfItsOwn() async throws {
        let gate = Gate()
        let abandoned = Task {
            try await cache.value(forKey: "a") { _ in
                await gate.pass()
                throw TestError()
            }
        }
        await gate.arrivals(1)
        abandoned.cancel()
        #expect(await error { try await abandoned.value } is CancellationError)
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        gate.open()
        try await waitUntil { cache.statistics.loadFailures == 1 }
        #expect(cache.peek("a") == 2)
    }

    @Test func callerThatIsCancelledBeforeItComesDoesNotStartALoad() async {
        let loads = Counter()
        let start = Gate()
        let caller = Task {
            await start.pass()
            return try await cache.value(forKey: "a") { _ in loads.increment() }
        }
        caller.cancel()
        start.open()
        #expect(await error { try await caller.value } is CancellationError)
        #expect(loads.value == 0)
    }

    @Test func cancelledCallerStillGetsAHit() async throws {
        cache.insert(1, forKey: "a")
        let start = Gate()
        let caller = Task {
            await start.pass()
            return try await cache.value(forKey: "a") { _ in 2 }
        }
        caller.cancel()
        start.open()
        #expect(try await caller.value == 1)
    }

    /// A load that has no waiting caller and ignores its cancellation must not replace the value of a
    /// load that began, and ended, after it.
    @Test func abandonedLoadDoesNotReplaceTheValueOfALaterLoad() async throws {
        let gate = Gate()
        let abandoned = Task {
            try await cache.value(forKey: "a") { _ in
                await gate.pass()
                return 1
            }
        }
        await gate.arrivals(1)
        abandoned.cancel()
        _ = await abandoned.result
        #expect(try await cache.value(forKey: "a") { _ in 2 } == 2)
        gate.open()
        try await waitUntil { cache.statistics.loads == 2 }
        #expect(cache.peek("a") == 2)
        #expect(cache.statistics.fencedLoads == 1)
    }

    @Test func laterLoadReplacesTheValueOfAnAbandonedOne() async throws {
        let firstGate = Gate()
        let secondGate = Gate()
        let abandoned = Task {
            try await cache.value(forKey: "a") { _ in
                await firstGate.pass()
                return 1
            }
        }
        await firstGate.arrivals(1)
        abandoned.cancel()
        _ = await abandoned.result
        async let later = cache.value(forKey: "a") { _ in
            await secondGate.pass()
            return 2
        }
        await secondGate.arrivals(1)
        firstGate.open()
        try await waitUntil { cache.statistics.loads == 1 }
        secondGate.open()
        #expect(try await later == 2)
        #expect(cache.peek("a") == 2)
    }
}
